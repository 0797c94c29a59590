#include "policy/kai/plugins/topology.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "policy/kai/session.h"

namespace muster::kai {
namespace {

constexpr double kHighest = 10;
constexpr double kPerStep = 100'000;

bool is_below(const Job& job, SubGroupId pod_set, SubGroupId part) {
  for (auto at = pod_set; at; at = job.part(at).parent)
    if (at == part) return true;
  return false;
}

// Those of a domain's nodes that are among the given ones, which are all of the cluster's more often than not.
class Intersection {
 public:
  Intersection(const Cluster& cluster, const NodeSet& nodes) : all_(nodes.size() == cluster.nodes_by_name().size()) {
    if (all_) return;
    wanted_.assign(cluster.books().node_count(), 0);
    for (const auto node : nodes) wanted_[node] = 1;
  }
  NodeSet with(const NodeSet& domain) const {
    if (all_) return domain;
    NodeSet both;
    std::copy_if(domain.begin(), domain.end(), std::back_inserter(both), [&](NodeId node) { return wanted_[node] != 0; });
    return both;
  }

 private:
  bool all_;
  IdVector<NodeId, char> wanted_;
};

}  // namespace

Result<std::optional<std::vector<NodeSet>>> Topology::subset_nodes(Job& job, SubGroupId part, std::span<const PodId> tasks,
                                                                   const NodeSet& nodes) {
  const auto& constraint = job.part(part).constraint;
  if (constraint.topology.empty()) return std::optional<std::vector<NodeSet>>();
  auto* rooms = session().cluster().domain_rooms(constraint.topology);
  if (rooms == nullptr) {
    job.fail(FitReason::kPodSchedulingErrors, "topology " + constraint.topology + " does not exist",
             "Requested topology " + constraint.topology + " does not exist");
    return std::optional(std::vector<NodeSet>());
  }
  const auto& tree = rooms->tree();
  const auto preferred = tree.depth_of(constraint.preferred_level);
  const auto common = tree.common(nodes, deepest_common(tree, constraint));
  const Demand demand(session().cluster(), tasks);
  const auto view = rooms->view(demand);
  if (!view.fits(common)) {
    if (!job.is_trial) note_too_little(job, part, tree, common);
    return std::optional(std::vector<NodeSet>());
  }
  const auto tried = depths(tree, constraint);
  if (!tried) return fail(tried.error());
  const auto order = order_below(tree, view, common, tried->deepest);
  if (preferred) keep_scores(part, tree, order, *preferred);

  const auto held = constraint.required_level.empty() ? std::nullopt : occupied(job, part, tasks, tree, tried->widest);
  const Intersection given(session().cluster(), nodes);
  std::vector<NodeSet> sets;
  for (const auto domain : domains_with_room(tree, view, common, order, *tried, held))
    sets.push_back(given.with(tree[domain].nodes));
  if (sets.empty() && !job.is_trial) note_full(job, part, view, {&tree, common, tried->widest, held});
  return std::optional(std::move(sets));
}

// The level that nodes in question may have in common at most.
std::size_t Topology::deepest_common(const DomainTree& tree, const KaiTopologyConstraint& constraint) {
  if (const auto preferred = tree.depth_of(constraint.preferred_level); preferred && *preferred > 0) return *preferred;
  const auto required = tree.depth_of(constraint.required_level);
  return required && *required > 0 && !session().keeps(Quirk::kLoneNodes) ? *required : tree.levels();
}

// Bottom up. Domains outside of what the given nodes have in common are not in order, and nothing in them counts as free; tasks
// that need no more than a slot would go there all the same.
std::vector<DomainId> Topology::domains_with_room(const DomainTree& tree, const DomainRooms::View& view, DomainId common,
                                                  const Order& order, const Depths& tried, const Held& held) {
  std::vector<DomainId> domains;
  for (auto depth = tried.deepest + 1; depth-- > tried.widest;) {
    for (const auto domain : order[depth])
      if (may_take(tree, held, domain) && view.fits(domain)) domains.push_back(domain);
    if (!view.demand().slots_only) continue;
    for (const auto domain : tree.at_depth(depth))
      if (!tree.is_within(domain, common) && may_take(tree, held, domain)) domains.push_back(domain);
  }
  return domains;
}

bool Topology::may_take(const DomainTree& tree, const Held& held, DomainId domain) {
  return !held || std::any_of(held->begin(), held->end(), [&](DomainId within) { return tree.is_within(domain, within); });
}

Result<Topology::Depths> Topology::depths(const DomainTree& tree, const KaiTopologyConstraint& constraint) {
  const auto& [topology, required_level, preferred_level] = constraint;
  if (required_level.empty() && preferred_level.empty()) return fail("no level of topology " + topology + " is asked for");
  const auto required = tree.depth_of(required_level);
  const auto preferred = tree.depth_of(preferred_level);
  if (!required_level.empty() && !required) return fail("topology " + topology + " has no level " + required_level);
  if (!preferred_level.empty() && (!preferred || (required && *preferred < *required)))
    return fail("topology " + topology + " has no level " + preferred_level + " at or below what is required");
  return Depths{preferred ? *preferred : *required, required ? *required : 0};
}

Topology::Order Topology::order_below(const DomainTree& tree, const DomainRooms::View& view, DomainId from, std::size_t deepest) {
  struct Rank {
    double ratio;
    DomainId domain;
  };
  Order order(std::max(deepest, tree[from].depth) + 1);
  order[tree[from].depth] = {from};
  std::vector<Rank> ranks;
  for (auto depth = tree[from].depth; depth < deepest; ++depth)
    for (const auto domain : order[depth]) {
      ranks.clear();
      for (const auto child : tree[domain].children) ranks.push_back({view.ratio(child), child});
      std::sort(ranks.begin(), ranks.end(), [&](const Rank& l, const Rank& r) {
        return l.ratio != r.ratio ? l.ratio > r.ratio : tree[l.domain].name < tree[r.domain].name;
      });
      for (const auto& rank : ranks) order[depth + 1].push_back(rank.domain);
    }
  return order;
}

void Topology::keep_scores(SubGroupId part, const DomainTree& tree, const Order& order, std::size_t depth) {
  auto& scores = scores_[part];
  scores.tree = &tree;
  scores.depth = depth;
  scores.points.assign(tree.size(), std::numeric_limits<double>::quiet_NaN());
  const auto& domains = order[depth];
  for (std::size_t i = 0; i < domains.size(); ++i)
    scores.points[domains[i]] = std::floor(static_cast<double>(i + 1) / static_cast<double>(domains.size()) * kHighest) * kPerStep;
}

// The original looks at those that have tasks to place.
std::vector<SubGroupId> Topology::bound_together(const Job& job, SubGroupId part, std::span<const PodId> tasks) const {
  std::vector<SubGroupId> pod_sets;
  if (!session().keeps(Quirk::kSplitTopologies)) {
    for (const auto id : job.groups.pod_sets())
      if (is_below(job, id, part)) pod_sets.push_back(id);
    return pod_sets;
  }
  for (const auto pod : tasks)
    if (const auto id = session().cluster().task(pod).pod_set; std::find(pod_sets.begin(), pod_sets.end(), id) == pod_sets.end())
      pod_sets.push_back(id);
  return pod_sets;
}

Topology::Held Topology::occupied(const Job& job, SubGroupId part, std::span<const PodId> tasks, const DomainTree& tree,
                                  std::size_t required) const {
  const auto& cluster = session().cluster();
  const auto pod_sets = bound_together(job, part, tasks);
  if (std::none_of(pod_sets.begin(), pod_sets.end(), [&](SubGroupId id) { return job.part(id).active_allocated > 0; }))
    return std::nullopt;
  std::vector<DomainId> domains;
  for (const auto id : pod_sets)
    for (const auto pod : job.part(id).pods) {
      const auto& task = cluster.task(pod);
      if (!kActiveAllocated.contains(task.status) || !task.node) continue;
      if (const auto domain = tree.domain_of(task.node, required)) domains.push_back(domain);
    }
  std::sort(domains.begin(), domains.end());
  domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  return domains;
}

const Topology::Scores* Topology::scores_for(PodId pod) const {
  if (scores_.empty()) return nullptr;
  const auto& cluster = session().cluster();
  const auto& job = cluster.job_of(pod);
  for (auto part = cluster.task(pod).pod_set; part; part = job.part(part).parent)
    if (const auto kept = scores_.find(part); kept != scores_.end()) return &kept->second;
  return nullptr;
}

void Topology::add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto* scores = scores_for(pod);
  if (scores == nullptr) return;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto domain = scores->tree->domain_of(nodes[i], scores->depth);
    totals[i] += domain ? scores->points[domain] : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace muster::kai
