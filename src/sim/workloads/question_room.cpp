#include "sim/workloads/question_room.h"

#include <fmt/format.h>

#include "sim/fields.h"

namespace muster::sim {
namespace {

constexpr std::size_t kHeapBlock = 16;  // that an allocator needs for itself

std::size_t beside(const std::string& text) {
  const bool is_inside = text.capacity() <= std::string().capacity();
  return is_inside ? 0 : text.capacity() + 1 + kHeapBlock;
}

// What all copies of it are, by one of them.
std::size_t copied(std::int64_t copies, std::size_t each) { return static_cast<std::size_t>(copies) * each; }

}  // namespace

std::size_t footprint(const Tree& tree) {
  auto out = sizeof(Tree);
  if (const auto* text = tree.as_string()) out += beside(*text);
  if (const auto* number = tree.as_number()) out += beside(number->text);
  if (const auto* list = tree.as_list(); list != nullptr && !list->empty()) {
    out += kHeapBlock;
    for (const auto& item : *list) out += footprint(item);
  }
  if (const auto* map = tree.as_map(); map != nullptr && !map->empty()) {
    out += kHeapBlock;
    for (const auto& [key, value] : *map) out += sizeof(std::string) + beside(key) + footprint(value);
  }
  return out;
}

Result<MadePods> room_for(const Submitted& workload, const std::string& field, const std::vector<PodsAsked>& asked) {
  const auto refuse = [&](std::string why) { return fail(refused_workload(workload, field, std::move(why))); };
  if (asked.size() > kMostParts)
    return refuse(fmt::format("it has {} parts: {} at most can be asked about", asked.size(), kMostParts));
  std::int64_t pods = 0;
  for (const auto& part : asked) pods = bounded(pods + part.count);
  if (pods < 1) return refuse("it asks for no pods");
  if (pods > static_cast<std::int64_t>(kMostPods))
    return refuse(fmt::format("it asks for {} pods: {} at most can be asked about", pods, kMostPods));
  MadePods out;
  std::size_t memory = 0;
  const auto add = [&](std::int64_t copies, const Tree* of) {
    if (of == nullptr || copies < 1) return;
    out.text += copied(copies, of->text().size());
    memory += copied(copies, footprint(*of));
  };
  for (const auto& part : asked) add(part.count, part.from);
  add(pods, workload.object.find("metadata"));  // groupers look at it for every pod, and may copy it
  if (out.text > kMostText)
    return refuse(fmt::format("its pods are {} MiB of text together: {} MiB at most can be asked about", out.text / kMebibyte,
                              kMostText / kMebibyte));
  if (memory > kMostMemory)
    return refuse(fmt::format("its pods take {} MiB of memory together: {} MiB at most can be asked about", memory / kMebibyte,
                              kMostMemory / kMebibyte));
  out.pods.reserve(static_cast<std::size_t>(pods));
  return out;
}

}  // namespace muster::sim
