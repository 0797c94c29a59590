#include "sim/custom_defaults.h"

#include <array>

#include "base/assert.h"

namespace muster::sim {
namespace {

constexpr std::string_view kVolcanoScheduling = "scheduling.volcano.sh";

constexpr std::array kCustomDefaults{
    CustomDefault{kVolcanoScheduling, "podgroups", "spec.queue", R"("default")"},
    CustomDefault{kVolcanoScheduling, "podgroups", "spec.networkTopology.mode", R"("hard")"},
    CustomDefault{kVolcanoScheduling, "podgroups", "spec.subGroupPolicy[].networkTopology.mode", R"("hard")"},
    CustomDefault{kVolcanoScheduling, "podgroups", "spec.subGroupPolicy[].subGroupSize", "1"},
    CustomDefault{kVolcanoScheduling, "podgroups", "spec.subGroupPolicy[].minSubGroups", "0"},
    CustomDefault{kVolcanoScheduling, "queues", "spec.weight", "1"},
    CustomDefault{kVolcanoScheduling, "queues", "spec.dequeueStrategy", R"("traverse")"},
};

void set_below(Tree& holder, std::string_view path, const Tree& value) {
  if (!holder.is_map()) return;
  const auto dot = path.find('.');
  auto field = path.substr(0, dot);
  if (dot == std::string_view::npos) {
    if (auto& own = holder[field]; own.is_null()) own = value;
    return;
  }
  const auto rest = path.substr(dot + 1);
  const bool is_list = field.ends_with("[]");
  if (is_list) field.remove_suffix(2);
  auto* inner = holder.find(field);
  if (inner == nullptr) return;
  if (!is_list) return set_below(*inner, rest, value);
  if (inner->is_list())
    for (auto& item : *inner->as_list()) set_below(item, rest, value);
}

}  // namespace

std::span<const CustomDefault> custom_defaults() { return kCustomDefaults; }

void set_custom_defaults(const Kind& kind, Tree& object) {
  for (const auto& one : kCustomDefaults) {
    if (one.group != kind.group || one.plural != kind.plural) continue;
    const auto value = Tree::parse(one.value);
    MUSTER_ASSERT(value.has_value());
    set_below(object, one.path, *value);
  }
}

}  // namespace muster::sim
