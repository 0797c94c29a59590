#include "policy/kai/plugins/nodeplacement.h"

#include <algorithm>
#include <limits>

#include "policy/kai/session.h"

namespace muster::kai {

NodePlacement::NodePlacement(Session& session, const PluginOption& option)
    : Plugin(session),
      spreads_gpu_(option.arguments.get("gpu", "") == "spread"),
      spreads_cpu_(option.arguments.get("cpu", "") == "spread") {}

namespace {

constexpr double kFullest = 9;

struct Range {
  double least = std::numeric_limits<double>::max();
  double most = 0;
};

}  // namespace

void NodePlacement::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto& cluster = session().cluster();
  const bool by_gpu = cluster.task(pod).gpu.any();
  const auto resource = by_gpu ? cluster.gpu() : kCpu;
  if (by_gpu ? spreads_gpu_ : spreads_cpu_)
    spread(resource, nodes, totals);
  else
    pack(resource, nodes, totals);
}

void NodePlacement::pack(ResourceId resource, std::span<const NodeId> nodes, std::span<double> totals) const {
  const auto& books = session().books();
  const auto& allocatable = books.ledgers().allocatable[resource.index()];
  Range range;
  for (const auto node : nodes) {
    if (allocatable[node.index()] == 0) continue;
    const auto free = static_cast<double>(books.free_later(resource, node));
    range.least = std::min(range.least, free);
    range.most = std::max(range.most, free);
  }
  if (range.most == 0) return;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (allocatable[nodes[i].index()] == 0) continue;
    const auto free = static_cast<double>(books.free_later(resource, nodes[i]));
    totals[i] += range.least == range.most ? kFullest : kFullest * (1 - (free - range.least) / (range.most - range.least));
  }
}

void NodePlacement::spread(ResourceId resource, std::span<const NodeId> nodes, std::span<double> totals) const {
  const auto& cluster = session().cluster();
  const auto& books = session().books();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto total = books.ledgers().allocatable[resource.index()][nodes[i].index()];
    if (const auto& label = cluster.node_info(nodes[i]).gpu_count_label; resource == cluster.gpu() && label)
      total = *label * kWholeGpu;
    if (total != 0) totals[i] += static_cast<double>(books.free_later(resource, nodes[i])) / static_cast<double>(total);
  }
}

NodeScores NodePlacement::node_scores(PodId pod) {
  const bool spreads = session().cluster().task(pod).gpu.any() ? spreads_gpu_ : spreads_cpu_;
  return spreads ? NodeScores::kWhole : NodeScores::kPacking;
}

}  // namespace muster::kai
