#include "policy/volcano/plugins/network_topology_aware.h"

#include <algorithm>
#include <cmath>

#include "policy/volcano/plugins/packing_weights.h"
#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

constexpr std::int64_t kDefaultForEviction = 8;
constexpr double kDefaultFading = 0.8;
constexpr double kMostTiers = 4096;  // beyond so many only the used ones are looked at

// Scores that are tied at the top get something on top.
template <class F>
void break_ties(std::vector<double>& scores, F extra) {
  const auto top = *std::max_element(scores.begin(), scores.end());
  if (top < 0 || std::count(scores.begin(), scores.end(), top) < 2) return;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] == top) scores[i] += extra(i);
}

}  // namespace

NetworkTopologyAware::NetworkTopologyAware(Session& session, const PluginOption& option)
    : Plugin(session),
      packs_others_(option.arguments.get_bool("hypernode.binpack.normal-pod.enable", true)),
      fading_(option.arguments.get_float("hypernode.binpack.normal-pod.fading", kDefaultFading)),
      most_for_eviction_(option.arguments.get_int("hypernode.gradient.evict.max-hypernodes", kDefaultForEviction)) {
  const auto& arguments = option.arguments;
  scale_ = 100.0 * static_cast<double>(weight_or_one(arguments, "weight"));
  if (fading_ < 0) fading_ = kDefaultFading;
  if (most_for_eviction_ <= 0) most_for_eviction_ = kDefaultForEviction;
  weights_.push_back({kCpu, weight_or_one(arguments, "hypernode.binpack.cpu")});
  weights_.push_back({kMemory, weight_or_one(arguments, "hypernode.binpack.memory")});
  for (const auto& [resource, weight] : listed_weights(arguments, "hypernode.binpack", session.books()))
    weights_.push_back({resource, weight});
}

// Sums are taken when the cycle begins. Without domains and without jobs that ask for them nobody looks at them.
void NetworkTopologyAware::open() {
  auto& cluster = session().cluster();
  if (!cluster.hyper_tree().bare() || !cluster.divided_jobs().empty())
    cluster.hyper_sums().update(cluster.books(), cluster.hyper_tree());
}

// ------------------------------------------------------------------------------------------------ domains to try

Gradients NetworkTopologyAware::gradients(const Job& job, HyperNodeId within, Purpose purpose) {
  if (!job.sub_jobs || !job.sub_jobs->closeness().hard_tier) return {{within}};
  return search({*job.sub_jobs->closeness().hard_tier, job.sub_jobs->allocated, job.min_amounts}, within, purpose);
}

Gradients NetworkTopologyAware::gradients(const Job&, const SubJob& sub_job, HyperNodeId within, Purpose purpose) {
  if (!sub_job.closeness.hard_tier) return {{within}};
  auto needed = purpose == Purpose::kAllocateMinimum ? least_of(sub_job) : sub_job.waiting;
  if (session().twins().any())
    for (const auto pod : sub_job.pods)
      if (session().twins().has(pod)) needed += session().books().shape_of(pod).request;
  return search({*sub_job.closeness.hard_tier, sub_job.allocated, needed}, within, purpose);
}

// As if all were as small as the smallest, in each resource.
Amounts NetworkTopologyAware::least_of(const SubJob& sub_job) const {
  const auto& books = session().books();
  std::optional<Amounts> smallest;
  for (const auto pod : sub_job.pods) {
    const auto& shape = books.shape_of(pod);
    if (books.pod(pod).state != PodState::kPending || shape.best_effort) continue;
    if (!smallest) smallest = shape.request;
    Amounts smaller;
    for (const auto& [resource, amount] : *smallest) smaller.set(resource, std::min(amount, shape.request.get(resource)));
    smallest = std::move(smaller);
  }
  Amounts least;
  if (smallest)
    for (const auto& [resource, amount] : *smallest) least.set(resource, amount * sub_job.missing());
  return least;
}

Gradients NetworkTopologyAware::search(const Demand& demand, HyperNodeId within, Purpose purpose) const {
  const auto& tree = session().hyper_tree();
  const auto top = search_root(demand, within);
  if (!top) return {};
  std::vector<HyperNodeId> found;
  std::vector<HyperNodeId> line{top};
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (eligible(demand, line[i], purpose)) found.push_back(line[i]);
    const auto& children = tree.children(line[i]);
    line.insert(line.end(), children.begin(), children.end());
  }
  std::stable_sort(found.begin(), found.end(), [&](HyperNodeId l, HyperNodeId r) { return tree.tier(l) < tree.tier(r); });
  Gradients rows;
  for (const auto domain : found) {
    if (rows.empty() || tree.tier(rows.back().front()) != tree.tier(domain)) rows.emplace_back();
    rows.back().push_back(domain);
  }
  if (purpose == Purpose::kEvict) widest_first(rows);
  return rows;
}

// What both the caller and the pods placed so far leave open; none when they have nothing in common.
HyperNodeId NetworkTopologyAware::search_root(const Demand& demand, HyperNodeId within) const {
  if (!demand.allocated) return within;
  const auto& tree = session().hyper_tree();
  HyperNodeId widest;
  for (auto at = demand.allocated; at && tree.tier(at) <= demand.highest_tier; at = tree.parent(at)) widest = at;
  if (!widest) return {};
  if (tree.within(within, widest)) return within;
  return tree.within(widest, within) ? widest : HyperNodeId();
}

bool NetworkTopologyAware::eligible(const Demand& demand, HyperNodeId domain, Purpose purpose) const {
  if (session().hyper_tree().tier(domain) > demand.highest_tier) return false;
  if (demand.allocated) return true;
  const auto& sums = session().cluster().hyper_sums();
  if (purpose == Purpose::kEvict) return sums.covers(HyperSums::Of::kAllocatable, domain, demand.minimum);
  return sums.covers(HyperSums::Of::kIdle, domain, demand.minimum) || sums.covers(HyperSums::Of::kLater, domain, demand.minimum);
}

// Wide domains first, and only so many in all; of the last row its end is kept.
void NetworkTopologyAware::widest_first(Gradients& rows) const {
  std::reverse(rows.begin(), rows.end());
  auto left = static_cast<std::size_t>(most_for_eviction_);
  for (auto& row : rows) {
    const auto kept = std::min(left, row.size());
    row.erase(row.begin(), row.end() - static_cast<std::ptrdiff_t>(kept));
    left -= kept;
  }
  std::erase_if(rows, [](const auto& row) { return row.empty(); });
}

// -------------------------------------------------------------------------------------------------------- scores

const NetworkTopologyAware::Weight* NetworkTopologyAware::weight_of(ResourceId resource) const {
  for (const auto& weight : weights_)
    if (weight.resource == resource) return &weight;  // the first: cpu and memory have keys of their own
  return nullptr;
}

double NetworkTopologyAware::used(HyperNodeId domain, ResourceId resource) const {
  const auto before = static_cast<double>(session().cluster().hyper_sums().get(HyperSums::Of::kUsed, domain, resource));
  const auto since = used_since_.find(domain);
  return since == used_since_.end() ? before : before + static_cast<double>(since->second.get(resource));
}

double NetworkTopologyAware::fullness(HyperNodeId domain, const Amounts& requests) const {
  double score = 0;
  std::int64_t weights = 0;
  for (const auto& [resource, amount] : requests) {
    const auto* weight = weight_of(resource);
    if (weight == nullptr || amount <= 0) continue;
    const auto whole = static_cast<double>(session().cluster().hyper_sums().get(HyperSums::Of::kAllocatable, domain, resource));
    const auto filled = used(domain, resource) + static_cast<double>(amount);
    if (filled > whole) return 0;
    score += static_cast<double>(weight->value) * (filled / whole);
    weights += weight->value;
  }
  return weights > 0 ? score / static_cast<double>(weights) : 0;
}

void NetworkTopologyAware::add_hyper_node_order(const SubJob& sub_job, std::span<const HyperNodeId> domains,
                                                std::span<double> totals) {
  if (domains.empty()) return;
  const auto& tree = session().hyper_tree();
  std::vector<double> scores;
  for (const auto domain : domains) scores.push_back(fullness(domain, sub_job.request));
  break_ties(scores, [&](std::size_t i) {
    const auto inside = std::count_if(sub_job.pods.begin(), sub_job.pods.end(), [&](PodId pod) {
      const auto node = session().books().pod(pod).node;
      return node && tree.contains(domains[i], node);
    });
    return static_cast<double>(inside) / static_cast<double>(sub_job.pods.size());
  });
  for (std::size_t i = 0; i < domains.size(); ++i) totals[i] += scale_ * scores[i];
}

SubJob* NetworkTopologyAware::sub_job_of(PodId pod) const {
  auto& job = session().cluster().job_of(pod);
  return job.sub_jobs ? job.sub_jobs->find(pod) : nullptr;
}

// Without domains every node gets the same score, which may as well be none.
Dependence NetworkTopologyAware::order_dependence(PodId pod) const {
  if (session().hyper_tree().bare() || scale_ == 0) return Dependence::kNothing;
  const auto* sub_job = sub_job_of(pod);
  if (sub_job == nullptr || !sub_job->closeness.wanted) return packs_others_ ? Dependence::kOthers : Dependence::kNothing;
  return sub_job->placing_at ? Dependence::kOthers : Dependence::kNothing;
}

void NetworkTopologyAware::add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  if (order_dependence(pod) == Dependence::kNothing || nodes.empty()) return;
  const auto* sub_job = sub_job_of(pod);
  if (sub_job != nullptr && sub_job->closeness.wanted)
    add_closeness(*sub_job, nodes, totals);
  else
    add_packing(pod, nodes, totals);
}

// 1 for the same domain; else the less, the higher the tier of the domain that holds both.
double NetworkTopologyAware::closeness(HyperNodeId left, HyperNodeId right) const {
  const auto& tree = session().hyper_tree();
  if (!left || !right) return 0;
  if (left == right) return 1;
  const auto tier = static_cast<double>(tree.tier(tree.common(left, right)));
  const auto lowest = static_cast<double>(tree.tiers().front());
  const auto highest = static_cast<double>(tree.tiers().back());
  if (lowest == highest) return 1;
  if (tier < lowest || tier > highest) return 0;
  return (highest - tier) / (highest - lowest);
}

double NetworkTopologyAware::remembered_closeness(HyperNodeId domain, HyperNodeId to) {
  if (!domain) return 0;
  if (close_to_ != to) {
    close_to_ = to;
    closeness_.assign(session().hyper_tree().size(), -1);
  }
  auto& known = closeness_[domain];
  if (known < 0) known = closeness(domain, to);
  return known;
}

void NetworkTopologyAware::add_closeness(const SubJob& sub_job, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto& tree = session().hyper_tree();
  scores_.clear();
  for (const auto node : nodes) scores_.push_back(remembered_closeness(tree.lowest(node), sub_job.placing_at));
  const auto& tasks = tasks_by_domain(sub_job);
  HyperNodeId last;
  double last_part = 0;
  break_ties(scores_, [&](std::size_t i) {
    const auto domain = tree.lowest(nodes[i]);
    if (!domain || domain == last) return domain ? last_part : 0.0;
    const auto found = tasks.find(domain);
    last = domain;
    last_part = found == tasks.end() ? 0.0 : static_cast<double>(found->second) / static_cast<double>(sub_job.pods.size());
    return last_part;
  });
  for (std::size_t i = 0; i < nodes.size(); ++i) totals[i] += scale_ * scores_[i];
}

// Of each tier the domain that holds the node counts, lower tiers for more. A node that is in no domain of a tier counts as if the
// best domain of that tier held it.
void NetworkTopologyAware::add_packing(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  const auto& tree = session().hyper_tree();
  const auto& request = session().books().shape_of(pod).request;
  const auto lowest = tree.tiers().front();
  const auto highest = tree.tiers().back();
  std::vector<std::pair<std::int64_t, double>> tiers;  // with their weights
  if (static_cast<double>(highest) - static_cast<double>(lowest) < kMostTiers)
    for (auto tier = lowest; tier <= highest; ++tier) tiers.emplace_back(tier, 0.0);
  else
    for (const auto tier : tree.tiers()) tiers.emplace_back(tier, 0.0);
  double sum = 0;
  for (auto& [tier, weight] : tiers) sum += weight = std::pow(fading_, static_cast<double>(tier - 1));
  if (!(sum > 0)) return;

  boost::unordered_flat_map<HyperNodeId, double> known;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double score = 0;
    auto holder = tree.holders(nodes[i]).begin();
    const auto end = tree.holders(nodes[i]).end();
    for (const auto& [tier, weight] : tiers) {
      while (holder != end && tree.tier(*holder) < tier) ++holder;
      double full = 1;
      if (holder != end && tree.tier(*holder) == tier) {
        const auto [place, added] = known.try_emplace(*holder, 0.0);
        if (added) place->second = fullness(*holder, request);
        full = place->second;
      }
      score += weight * full;
    }
    totals[i] += scale_ * (score / sum);
  }
}

// ------------------------------------------------------------------------------------------- what happens meanwhile

const NetworkTopologyAware::TaskCounts& NetworkTopologyAware::tasks_by_domain(const SubJob& sub_job) {
  const auto [place, added] = task_counts_.try_emplace(&sub_job);
  if (added)
    for (const auto pod : sub_job.pods)
      if (const auto node = session().books().pod(pod).node)
        if (const auto domain = session().hyper_tree().lowest(node)) ++place->second[domain];
  return place->second;
}

bool NetworkTopologyAware::on_allocate(PodId pod) {
  const auto node = session().books().pod(pod).node;
  placed_[pod] = node;
  count_task(pod, node, +1);
  count_used(pod, +1);
  return true;
}

void NetworkTopologyAware::on_deallocate(PodId pod) {
  count_used(pod, -1);
  if (session().books().pod(pod).node) return;  // an evicted pod is still where it was
  const auto found = placed_.find(pod);
  if (found == placed_.end()) return;
  count_task(pod, found->second, -1);
  placed_.erase(found);
}

void NetworkTopologyAware::count_used(PodId pod, std::int64_t sign) {
  auto node = session().books().pod(pod).node;
  if (!node) {
    const auto found = placed_.find(pod);
    if (found == placed_.end()) return;
    node = found->second;
  }
  const auto& request = session().books().shape_of(pod).request;
  for (const auto domain : session().hyper_tree().holders(node)) {
    auto& since = used_since_[domain];
    if (sign > 0)
      since += request;
    else
      since -= request;
  }
}

void NetworkTopologyAware::count_task(PodId pod, NodeId node, std::int64_t sign) {
  if (task_counts_.empty()) return;
  const auto* sub_job = sub_job_of(pod);
  const auto counts = sub_job == nullptr ? task_counts_.end() : task_counts_.find(sub_job);
  if (counts == task_counts_.end()) return;
  if (const auto domain = session().hyper_tree().lowest(node)) counts->second[domain] += sign;
}

}  // namespace muster::volcano
