#include "app/node_bars.h"

#include <algorithm>
#include <string_view>

#include "engine/filters/node_affinity.h"
#include "engine/filters/tolerance.h"

namespace muster {
namespace {

constexpr std::string_view kTroubles[] = {"node.kubernetes.io/not-ready",       "node.kubernetes.io/unreachable",
                                          "node.kubernetes.io/memory-pressure", "node.kubernetes.io/disk-pressure",
                                          "node.kubernetes.io/pid-pressure",    "node.kubernetes.io/network-unavailable"};

std::string taint_text(const Taint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + std::string(name_of(taint.effect));
}

bool is_of_cordon(const Taint& taint) {
  return taint.key == "node.kubernetes.io/unschedulable" && taint.effect == TaintEffect::kNoSchedule;
}

}  // namespace

NodeBars bars_on(const NodeRecord& node, const PodShape& shape) {
  NodeBars out;
  out.unselected = !selects(shape, node);
  out.cordoned = node.unschedulable;
  for (const auto& taint : node.taints) {
    if (!repels(taint) || accepts(shape.tolerations, taint) || (node.unschedulable && is_of_cordon(taint))) continue;
    const bool passes = std::ranges::find(kTroubles, taint.key) != std::end(kTroubles);
    (passes ? out.passing : out.taints).push_back(taint_text(taint));
  }
  return out;
}

}  // namespace muster
