#include "policy/kai/gpu_capacity.h"

namespace muster::kai {
namespace {

GpuCapacity capacity_of(const Cluster& cluster, NodeId node, std::int64_t whole, const std::vector<Column>& column,
                        const std::vector<Column>* less) {
  const auto& books = cluster.books();
  GpuCapacity capacity;
  capacity.gpus = static_cast<double>(whole) / static_cast<double>(kWholeGpu);
  if (cluster.node_info(node).mig)
    for (std::size_t r = kFixedResources; r < column.size(); ++r)
      if (const auto slices = mig_gpus(books.resource_name(ResourceId(r))); slices > 0) {
        const auto amount = column[r][node.index()] - (less == nullptr ? 0 : (*less)[r][node.index()]);
        capacity.gpus += static_cast<double>(slices * amount);
      }
  capacity.memory = static_cast<std::int64_t>(capacity.gpus) * cluster.node_info(node).gpu_memory;
  return capacity;
}

}  // namespace

GpuCapacity idle_gpus(const Cluster& cluster, NodeId node) {
  const auto& ledgers = cluster.books().ledgers();
  const auto& info = cluster.node_info(node);
  auto capacity = capacity_of(cluster, node, ledgers.idle[cluster.gpu().index()][node.index()], ledgers.idle, nullptr);
  for (const auto& group : info.groups) {
    if (group.allocated <= 0) continue;
    capacity.gpus += 1 - info.portion_of_memory(group.allocated);
    capacity.memory += info.gpu_memory - group.allocated;
  }
  return capacity;
}

GpuCapacity releasing_gpus(const Cluster& cluster, NodeId node) {
  const auto& ledgers = cluster.books().ledgers();
  const auto& info = cluster.node_info(node);
  const auto r = cluster.gpu().index();
  const auto n = node.index();
  auto capacity =
      capacity_of(cluster, node, ledgers.releasing[r][n] - ledgers.pipelined[r][n], ledgers.releasing, &ledgers.pipelined);
  for (const auto& group : info.groups) {
    if (group.releasing <= 0 || (group.used != 0 && group.releasing == group.used)) continue;
    capacity.gpus += info.portion_of_memory(group.releasing);
    capacity.memory += group.releasing;
  }
  return capacity;
}

}  // namespace muster::kai
