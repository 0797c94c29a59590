#include "policy/kai/domain_rooms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace muster::kai {
namespace {

constexpr std::size_t kMostCounts = 64;
constexpr double kNothingFree = 1000;  // the ratio of what is asked for to nothing

// Parts of shared GPUs that are not in use, added up as if they were one device.
double shared_parts(const NodeInfo& info) {
  if (info.gpu_memory <= 0) return 0;
  double parts = 0;
  for (const auto& group : info.groups) {
    const auto free = info.gpu_memory - group.allocated + group.releasing;
    if (group.used > 0 && free > 0) parts += static_cast<double>(free) / static_cast<double>(info.gpu_memory);
  }
  return parts;
}

}  // namespace

Demand::Demand(const Cluster& cluster, std::span<const PodId> pods) : tasks(pods.size()) {
  const auto resources = cluster.books().resource_count();
  const auto gpu = cluster.gpu().index();
  sum.assign(resources, 0);
  largest.assign(resources, 0);
  std::vector<std::size_t> askers(resources, 0);
  const auto ask = [&](std::size_t r, double amount) {
    sum[r] += amount;
    largest[r] = std::max(largest[r], amount);
    askers[r] += amount > 0 ? 1 : 0;
  };
  for (const auto pod : pods) {
    for (const auto& [id, amount] : cluster.books().shape_of(pod).request)
      if (id.index() != gpu) ask(id.index(), static_cast<double>(amount));
    ask(gpu, cluster.task(pod).gpu.gpus());
  }
  for (std::size_t r = 0; r < resources; ++r) {
    const bool by_amount = r == kCpu.index() || r == kMemory.index();
    if (!by_amount && askers[r] != 0 && askers[r] != tasks) alike = false;
    if (r == kPodCount.index() ? largest[r] > 1 : largest[r] > 0) slots_only = false;
  }
}

DomainRooms::DomainRooms(const Cluster& cluster, const KaiTopology& topology)
    : cluster_(cluster),
      tree_(topology, cluster.books(), cluster.nodes_by_name()),
      facts_version_(cluster.books().node_facts_version()) {}

double DomainRooms::in_units(std::size_t resource, std::int64_t amount) const {
  const auto plain = static_cast<double>(amount);
  return resource == cluster_.gpu().index() ? plain / static_cast<double>(kWholeGpu) : plain;
}

// Of a resource that a node does not have there is nothing, even if a pod on it asks for some.
std::int64_t DomainRooms::free_on(std::size_t resource, NodeId node) const {
  const auto& books = cluster_.books();
  return books.ledgers().allocatable[resource][node.index()] == 0 ? 0 : books.free_later(ResourceId(resource), node);
}

std::int64_t DomainRooms::tasks_on(const std::vector<double>& size, NodeId node) const {
  const auto gpu = cluster_.gpu().index();
  double most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t r = 0; r < size.size(); ++r) {
    auto free = in_units(r, free_on(r, node));
    if (r == gpu && size[r] > 0 && size[r] < 1) free += shared_parts(cluster_.node_info(node));
    if (size[r] > free) return 0;
    if (size[r] > 0) most = std::min(most, free / size[r]);
  }
  return static_cast<std::int64_t>(most);
}

void DomainRooms::add_up(NodeId node, std::vector<std::int64_t>& in_domain, std::int64_t change) const {
  if (change == 0) return;
  for (auto at = tree_.domain_of(node, tree_.levels()); at; at = tree_[at].parent) in_domain[at.index()] += change;
}

// Calls repair(node) for each node of the tree that changed since the cursor, or for all when that is less work.
template <class Repair>
void DomainRooms::follow(std::uint64_t& cursor, bool& fresh, Repair repair) const {
  const auto& books = cluster_.books();
  const auto& nodes = tree_[tree_.root()].nodes;
  const auto end = books.log_end();
  if (fresh || cursor < books.log_start() || end - cursor > nodes.size()) {
    for (const auto node : nodes) repair(node);
  } else {
    for (auto at = cursor; at < end; ++at)
      if (const auto node = books.logged(at); tree_.domain_of(node, 0)) repair(node);
  }
  cursor = end;
  fresh = false;
}

void DomainRooms::update_sums() {
  const auto resources = cluster_.books().resource_count();
  if (on_node_.size() != resources) {
    on_node_.assign(resources, std::vector<std::int64_t>(cluster_.books().node_count(), 0));
    in_domain_.assign(resources, std::vector<std::int64_t>(tree_.size(), 0));
    fresh_ = true;
  }
  follow(cursor_, fresh_, [&](NodeId node) {
    for (std::size_t r = 0; r < resources; ++r) {
      auto& known = on_node_[r][node.index()];
      const auto free = free_on(r, node);
      add_up(node, in_domain_[r], free - known);
      known = free;
    }
  });
}

DomainRooms::Count& DomainRooms::count_of(const std::vector<double>& size) {
  const auto known = std::find_if(counts_.begin(), counts_.end(), [&](const Count& count) { return count.size == size; });
  if (known != counts_.end()) return *known;
  if (counts_.size() == kMostCounts) counts_.pop_front();
  auto& count = counts_.emplace_back();
  count.size = size;
  count.on_node.assign(cluster_.books().node_count(), 0);
  count.in_domain.assign(tree_.size(), 0);
  return count;
}

DomainRooms::View DomainRooms::view(const Demand& demand) {
  update_sums();
  if (!demand.alike || demand.slots_only) return {*this, demand, nullptr};
  auto& count = count_of(demand.largest);
  follow(count.cursor, count.fresh, [&](NodeId node) {
    auto& known = count.on_node[node.index()];
    const auto tasks = tasks_on(count.size, node);
    add_up(node, count.in_domain, tasks - known);
    known = tasks;
  });
  return {*this, demand, &count.in_domain};
}

std::int64_t DomainRooms::View::takes(DomainId domain) const {
  if (counts_ != nullptr) return (*counts_)[domain.index()];
  return demand_.slots_only ? static_cast<std::int64_t>(demand_.tasks * rooms_.tree_[domain].nodes.size()) : 0;
}

bool DomainRooms::View::fits(DomainId domain) const {
  return demand_.alike ? takes(domain) >= static_cast<std::int64_t>(demand_.tasks) : ratio(domain) <= 1;
}

double DomainRooms::View::free(std::size_t resource, DomainId domain) const {
  return rooms_.in_units(resource, rooms_.in_domain_[resource][domain.index()]);
}

double DomainRooms::View::ratio(DomainId domain) const {
  double most = 0;
  for (std::size_t r = 0; r < demand_.sum.size(); ++r) {
    if (demand_.sum[r] <= 0 || r == kPodCount.index()) continue;
    const auto left = free(r, domain);
    most = std::max(most, left <= 0 ? kNothingFree : demand_.sum[r] / left);
  }
  return most;
}

}  // namespace muster::kai
