#include "sim/protobuf_messages.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/assert.h"
#include "base/split.h"

namespace muster::sim {
namespace {

constexpr std::string_view kMetaVersion = "meta.k8s.io/v1";
constexpr std::string_view kCoreVersion = "v1";

constexpr std::array<std::pair<std::string_view, WireForm>, 5> kWireForms{{{"Quantity", WireForm::kQuantity},
                                                                           {"IntOrString", WireForm::kIntOrString},
                                                                           {"Time", WireForm::kTime},
                                                                           {"MicroTime", WireForm::kMicroTime},
                                                                           {"Json", WireForm::kJson}}};
constexpr std::array<std::pair<std::string_view, WireValue>, 6> kWireValues{{{"string", WireValue::kText},
                                                                             {"bool", WireValue::kBool},
                                                                             {"int32", WireValue::kInt32},
                                                                             {"int64", WireValue::kInt64},
                                                                             {"bytes", WireValue::kBytes},
                                                                             {"raw", WireValue::kRaw}}};

template <class Table>
auto in_table(const Table& table, std::string_view name) {
  return std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == name; });
}

// The words of a table, one by one; empty when there are no more. Commas are for the eye.
class TableWords {
 public:
  explicit TableWords(std::string_view text) : rest_(text) {}

  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n,"), rest_.size()));
    const auto word = rest_.substr(0, rest_.find_first_of(" \n,"));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

// Reads the tables. What is wrong with them is a bug.
class Messages {
 public:
  Messages() {
    for (const auto& table : message_tables()) add_names(table);
    for (const auto& table : message_tables()) add_fields(table);
  }

  const WireMessage* find(std::string_view api_version, std::string_view name) const {
    const auto found = by_name_.find({api_version, name});
    return found == by_name_.end() ? nullptr : &found->second;
  }
  std::vector<const WireMessage*> all() const {
    std::vector<const WireMessage*> out;
    for (const auto& [name, message] : by_name_) out.push_back(&message);
    return out;
  }

 private:
  void add_names(const MessageTable& table) {
    TableWords words(table.text);
    for (auto word = words.next(); !word.empty(); word = words.next()) {
      if (!word.ends_with(':')) continue;
      word.remove_suffix(1);
      const auto* form = in_table(kWireForms, word);
      const bool is_new = by_name_
                              .try_emplace({table.api_version, word},
                                           WireMessage{word, form == kWireForms.end() ? WireForm::kObject : form->second})
                              .second;
      MUSTER_ASSERT(is_new);
    }
  }

  void add_fields(const MessageTable& table) {
    TableWords words(table.text);
    WireMessage* message = nullptr;
    for (auto word = words.next(); !word.empty(); word = words.next()) {
      if (word.ends_with(':')) {
        message = &by_name_.at({table.api_version, word.substr(0, word.size() - 1)});
        continue;
      }
      const auto number = parse_integer(word);
      const auto name = words.next();
      MUSTER_ASSERT(message != nullptr && number.has_value() && message->find(static_cast<std::uint32_t>(*number)) == nullptr);
      MUSTER_ASSERT(message->fields.size() < kMostWireFields);
      message->fields.push_back(field(table.api_version, static_cast<std::uint32_t>(*number), name, words.next()));
    }
  }

  WireField field(std::string_view api_version, std::uint32_t number, std::string_view name, std::string_view type) const {
    WireField out{number, name};
    out.drops_zero = name.ends_with('?');
    if (out.drops_zero) out.name.remove_suffix(1);
    if (name == "inline") out.shape = WireShape::kInline;
    if (type.starts_with('[')) out.shape = WireShape::kList;
    if (type.starts_with('{')) out.shape = WireShape::kMap;
    if (out.shape == WireShape::kList || out.shape == WireShape::kMap) type = type.substr(1, type.size() - 2);
    if (const auto* value = in_table(kWireValues, type); value != kWireValues.end()) {
      out.value = value->second;
      return out;
    }
    out.value = WireValue::kMessage;
    for (const auto version : {api_version, kCoreVersion, kMetaVersion})
      if (out.message == nullptr) out.message = find(version, type);
    MUSTER_ASSERT(out.message != nullptr);
    return out;
  }

  std::map<std::pair<std::string_view, std::string_view>, WireMessage> by_name_;
};

const Messages& messages() {
  static const Messages kMessages;
  return kMessages;
}

}  // namespace

const WireField* WireMessage::find(std::uint32_t number) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const WireField& field) { return field.number == number; });
  return found == fields.end() ? nullptr : &*found;
}

const WireMessage* find_message(std::string_view api_version, std::string_view kind) {
  return messages().find(kind == "DeleteOptions" ? kMetaVersion : api_version, kind);
}

const WireMessage& envelope_message() { return *messages().find(kMetaVersion, "Unknown"); }

std::vector<const WireMessage*> all_messages() { return messages().all(); }

}  // namespace muster::sim
