#include "policy/volcano/sub_job.h"

#include <algorithm>
#include <utility>

#include "base/split.h"

namespace muster::volcano {
namespace {

constexpr std::size_t kLongestValues = 128;

// The values of the labels that tell a policy's sub-jobs apart; empty when the pod is none of the policy's.
std::vector<std::string> match_values(const SubGroupPolicy& policy, const StringMap& labels) {
  if (policy.selector && !policy.selector->matches(labels)) return {};
  std::vector<std::string> values;
  for (const auto& key : policy.match_label_keys) {
    const auto* value = labels.find(key);
    if (value == nullptr || value->empty()) return {};
    values.push_back(*value);
  }
  return values;
}

// A short stand-in for a long text: a 32-bit hash, its decimal digits written in letters that form no words.
std::string hashed(const std::string& text) {
  std::uint32_t hash = 2166136261u;
  for (const auto c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  constexpr std::string_view kSafe = "bcdfghjklmnpqrstvwxz2456789";
  auto digits = std::to_string(hash);
  for (auto& digit : digits) digit = kSafe[static_cast<unsigned char>(digit) % kSafe.size()];
  return digits;
}

std::string joined(const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) out.append(i == 0 ? "" : "-").append(values[i]);
  return out.size() > kLongestValues ? hashed(out) : out;
}

// The tier that a demand names, directly or by name.
std::optional<std::int64_t> named_tier(const NetworkTopology& topology, const HyperTree& tree) {
  if (topology.highest_tier || topology.highest_tier_name.empty()) return topology.highest_tier;
  return tree.tier_named(topology.highest_tier_name);
}

Closeness resolved(const std::optional<NetworkTopology>& topology, const HyperTree& tree, std::int64_t soft_tier) {
  if (!topology) return {};
  return {true, topology->mode == TopologyMode::kSoft ? soft_tier : named_tier(*topology, tree)};
}

}  // namespace

std::int64_t count_holding(const StateCounts& counts) {
  std::int64_t sum = 0;
  for (std::size_t s = 0; s < kPodStates; ++s)
    if (kHoldingStates.contains(static_cast<PodState>(s))) sum += counts[s];
  return sum;
}

void SubJobs::set(std::int32_t min_available, std::optional<NetworkTopology> topology, std::vector<SubGroupPolicy> policies) {
  if (policies != policies_) {
    all_.clear();
    places_.clear();
  }
  min_available_ = min_available;
  topology_ = std::move(topology);
  policies_ = std::move(policies);
  divided_ = false;
}

void SubJobs::divide(const Books& books, GroupId job) {
  const auto& group = books.group(job);
  if (divided_ && divided_for_ == group.version) return;
  divided_ = true;
  divided_for_ = group.version;
  const auto before = std::exchange(all_, {});
  places_.clear();
  groups_.assign(1, SubJobGroup{group.name, 0, 0, 0, 0});
  for (const auto& policy : policies_)
    groups_[group_named(group.name + "/" + policy.name)].minimum = policy.min_sub_groups.value_or(0);
  Names names;
  for (const auto pod : group.pods) {
    auto& sub_job = place_for(books.label_set(books.pod(pod).labels).labels, names);
    if (has_policies()) places_.emplace(pod, sub_job.id);
    sub_job.pods.push_back(pod);
    sub_job.request += books.shape_of(pod).request;
    sub_job.priority = std::max(sub_job.priority, books.pod(pod).priority);
    note(books, pod, books.pod(pod).state, +1);
  }
  for (const auto& known : before)
    if (const auto at = names.find(known.name); at != names.end()) all_[at->second.index()].allocated = known.allocated;
}

SubJob& SubJobs::place_for(const StringMap& labels, Names& names) {
  const auto& job = groups_.front().name;
  for (const auto& policy : policies_) {
    const auto values = match_values(policy, labels);
    if (values.empty()) continue;
    const auto known = all_.size();
    const auto group = group_named(job + "/" + policy.name);
    auto& sub_job = get(groups_[group].name + "-" + joined(values), group, names);
    if (all_.size() == known) return sub_job;
    sub_job.min_available = policy.size.value_or(1);
    sub_job.match_index = parse_integer(values.front()).value_or(0);
    sub_job.topology = policy.topology;
    count_in_group(sub_job, +1);
    return sub_job;
  }
  const auto known = all_.size();
  auto& rest = get(job, 0, names);
  if (all_.size() == known) return rest;
  rest.min_available = has_policies() ? 1 : min_available_;
  rest.topology = topology_;
  count_in_group(rest, +1);
  return rest;
}

SubJob& SubJobs::get(const std::string& name, std::uint32_t group, Names& names) {
  const auto [place, added] = names.try_emplace(name, SubJobId(all_.size()));
  if (!added) return all_[place->second.index()];
  auto& made = all_.emplace_back();
  made.id = place->second;
  made.name = name;
  made.group = group;
  ++groups_[group].existing;
  return made;
}

std::uint32_t SubJobs::group_named(const std::string& name) {
  for (std::size_t i = 1; i < groups_.size(); ++i)
    if (groups_[i].name == name) return static_cast<std::uint32_t>(i);
  groups_.push_back(SubJobGroup{name, 0, 0, 0, 0});
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

bool SubJobs::wants_closeness() const {
  return topology_.has_value() || std::any_of(all_.begin(), all_.end(), [](const SubJob& s) { return s.topology.has_value(); });
}

bool SubJobs::has_hard_tier() const {
  return closeness_.hard_tier.has_value() ||
         std::any_of(all_.begin(), all_.end(), [](const SubJob& s) { return s.closeness.hard_tier.has_value(); });
}

void SubJobs::resolve(const HyperTree& tree) {
  const auto whole = tree.tier(HyperTree::root());
  closeness_ = resolved(topology_, tree, whole);
  for (auto& sub_job : all_) sub_job.closeness = resolved(sub_job.topology, tree, closeness_.hard_tier.value_or(whole));
}

SubJobId SubJobs::of(PodId pod) const {
  if (!has_policies()) return all_.empty() ? SubJobId() : SubJobId(0);
  const auto found = places_.find(pod);
  return found == places_.end() ? SubJobId() : found->second;
}

SubJob* SubJobs::find(PodId pod) {
  const auto id = of(pod);
  return id ? &all_[id.index()] : nullptr;
}

void SubJobs::note(const Books& books, PodId pod, PodState state, int sign) {
  auto* sub_job = find(pod);
  if (sub_job == nullptr) return;
  count_in_group(*sub_job, -1);
  const auto change = static_cast<std::uint32_t>(sign);
  sub_job->count[static_cast<std::size_t>(state)] += change;
  if (state == PodState::kPending) {
    const auto& shape = books.shape_of(pod);
    if (sign > 0)
      sub_job->waiting += shape.request;
    else
      sub_job->waiting -= shape.request;
    if (shape.best_effort) sub_job->waiting_best_effort += change;
  }
  count_in_group(*sub_job, +1);
}

void SubJobs::count_in_group(const SubJob& sub_job, int sign) {
  auto& group = groups_[sub_job.group];
  if (sub_job.is_ready()) group.ready += sign;
  if (sub_job.is_pipelined()) group.pipelined += sign;
}

bool SubJobs::enough(std::int32_t SubJobGroup::* counted) const {
  return std::all_of(groups_.begin(), groups_.end(),
                     [&](const SubJobGroup& group) { return group.minimum == 0 || group.*counted >= group.minimum; });
}

bool SubJobs::valid() const { return enough(&SubJobGroup::existing); }
bool SubJobs::ready() const { return enough(&SubJobGroup::ready); }
bool SubJobs::pipelined() const { return enough(&SubJobGroup::pipelined); }

}  // namespace muster::volcano
