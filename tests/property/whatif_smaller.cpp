#include "property/whatif_smaller.h"

#include <algorithm>
#include <map>
#include <set>

namespace muster {
namespace {

using Kind = FitsIf::Kind;

// As docs/whatif.md has them.
constexpr std::size_t kQueuesLookedAt = 8;
constexpr std::size_t kQueuesOffered = 3;
constexpr std::size_t kEndsTriedAlone = 8;
constexpr std::int64_t kEveryOneTried = 8;
constexpr std::int64_t kEighths = 8;

const std::string kRequestsOf = "spec.containers[*].resources.requests.";
const std::string kMinResourcesOf = "spec.minResources.";

// A part that says no more than what something becomes.
FitsIf::Part becomes(std::string path, FitsIf::Value to) { return {std::move(path), std::string(), std::move(to)}; }

bool in_thousandths(const std::string& resource) { return resource == "cpu"; }
std::int64_t number_of(const Quantity& amount, const std::string& resource) {
  return in_thousandths(resource) ? amount.milli() : amount.units();
}
std::string text_of(std::int64_t number, const std::string& resource) {
  return std::to_string(number) + (in_thousandths(resource) ? "m" : "");
}

std::int64_t rounded_up(__int128 dividend, __int128 divisor) {
  return static_cast<std::int64_t>((dividend + divisor - 1) / divisor);
}

template <class T>
const T* first_of(const std::vector<Object>& objects) {
  for (const auto& object : objects)
    if (const auto* known = std::get_if<T>(&object)) return known;
  return nullptr;
}

// ---- members

std::vector<FitsIf::Part> roles_for(const PodGroup& group, std::int64_t members) {
  if (!enforces_roles(group)) return {};  // lower ones would be enforced
  std::map<std::string, std::int32_t> roles = group.min_task_member;
  std::vector<std::string> order;  // the largest gives way first
  std::int64_t together = 0;
  for (const auto& [role, minimum] : roles) order.push_back(role), together += minimum;
  std::ranges::stable_sort(order, std::greater<>(), [&](const std::string& role) { return roles[role]; });
  std::vector<FitsIf::Part> parts;
  for (const auto& role : order)
    for (; together > members && roles[role] > 0; --together) --roles[role];
  for (const auto& [role, minimum] : roles) parts.push_back(becomes("spec.minTaskMember." + role, std::int64_t{minimum}));
  return parts;
}

FitsIf with_members(const Submission& submission, std::int64_t members) {
  FitsIf out{.kind = Kind::kMembers, .text = "minMember " + std::to_string(members)};
  out.parts = {becomes("spec.minMember", members)};
  const auto* group = first_of<PodGroup>(submission.objects);
  if (group == nullptr) return out;
  if (group->min_resources)
    for (const auto& [resource, amount] : *group->min_resources) {
      const auto scaled = rounded_up(static_cast<__int128>(number_of(amount, resource)) * members, group->min_member);
      out.parts.push_back(becomes(kMinResourcesOf + resource, text_of(scaled, resource)));
    }
  std::ranges::copy(roles_for(*group, members), std::back_inserter(out.parts));
  return out;
}

std::vector<FitsIf> more_members(const FitsIf& change, const Submission& submission) {
  const std::int64_t candidates = submission.minimum() - 1;
  const auto offered = std::get<std::int64_t>(change.parts.front().to);
  const auto last = candidates <= kEveryOneTried ? candidates : std::min(candidates, offered + 1);
  std::vector<FitsIf> out;
  for (auto members = offered + 1; members <= last; ++members) out.push_back(with_members(submission, members));
  return out;
}

// ---- amounts

// What all containers of the job ask for together, of which none asks for more than the cap.
__int128 asked_below(const Submission& submission, const std::string& resource, std::int64_t cap) {
  __int128 sum = 0;
  for (const auto& object : submission.objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    for (const auto* containers : {&pod->spec.init_containers, &pod->spec.containers})
      for (const auto& container : *containers)
        if (const auto asked = container.requests.find(resource); asked != container.requests.end())
          sum += std::min(number_of(asked->second, resource), cap);
  }
  return sum;
}

FitsIf with_cap(const Submission& submission, const std::string& resource, std::int64_t cap, std::int64_t most) {
  FitsIf out{.kind = Kind::kAmount, .text = "at most " + text_of(cap, resource) + " of " + resource};
  out.parts = {becomes(kRequestsOf + resource, text_of(cap, resource))};
  const auto* group = first_of<PodGroup>(submission.objects);
  if (group == nullptr || !group->min_resources) return out;
  const auto least = group->min_resources->find(resource);
  if (least == group->min_resources->end()) return out;
  const auto scaled = rounded_up(number_of(least->second, resource) * asked_below(submission, resource, cap),
                                 asked_below(submission, resource, most));
  out.parts.push_back(becomes(kMinResourcesOf + resource, text_of(scaled, resource)));
  return out;
}

std::vector<FitsIf> larger_amounts(const FitsIf& change, const Submission& submission) {
  const auto& part = change.parts.front();
  const auto resource = part.path.substr(kRequestsOf.size());
  const auto most = number_of(*Quantity::parse(std::get<std::string>(part.from)), resource);
  const auto offered = number_of(*Quantity::parse(std::get<std::string>(part.to)), resource);
  const auto steps = std::min(kEighths, most);
  std::vector<FitsIf> out;
  for (std::int64_t step = 1; step < steps; ++step)
    if (const auto cap = static_cast<std::int64_t>(static_cast<__int128>(most) * step / steps); cap > offered)
      out.push_back(with_cap(submission, resource, cap, most));
  return out;
}

// ---- ends

// The smallest of the cluster's other jobs that have pods on nodes, by size and name.
std::vector<std::string> smallest_running(const Submission& submission) {
  std::map<std::string, std::size_t> pods_of;
  for (const auto& object : submission.cluster) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || !is_placed(*pod)) continue;
    if (const auto job = job_of(object); job && *job != submission.job) ++pods_of[*job];
  }
  std::vector<std::string> out;
  for (const auto& [job, pods] : pods_of) out.push_back(job);
  std::ranges::stable_sort(out, {}, [&](const std::string& job) { return pods_of[job]; });
  out.resize(std::min(out.size(), kEndsTriedAlone));
  return out;
}

FitsIf when_ended(std::vector<std::string> jobs) {
  std::string text = "ended:";
  for (const auto& job : jobs) text += " " + job;
  return {.kind = Kind::kEnded, .text = text, .gone = std::move(jobs)};
}

std::vector<FitsIf> fewer_ends(const FitsIf& change, const Submission& submission) {
  std::vector<FitsIf> out;
  for (const auto& job : smallest_running(submission)) {
    if (change.gone.size() == 1 && job == change.gone.front()) return out;
    out.push_back(when_ended({job}));
  }
  const auto size = change.gone.size();
  for (auto kept = size <= kEndsTriedAlone ? 0 : size - 1; size > 1 && kept < size; ++kept) {
    auto fewer = change.gone;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(kept));
    out.push_back(when_ended(std::move(fewer)));
  }
  return out;
}

// ---- levels and queues, in the order in which they are looked at

FitsIf at_level(const char* path, FitsIf::Value level) {
  return {.kind = Kind::kLevel, .text = std::string("another ") + path, .parts = {becomes(path, std::move(level))}};
}

std::vector<FitsIf> wider_tiers(const Submission& submission, const NetworkTopology& topology) {
  std::map<std::int64_t, std::string> tiers;
  for (const auto& object : submission.cluster)
    if (const auto* domain = std::get_if<HyperNode>(&object)) tiers[domain->tier] = domain->tier_name;
  auto own = topology.highest_tier;
  for (const auto& [tier, name] : tiers)
    if (!topology.highest_tier && !name.empty() && name == topology.highest_tier_name) own = tier;
  std::vector<FitsIf> out;
  for (const auto& [tier, name] : tiers) {
    if (!own || tier <= *own) continue;
    if (topology.highest_tier) out.push_back(at_level("spec.networkTopology.highestTierAllowed", tier));
    if (!topology.highest_tier && !name.empty()) out.push_back(at_level("spec.networkTopology.highestTierName", name));
  }
  out.push_back(at_level("spec.networkTopology.mode", "soft"));
  return out;
}

std::vector<FitsIf> wider_levels_of(const Submission& submission, const KaiTopologyConstraint& constraint) {
  constexpr const char* kPath = "spec.topologyConstraint.requiredTopologyLevel";
  std::vector<FitsIf> out;
  for (const auto& object : submission.cluster) {
    const auto* topology = std::get_if<KaiTopology>(&object);
    if (topology == nullptr || topology->meta.name != constraint.topology) continue;
    std::vector<FitsIf> wider;  // the widest comes first
    for (const auto& level : topology->levels) {
      if (level.node_label == constraint.required_level) out.assign(wider.rbegin(), wider.rend());
      wider.push_back(at_level(kPath, level.node_label));
    }
  }
  out.push_back(at_level(kPath, ""));
  return out;
}

std::vector<FitsIf> levels_for(const Submission& submission) {
  const auto* group = first_of<PodGroup>(submission.objects);
  if (group != nullptr && group->topology && group->topology->mode == TopologyMode::kHard)
    return wider_tiers(submission, *group->topology);
  const auto* other = first_of<KaiPodGroup>(submission.objects);
  if (other != nullptr && !other->constraint.required_level.empty()) return wider_levels_of(submission, other->constraint);
  return {};
}

template <class SomeQueue>
std::vector<FitsIf> queues_beside(const Submission& submission, const std::string& own) {
  std::set<std::string> names, parents = {"root"};
  for (const auto& object : submission.cluster) {
    const auto* queue = std::get_if<SomeQueue>(&object);
    if (queue == nullptr) continue;
    parents.insert(queue->parent);
    if constexpr (std::is_same_v<SomeQueue, Queue>)
      if (queue->state != "Open" && !queue->state.empty()) continue;
    names.insert(queue->meta.name);
  }
  std::vector<FitsIf> out;
  for (const auto& name : names)
    if (name != own && !parents.contains(name) && out.size() < kQueuesLookedAt)
      out.push_back({.kind = Kind::kQueue, .text = "queue " + name, .parts = {becomes("spec.queue", name)}});
  return out;
}

std::vector<FitsIf> queues_for(const Submission& submission) {
  if (const auto* group = first_of<PodGroup>(submission.objects))
    return queues_beside<Queue>(submission, group->queue.empty() ? "default" : group->queue);
  return queues_beside<KaiQueue>(submission, first_of<KaiPodGroup>(submission.objects)->queue);
}

// Those of the choices that were not taken, up to the one with which enough were.
void add_passed_over(const std::vector<FitsIf>& choices, const std::vector<FitsIf>& offered, std::size_t enough,
                     std::vector<FitsIf>& out) {
  std::size_t taken = 0;
  for (const auto& choice : choices) {
    if (taken == enough) return;
    const auto is_it = [&](const FitsIf& change) {
      return change.kind == choice.kind && change.parts.front().path == choice.parts.front().path &&
             change.parts.front().to == choice.parts.front().to;
    };
    if (std::ranges::any_of(offered, is_it))
      ++taken;
    else
      out.push_back(choice);
  }
}

}  // namespace

std::vector<FitsIf> smaller_than(const FitsIf& change, const Submission& submission) {
  switch (change.kind) {
    case Kind::kMembers: return more_members(change, submission);
    case Kind::kAmount: return larger_amounts(change, submission);
    case Kind::kEnded: return fewer_ends(change, submission);
    case Kind::kLeaving:
    case Kind::kLevel:
    case Kind::kQueue: return {};
  }
  return {};
}

std::vector<FitsIf> passed_over(const std::vector<FitsIf>& offered, const Submission& submission) {
  std::vector<FitsIf> out;
  add_passed_over(levels_for(submission), offered, 1, out);
  add_passed_over(queues_for(submission), offered, kQueuesOffered, out);
  return out;
}

}  // namespace muster
