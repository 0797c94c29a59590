#include "policy/kai/plugins/topology.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "policy/kai/session.h"

namespace muster::kai {
namespace {

constexpr double kNothingThere = 1000;
constexpr double kPerStep = 100'000;
constexpr double kSteps = 10;

bool is_active_below(const Session& session, const Job& job, SubGroupId part, const std::set<NodeId>* nodes) {
  const auto& node = job.part(part);
  if (!node.is_pod_set)
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](SubGroupId member) { return is_active_below(session, job, member, nodes); });
  return std::any_of(node.pods.begin(), node.pods.end(), [&](PodId pod) {
    const auto& task = session.cluster().task(pod);
    return kActiveAllocated.contains(task.status) && (nodes == nullptr || nodes->contains(task.node));
  });
}

}  // namespace

void Topology::open() {
  const auto& cluster = session().cluster();
  for (const auto& [name, topology] : cluster.topologies())
    trees_.emplace(name, TopologyTree(topology, session().books(), cluster.nodes_by_name()));
}

Topology::Demand Topology::demand_of(std::span<const PodId> tasks) const {
  const auto& books = session().books();
  const auto resources = books.resource_count();
  Demand demand{std::vector<std::int64_t>(resources), std::vector<std::int64_t>(resources), 0, 0, tasks.size(), true};
  std::vector<std::size_t> askers(resources);
  std::size_t gpu_askers = 0;
  for (const auto pod : tasks) {
    for (const auto& [resource, amount] : books.shape_of(pod).request) {
      const auto r = resource.index();
      demand.sum[r] += amount;
      demand.largest[r] = std::max(demand.largest[r], amount);
      if (amount > 0 && resource != kCpu && resource != kMemory && resource != session().cluster().gpu()) ++askers[r];
    }
    const auto& gpu = session().cluster().task(pod).gpu;
    if (gpu.gpus() > 0) ++gpu_askers;
    if (!gpu.shared()) continue;
    const auto r = session().cluster().gpu().index();
    demand.sum[r] += std::llround(gpu.on_node() * static_cast<double>(kWholeGpu));
    demand.gpu_portion = std::max(demand.gpu_portion, gpu.portion);
    demand.gpu_devices = std::max(demand.gpu_devices, gpu.devices);
  }
  demand.alike = gpu_askers == 0 || gpu_askers == tasks.size();
  for (const auto count : askers) demand.alike = demand.alike && (count == 0 || count == tasks.size());
  return demand;
}

std::int64_t Topology::pods_on(NodeId node, const Demand& demand) const {
  const auto& books = session().books();
  const auto& ledgers = books.ledgers();
  const auto gpu = session().cluster().gpu();
  auto most = std::numeric_limits<std::int64_t>::max();
  bool asks = demand.gpu_portion > 0;
  for (std::size_t r = 0; r < demand.largest.size(); ++r) {
    const auto amount = demand.largest[r];
    if (amount == 0 && ledgers.allocatable[r][node.index()] == 0) continue;
    const auto free = ledgers.allocatable[r][node.index()] == 0 ? 0 : books.free_later(ResourceId(r), node);
    if (amount > free) return 0;
    if (amount == 0) continue;
    most = std::min(most, free / amount);
    asks |= ResourceId(r) != kPodCount;
  }
  if (demand.gpu_portion > 0) {
    const auto& info = session().cluster().node_info(node);
    auto free = static_cast<double>(books.free_later(gpu, node)) / static_cast<double>(kWholeGpu);
    for (const auto& group : info.groups)
      if (group.used > 0) free += 1 - info.portion_of_memory(group.allocated - group.releasing);
    const auto asked = gpus_of(demand.gpu_portion, demand.gpu_devices);
    most = std::min(most, static_cast<std::int64_t>(std::floor(free / asked)));
  }
  return asks ? std::max<std::int64_t>(most, 0) : static_cast<std::int64_t>(demand.tasks);
}

void Topology::look_below(TopologyTree& tree, DomainId id, const Demand& demand) {
  const auto& books = session().books();
  auto& room = rooms_[id];
  room.free.assign(demand.sum.size(), 0);
  room.pods = demand.alike ? std::optional<std::int64_t>(0) : std::nullopt;
  const auto& domain = tree[id];
  if (domain.children.empty())
    for (const auto node : domain.nodes) {
      for (std::size_t r = 0; r < room.free.size(); ++r) room.free[r] += books.free_later(ResourceId(r), node);
      if (room.pods) *room.pods += pods_on(node, demand);
    }
  for (const auto child : domain.children) {
    look_below(tree, child, demand);
    for (std::size_t r = 0; r < room.free.size(); ++r) room.free[r] += rooms_[child].free[r];
    if (room.pods) *room.pods += *rooms_[child].pods;
  }
}

double Topology::fullness(const Demand& demand, DomainId id) const {
  double ratio = 0;
  for (std::size_t r = 0; r < demand.sum.size(); ++r) {
    if (demand.sum[r] == 0 || ResourceId(r) == kPodCount) continue;
    const auto free = rooms_[id].free.empty() ? 0 : rooms_[id].free[r];
    ratio = std::max(ratio, free <= 0 ? kNothingThere : static_cast<double>(demand.sum[r]) / static_cast<double>(free));
  }
  return ratio;
}

bool Topology::fits(const Demand& demand, DomainId id) const {
  if (rooms_[id].pods) return *rooms_[id].pods >= static_cast<std::int64_t>(demand.tasks);
  return fullness(demand, id) <= 1;
}

// The fullest first, down to a level. The order stays for later questions about other parts of the tree.
void Topology::sort_below(TopologyTree& tree, DomainId id, std::size_t deepest, const Demand& demand) {
  auto& children = tree[id].children;
  std::vector<std::pair<double, DomainId>> keyed;
  for (const auto child : children) keyed.emplace_back(fullness(demand, child), child);
  std::sort(keyed.begin(), keyed.end(), [&](const auto& l, const auto& r) {
    return l.first != r.first ? l.first > r.first : tree[l.second].name < tree[r.second].name;
  });
  std::transform(keyed.begin(), keyed.end(), children.begin(), [](const auto& entry) { return entry.second; });
  if (tree[id].level == deepest) return;
  for (const auto child : children) sort_below(tree, child, deepest, demand);
}

void Topology::score_nodes(const TopologyTree& tree, DomainId id, std::size_t level, SubGroupId part) {
  auto& scores = scores_[part];
  scores.clear();
  const auto domains = tree.at_level(id, level);
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const auto score = std::floor(static_cast<double>(i + 1) / static_cast<double>(domains.size()) * kSteps) * kPerStep;
    for (const auto node : tree[domains[i]].nodes) scores[node] = score;
  }
}

// From the preferred level up to the required one, or to the root. Where tasks of the part stand already, it has to stay.
std::vector<DomainId> Topology::candidates(const Job& job, SubGroupId part, const TopologyTree& tree, const Levels& levels,
                                           const Demand& demand, std::size_t& misfits) const {
  const auto narrowest = levels.preferred != 0 ? levels.preferred : levels.required;
  const auto widest = levels.required;
  const bool stays = levels.required != 0 && is_active_below(session(), job, part, nullptr);
  std::set<DomainId> allowed;
  if (stays)
    for (const auto top : tree.at_level(tree.root(), levels.required)) {
      const std::set<NodeId> nodes(tree[top].nodes.begin(), tree[top].nodes.end());
      if (!is_active_below(session(), job, part, &nodes)) continue;
      for (std::size_t level = levels.required; level <= tree.deepest_level(); ++level)
        for (const auto id : tree.at_level(top, level)) allowed.insert(id);
    }
  std::vector<DomainId> found;
  misfits = 0;
  for (const auto id : tree.bottom_up()) {
    const auto level = tree[id].level;
    if (level > narrowest || level < widest || (stays && !allowed.contains(id))) continue;
    if (fits(demand, id))
      found.push_back(id);
    else if (level == widest)
      ++misfits;
  }
  return found;
}

Result<std::optional<std::vector<NodeSet>>> Topology::subset_nodes(Job& job, SubGroupId part, std::span<const PodId> tasks,
                                                                   const NodeSet& nodes) {
  const auto& constraint = job.part(part).constraint;
  using Sets = std::optional<std::vector<NodeSet>>;
  if (constraint.topology.empty()) return Sets();
  const auto found = trees_.find(constraint.topology);
  if (found == trees_.end()) {
    job.fail(FitReason::kPodSchedulingErrors, "the topology " + constraint.topology + " does not exist");
    return Sets(std::vector<NodeSet>());
  }
  if (tasks.empty()) return Sets();
  auto& tree = found->second;
  const Levels levels{tree.find_level(constraint.required_level), tree.find_level(constraint.preferred_level)};
  if (!constraint.required_level.empty() && levels.required == 0) return fail("no level " + constraint.required_level);
  if (!constraint.preferred_level.empty() && levels.preferred == 0) return fail("no level " + constraint.preferred_level);
  if (levels.required == 0 && levels.preferred == 0) return fail("no level is named");
  if (levels.preferred != 0 && levels.preferred < levels.required)
    return fail("the preferred level is wider than the required one");

  const auto demand = demand_of(tasks);
  const auto narrowest = levels.preferred != 0 ? levels.preferred : levels.required;
  const auto common = tree.common_domain(nodes, levels.preferred != 0 ? levels.preferred : tree.deepest_level());
  rooms_.assign(tree.size(), {});
  look_below(tree, common, demand);
  if (!fits(demand, common)) {
    job.fail(FitReason::kPodSchedulingErrors,
             "not enough room in domain " + tree[common].name + " of topology " + constraint.topology);
    return Sets(std::vector<NodeSet>());
  }
  sort_below(tree, common, narrowest, demand);
  if (levels.preferred != 0) score_nodes(tree, common, levels.preferred, part);
  std::size_t misfits = 0;
  const auto domains = candidates(job, part, tree, levels, demand, misfits);
  if (domains.empty()) {
    for (std::size_t i = 0; i < misfits; ++i) job.fail(FitReason::kNotEnoughResources, "not enough room in a domain");
    job.fail(FitReason::kPodSchedulingErrors, "no domain of topology " + constraint.topology + " takes all of it");
  }
  const std::set<NodeId> given(nodes.begin(), nodes.end());
  std::vector<NodeSet> sets;
  for (const auto id : domains) {
    sets.emplace_back();
    for (const auto node : tree[id].nodes)
      if (given.contains(node)) sets.back().push_back(node);
  }
  return Sets(std::move(sets));
}

void Topology::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (scores_.empty()) return;
  const auto& job = session().cluster().job_of(pod);
  auto part = session().cluster().task(pod).pod_set;
  while (part && !scores_.contains(part)) part = job.part(part).parent;
  if (!part) return;
  const auto& scores = scores_[part];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto found = scores.find(nodes[i]);
    totals[i] += found == scores.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
}

}  // namespace muster::kai
