#include "daemon/pprof.h"

#include <span>
#include <string_view>

namespace muster::daemon {
namespace {

// A message in the wire format of Protocol Buffers.
class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    if (value == 0) return *this;  // means the same as none
    put(field << 3);
    put(value);
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    put(field << 3 | 2);
    put(value.size());
    out_.append(value);
    return *this;
  }
  Message& numbers(std::uint32_t field, std::span<const std::uint64_t> values) {
    Message packed;
    for (const auto value : values) packed.put(value);
    return text(field, packed.out_);
  }
  Message& message(std::uint32_t field, const Message& value) { return text(field, value.out_); }
  const std::string& bytes() const { return out_; }

 private:
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  std::string out_;
};

// The numbers of fields, by message.
enum Field : std::uint32_t {
  kProfileSampleType = 1,
  kProfileSample = 2,
  kProfileMapping = 3,
  kProfileLocation = 4,
  kProfileFunction = 5,
  kProfileText = 6,
  kProfileTime = 9,
  kProfileDuration = 10,
  kProfilePeriodType = 11,
  kProfilePeriod = 12,
  kProfileComment = 13,
  kTypeName = 1,
  kTypeUnit = 2,
  kSampleLocations = 1,
  kSampleValues = 2,
  kMappingId = 1,
  kMappingBegin = 2,
  kMappingEnd = 3,
  kMappingOffset = 4,
  kMappingFile = 5,
  kMappingBuildId = 6,
  kMappingHasFunctions = 7,
  kLocationId = 1,
  kLocationMapping = 2,
  kLocationAddress = 3,
  kLocationLine = 4,
  kLineFunction = 1,
  kFunctionId = 1,
  kFunctionName = 2,
  kFunctionSystemName = 3,
};

class ProfileMaker {
 public:
  explicit ProfileMaker(ProgramSymbols& symbols) : symbols_(symbols) { text(""); }

  std::string make(const StackSamples& samples, const ProfileTimes& times) {
    profile_.message(kProfileSampleType, type("samples", "count")).message(kProfileSampleType, type("cpu", "nanoseconds"));
    for (const auto& [stack, count] : samples.stacks) add(stack, count);
    add_mappings();
    profile_.number(kProfileTime, static_cast<std::uint64_t>(times.began_nanos));
    profile_.number(kProfileDuration, static_cast<std::uint64_t>(times.lasted_nanos));
    profile_.message(kProfilePeriodType, type("cpu", "nanoseconds")).number(kProfilePeriod, kPeriod);
    if (samples.lost != 0) profile_.number(kProfileComment, text(std::to_string(samples.lost) + " samples were lost"));
    for (const auto& one : texts_) profile_.text(kProfileText, one);
    return profile_.bytes();
  }

 private:
  static constexpr auto kPeriod = static_cast<std::uint64_t>(StackSampler::kPeriodNanos);

  std::uint64_t text(const std::string& value) {
    const auto [found, is_new] = text_ids_.emplace(value, texts_.size());
    if (is_new) texts_.push_back(value);
    return found->second;
  }
  Message type(const std::string& name, const std::string& unit) {
    Message made;
    made.number(kTypeName, text(name)).number(kTypeUnit, text(unit));
    return made;
  }

  void add(const std::vector<std::uintptr_t>& stack, std::uint64_t count) {
    std::vector<std::uint64_t> locations;
    for (const auto address : stack) locations.push_back(location(address));
    const std::uint64_t values[] = {count, count * kPeriod};
    profile_.message(kProfileSample, Message().numbers(kSampleLocations, locations).numbers(kSampleValues, values));
  }

  std::uint64_t location(std::uintptr_t address) {
    const auto [found, is_new] = locations_.emplace(address, locations_.size() + 1);
    if (!is_new) return found->second;
    Message made;
    made.number(kLocationId, found->second).number(kLocationAddress, address);
    const auto* mapping = symbols_.mapping_of(address);
    const auto name = symbols_.function_at(address);
    if (mapping != nullptr) {
      made.number(kLocationMapping, static_cast<std::uint64_t>(mapping - symbols_.mappings().data()) + 1);
      auto& is_named = named_[mapping];
      is_named = is_named || !name.empty();
    }
    if (!name.empty()) made.message(kLocationLine, Message().number(kLineFunction, function(name)));
    profile_.message(kProfileLocation, made);
    return found->second;
  }

  std::uint64_t function(const std::string& name) {
    const auto [found, is_new] = functions_.emplace(name, functions_.size() + 1);
    if (is_new)
      profile_.message(
          kProfileFunction,
          Message().number(kFunctionId, found->second).number(kFunctionName, text(name)).number(kFunctionSystemName, text(name)));
    return found->second;
  }

  // All of them, so that their numbers are their places; the program itself is the first.
  void add_mappings() {
    std::uint64_t id = 0;
    for (const auto& mapping : symbols_.mappings()) {
      Message made;
      made.number(kMappingId, ++id).number(kMappingBegin, mapping.begin).number(kMappingEnd, mapping.end);
      made.number(kMappingOffset, mapping.offset).number(kMappingFile, text(mapping.file));
      if (const auto named = named_.find(&mapping); named != named_.end()) {
        made.number(kMappingBuildId, text(symbols_.build_id(mapping)));
        made.number(kMappingHasFunctions, named->second ? 1 : 0);
      }
      profile_.message(kProfileMapping, made);
    }
  }

  ProgramSymbols& symbols_;
  Message profile_;
  std::vector<std::string> texts_;
  std::map<std::string, std::uint64_t> text_ids_;
  std::map<std::uintptr_t, std::uint64_t> locations_;
  std::map<std::string, std::uint64_t> functions_;
  std::map<const CodeMapping*, bool> named_;  // those that are used; whether any of their functions is known
};

}  // namespace

std::string pprof_message(const StackSamples& samples, const ProfileTimes& times, ProgramSymbols& symbols) {
  return ProfileMaker(symbols).make(samples, times);
}

}  // namespace muster::daemon
