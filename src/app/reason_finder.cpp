#include "app/reason_finder.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>

#include "app/amount_text.h"
#include "app/job_needs.h"
#include "app/printable_text.h"
#include "app/queue_limits.h"
#include "app/topology_notes.h"
#include "policy/volcano/plugins/overcommit.h"
#include "policy/volcano/pod_intake.h"

namespace muster {
namespace {

using volcano::Job;
using volcano::Phase;
using volcano::Session;

constexpr std::size_t kRefusalsNamed = 3;
constexpr std::string_view kAttachable = "attachable-volumes-csi-";
constexpr std::string_view kUnsupported = "not supported by this version of muster";

class ReasonFinder {
 public:
  ReasonFinder(Session& session, const Job& job, const OutlookFacts& facts, JobOutlook& out)
      : session_(session), job_(job), facts_(facts), out_(out), counts_(session.counts(job)), limits_(facts.queue_limits()) {}

  void find() {
    const bool found = without_object() || nothing_pending() || unsupported() || incomplete() || broken_tree() || not_let_in() ||
                       held_back() || promised() || pod_too_large() || minimum_too_large(whole_minimum(session_, job_)) ||
                       extender_failed() || without_domain() || refused_by_nodes() || role_incomplete() || over_own_limit() ||
                       cluster_full() || over_share() || over_limit() || freed_too_late();
    if (!found) decide(PendingReason::kNotTried, not_tried_text());
  }

 private:
  bool decide(PendingReason reason, std::string sentence) {
    out_.reason = reason;
    out_.sentence = std::move(sentence);
    return true;
  }

  bool without_object() {
    if (!job_.has_pod_group)
      return decide(PendingReason::kNoPodGroup, fmt::format("its PodGroup does not exist, though {} it",
                                                            out_.pods == 1 ? "a pod names" : count(out_.pods, "pod") + " name"));
    if (!job_.queue) return decide(PendingReason::kNoQueue, fmt::format("its queue {} does not exist", job_.queue_name));
    return without_claim() || without_pods();
  }

  // Volcano's controller creates the pods of a Job when its PodGroup has been let in: until then what keeps it out is the reason.
  bool without_pods() {
    if (out_.pods != 0) return false;
    return broken_tree() || not_let_in() ||
           decide(PendingReason::kNoPods,
                  fmt::format("its PodGroup has {}no pods: they have ended and were deleted, or were not created yet",
                              job_.status.phase == Phase::kInqueue ? "been let in and has " : ""));
  }

  // Pods that name a claim that does not exist are not taken in, so the job seems to have fewer.
  bool without_claim() {
    const auto& lost = session_.cluster().pods_without_claim();
    if (lost.empty() || (out_.pods != 0 && counts_.valid() >= job_.min_available)) return false;
    std::vector<std::string> claims;
    std::int64_t pods = 0;
    for (const auto& [key, pod] : lost) {
      if (pod.meta.ns != job_.ns || volcano::group_name_of(pod) != job_.name) continue;
      ++pods;
      const auto claim = session_.cluster().missing_claim(pod);
      if (claim && !claim->empty() && std::find(claims.begin(), claims.end(), *claim) == claims.end()) claims.push_back(*claim);
    }
    if (pods == 0) return false;
    if (claims.empty())
      return decide(PendingReason::kNoClaim, count(pods, "pod") + " of it names neither a ResourceClaim nor a template");
    return decide(PendingReason::kNoClaim,
                  fmt::format("{} the ResourceClaim{} {}, which {} not exist",
                              pods == 1 ? "a pod of it names" : fmt::format("{} of its pods name", pods),
                              claims.size() == 1 ? "" : "s", listed(claims, kNodesNamed), claims.size() == 1 ? "does" : "do"));
  }

  // Pods of which nothing is known are neither placed nor waiting.
  bool nothing_pending() {
    if (out_.pending != 0 || out_.state == JobState::kPipelined || out_.leaving != 0 || !session_.job_valid(job_)) return false;
    return decide(PendingReason::kNotTried, "none of its pods is pending");
  }

  bool unsupported() {
    for (const auto& [text, nodes] : out_.refusals.reasons)
      if (text.find(kUnsupported) != std::string::npos) return decide(PendingReason::kNotSupported, text);
    return false;
  }

  // ---- too few pods

  bool incomplete() {
    if (session_.job_valid(job_)) return false;
    if (counts_.valid() < job_.min_available) return too_few(job_.min_available, counts_.valid(), "");
    for (const auto& role : job_.roles) {
      const auto have =
          role_holding(role) + of(role, PodState::kSucceeded) + of(role, PodState::kPipelined) + of(role, PodState::kPending);
      if (have < role.minimum) return too_few(role.minimum, have, " of the role " + role_name(role));
    }
    if (job_.sub_jobs)
      for (const auto& group : job_.sub_jobs->groups())
        if (group.existing < group.minimum)
          return decide(PendingReason::kTooFewSubGroups,
                        fmt::format("{} sub-groups of {} have to be complete and only {}", group.minimum, group.name,
                                    one_or_many(group.existing, "exists", "exist")));
    return false;
  }

  // "3 pods of the role ps have to start together; 1 exists and 2 are being deleted"
  bool too_few(std::int64_t wanted, std::int64_t have, const std::string& which) {
    auto text = fmt::format("{}{} {} to start{}", count(wanted, "pod"), which, wanted == 1 ? "has" : "have",
                            wanted == 1 ? "" : " together");
    if (out_.leaving + out_.failed == 0 || !which.empty()) {
      text += have == 0 ? " and none exists" : fmt::format(" and only {}", one_or_many(have, "exists", "exist"));
      return decide(which.empty() ? PendingReason::kTooFewPods : PendingReason::kTooFewOfRole, std::move(text));
    }
    text += "; " + (have == 0 ? std::string("none is left") : one_or_many(have, "is there", "are there"));
    if (out_.failed != 0) text += ", " + one_or_many(out_.failed, "has failed", "have failed");
    if (out_.leaving != 0) text += ", " + one_or_many(out_.leaving, "is being deleted", "are being deleted");
    return decide(out_.leaving != 0 ? PendingReason::kPodsLeaving : PendingReason::kTooFewPods, std::move(text));
  }

  // ---- not let in

  bool broken_tree() {
    using Fault = volcano::QueueTree::Fault;
    const auto* capacity = limits_.capacity();
    if (capacity == nullptr || capacity->tree() == nullptr) return false;
    const auto& tree = *capacity->tree();
    if (!tree.is_sound())
      return decide(PendingReason::kQueueTree, "the tree of queues is broken, so that nobody is placed: " +
                                                   fault_text(tree.fault(), tree.faulty_queue(), *capacity));
    const auto [fault, queue] = tree.fault_of(session_.cluster(), job_.queue);
    if (fault == Fault::kNone) return false;
    if (fault == Fault::kJobsInside)
      return decide(PendingReason::kInnerQueue,
                    fmt::format("its queue {} has queues below it, such as {}, and only leaves take jobs", job_.queue_name,
                                session_.cluster().queue(tree.children(queue).front()).name));
    return decide(PendingReason::kQueueTree, fmt::format("its queue {} has no place in the tree of queues: {}", job_.queue_name,
                                                         fault_text(fault, queue, *capacity)));
  }

  std::string fault_text(volcano::QueueTree::Fault fault, QueueId queue, const volcano::Capacity& capacity) const {
    using Fault = volcano::QueueTree::Fault;
    switch (fault) {
      case Fault::kNoParent:
        return fmt::format("the parent {} of queue {} does not exist", session_.cluster().queue(queue).parent,
                           session_.cluster().queue(queue).name);
      case Fault::kJobsInside:
        return fmt::format("queue {} has queues below it and jobs of its own, such as {}", session_.cluster().queue(queue).name,
                           capacity.first_job_in(queue));
      case Fault::kCircle: return "its parents lead in a circle";
      case Fault::kNoRoot:
      case Fault::kNone: break;
    }
    return "there is no queue root";
  }

  bool not_let_in() {
    if (limits_.exist() && !session_.cluster().queue(job_.queue).open)
      return decide(PendingReason::kQueueClosed, fmt::format("its queue {} is not open", job_.queue_name));
    if (job_.status.phase != Phase::kPending) return false;
    const auto* refusal = facts_.refusal_to_let_in(job_.id);
    if (refusal == nullptr && facts_.extender_failed()) return decide_extender_failed();
    if (refusal == nullptr) return decide(PendingReason::kNotLetIn, "not let in yet");
    if (facts_.nodes() == 0) return held_back();
    if (minimum_too_large(job_.min_amounts) || minimum_too_large(whole_minimum(session_, job_))) return true;
    // What the plugins that vote on letting jobs in write as an event when they refuse.
    if (refusal->starts_with("queue resource quota insufficient"))
      return decide(PendingReason::kQueueLimit, "not let in: " + queue_limit(*refusal));
    if (refusal->starts_with("resource in cluster is overused"))
      return decide(PendingReason::kClusterPromised, "not let in: " + cluster_promised(*refusal));
    if (refusal->starts_with("resource quota insufficient"))
      return decide(PendingReason::kResourceQuota,
                    "not let in: the namespace's resource quota does not allow it (" + *refusal + ")");
    return decide(PendingReason::kNotLetIn, "not let in: " + *refusal);
  }

  // The first queue on the way up, and the first resource of the minimum, that breaks the limit, in numbers; what the plugin said
  // when it cannot be told from here.
  std::string queue_limit(const std::string& refusal) {
    out_.full_queue = job_.queue;
    if (limits_.exist())
      for (auto queue = job_.queue; queue; queue = limits_.above(queue))
        for (const auto& [resource, asked] : job_.min_amounts) {
          const auto& share = limits_.share_of(queue);
          const auto wanted = static_cast<double>(asked);
          const auto taken = limits_.taken_or_promised(queue, resource);
          const auto most = share.real_capability.get(resource);
          if (wanted == 0 || !share.real_capability.names(resource) || wanted + taken <= most) continue;
          out_.full_queue = queue;
          return limit_text(resource, wanted, taken, most);
        }
    return "its minimum would take queue " + job_.queue_name + " past its limit (" + refusal + ")";
  }

  std::string limit_text(ResourceId resource, double wanted, double taken, double most) const {
    const auto& name = session_.cluster().queue(out_.full_queue).name;
    if (wanted > most)
      return fmt::format("its minimum asks for {} and queue {} may hold at most {}", amount_of(resource, wanted), name,
                         number(resource, most));
    return fmt::format("its minimum asks for {}; queue {} may hold at most {}, of which {} are taken or promised",
                       amount_of(resource, wanted), name, number(resource, most), number(resource, taken));
  }

  std::string cluster_promised(const std::string& refusal) const {
    const auto* overcommit = session_.plugin<volcano::Overcommit>("overcommit");
    if (overcommit != nullptr)
      for (const auto& [resource, asked] : job_.min_amounts) {
        const auto wanted = static_cast<double>(asked);
        const auto room = std::max(overcommit->room().get(resource), 0.0);
        const auto taken = overcommit->promised().get(resource);
        if (wanted == 0 || wanted + taken <= room) continue;
        return fmt::format("its minimum asks for {}; {} are promised to jobs that were let in, and there is room for {}",
                           amount_of(resource, wanted), number(resource, taken), number(resource, room));
      }
    return "more is promised to waiting jobs already than the cluster has (" + refusal + ")";
  }

  // ---- let in, not placed

  bool held_back() {
    if (facts_.nodes() == 0) return decide(PendingReason::kNoNodes, "the cluster has no nodes");
    if (are_too_many(out_.gated))
      return decide(PendingReason::kGated,
                    out_.pods == 1 ? "scheduling gates hold its only pod back"
                                   : fmt::format("scheduling gates hold {} of its {} back", out_.gated, count(out_.pods, "pod")));
    return out_.refused != 0 && are_too_many(out_.gated + out_.refused) && bind_refused();
  }

  // Whether the job cannot go on without so many of its pods.
  bool are_too_many(std::int64_t pods) const {
    return pods != 0 && (pods == out_.pending || counts_.valid() - pods < job_.min_available);
  }

  bool bind_refused() {
    for (const auto pod : session_.books().group(job_.id).pods)
      if (const auto* why = facts_.why_refused(session_.books().pod_key(pod)))
        return decide(PendingReason::kBindRefused, refused_text(out_.refused, out_.pods, *why));
    return false;
  }

  bool promised() {
    if (out_.state != JobState::kPipelined) return false;
    std::set<std::string> freed, free;
    for (const auto pod : session_.books().group(job_.id).pods)
      if (const auto& record = session_.books().pod(pod); record.state == PodState::kPipelined)
        (is_being_freed(record.node) ? freed : free).insert(session_.books().node(record.node).name);
    const auto names = [](const std::set<std::string>& nodes) {
      return listed(std::vector<std::string>(nodes.begin(), nodes.end()), kNodesNamed);
    };
    if (freed.empty())
      return decide(PendingReason::kWaitsForRelease,
                    "it has a place on " + names(free) +
                        (others_leave() ? fmt::format(", which its queue {} may take once others have left", job_.queue_name)
                                        : std::string(" and is bound in a later cycle")));
    return decide(PendingReason::kWaitsForRelease, "room is being freed for it on " + names(freed) +
                                                       (free.empty() ? "" : ", and there is room already on " + names(free)));
  }

  bool others_leave() const {
    return std::ranges::any_of(session_.outbox(), [&](const Decision& decision) {
      return decision.kind == Decision::Kind::kEvict && decision.for_whom.group == job_.id;
    });
  }

  bool is_being_freed(NodeId node) const {
    const auto& books = session_.books();
    return std::ranges::any_of(books.pods_on(node), [&](PodId pod) { return books.pod(pod).state == PodState::kReleasing; });
  }

  bool pod_too_large() {
    ShapeId last;
    for (const auto pod : session_.books().group(job_.id).pods) {
      const auto& record = session_.books().pod(pod);
      if (record.state != PodState::kPending || std::exchange(last, record.shape) == record.shape) continue;  // mostly alike
      for (const auto& [resource, amount] : session_.books().shape(record.shape).request)
        if (const auto largest = facts_.largest(resource); amount > largest)
          return decide(PendingReason::kTooLarge, too_large_text(resource, amount, largest));
    }
    return false;
  }

  std::string too_large_text(ResourceId resource, std::int64_t amount, std::int64_t largest) const {
    const std::string_view name = session_.books().resource_name(resource);
    if (name.starts_with(kAttachable))
      return fmt::format("a pod has {} of the storage driver {}, and no node can attach {}", amount == 1 ? "a volume" : "volumes",
                         name.substr(kAttachable.size()), largest == 0 ? "any of those" : "as many");
    return fmt::format("a pod asks for {} and the largest node has {}", amount_of(resource, static_cast<double>(amount)),
                       number(resource, static_cast<double>(largest)));
  }

  bool minimum_too_large(const Amounts& minimum) {
    for (const auto& [resource, amount] : minimum) {
      const auto total = session_.books().total_allocatable().get(resource);
      if (amount <= total) continue;
      return decide(PendingReason::kMinimumTooLarge,
                    fmt::format("its minimum asks for {} and all nodes together have {}",
                                amount_of(resource, static_cast<double>(amount)), number(resource, static_cast<double>(total))));
    }
    return false;
  }

  // The extender speaks against nodes, or gives no scores without which none is chosen, or holds the queue or the job back.
  bool extender_failed() {
    if (!facts_.extender_failed()) return false;
    const auto& reasons = out_.refusals.reasons;
    const bool refuses =
        reasons.empty() || std::ranges::any_of(reasons, [&](const auto& r) { return facts_.is_extender_failure(r.first); });
    return refuses && decide_extender_failed();
  }
  bool decide_extender_failed() {
    return decide(PendingReason::kExtenderFailed, "the HTTP extender could not be asked: " + facts_.extender_failure());
  }

  // What the nodes had against one of the pods, as the end of a sentence: the most frequent, and others as long as there are nodes
  // that have not spoken yet.
  std::string refusals_text() const {
    const auto& refusals = out_.refusals;
    if (refusals.pod.empty() || refusals.reasons.empty()) return "";
    if (refusals.nodes == 0) return ": " + refusals.reasons.front().first;
    std::string text;
    std::size_t told = 0;
    std::size_t spoken = 0;
    for (const auto& [words, nodes] : refusals.reasons) {
      if (told++ == kRefusalsNamed || spoken >= refusals.nodes) break;
      text += fmt::format("{}{} on {}", spoken == 0 ? ": " : ", ", words, nodes);
      if (spoken == 0) text += " of " + count_of(refusals.nodes, "node");
      spoken += nodes;
    }
    return text;
  }

  // Jobs that have to be close together, as far as there is a reason for it in the topology.
  bool without_domain() {
    if (!job_.sub_jobs || !job_.sub_jobs->wants_closeness()) return false;
    if (session_.chain(volcano::Point::kHyperNodeGradient).empty()) return false;  // then nobody looks at domains
    const auto& tree = session_.hyper_tree();
    if (const auto& conflict = tree.conflict())
      return decide(PendingReason::kBrokenTopology,
                    "it has a network topology, and the HyperNodes contradict each other: " + conflict_text(tree, *conflict));
    if (all_at_once(tree)) return true;
    const auto& tier = job_.sub_jobs->closeness().hard_tier;
    if (!tier || *tier >= tree.tier(volcano::HyperTree::root()) || out_.state == JobState::kPartial) return false;
    if (domains_too_small(tree, *tier)) return true;
    return decide(PendingReason::kNoDomain,
                  fmt::format("no HyperNode of tier {} or lower has room for {}{}", *tier,
                              out_.minimum == 1 ? "it" : fmt::format("{} of its pods", out_.minimum), refusals_text()));
  }

  // As the original chooses domains: one has to have room for more pods than the job, or a sub-group, could start with.
  bool all_at_once(const volcano::HyperTree& tree) {
    if (!session_.behaviour().keeps(volcano::Quirk::kAllOrNoneTopology) || out_.state == JobState::kPartial) return false;
    for (const auto& sub_job : job_.sub_jobs->all()) {
      const auto waiting = sub_job.of(PodState::kPending) - static_cast<std::int64_t>(sub_job.waiting_best_effort);
      const auto& tier = sub_job.closeness.hard_tier;
      if (!tier || sub_job.allocated || waiting <= sub_job.missing()) continue;
      for (const auto& [resource, amount] : sub_job.waiting) {
        const auto most = most_free(tree, *tier, resource);
        if (amount <= most) continue;
        const bool anywhere = *tier >= tree.tier(volcano::HyperTree::root());
        return decide(
            PendingReason::kAllAtOnce,
            fmt::format("with a network topology {} waiting pods have to fit at once; they ask for {} and {} {} free", waiting,
                        amount_of(resource, static_cast<double>(amount)),
                        anywhere ? "all nodes together have" : fmt::format("no HyperNode of tier {} or lower has more than", *tier),
                        number(resource, static_cast<double>(most))));
      }
    }
    return false;
  }

  // The most that a domain of these tiers has free, or will have.
  std::int64_t most_free(const volcano::HyperTree& tree, std::int64_t tier, ResourceId resource) const {
    std::int64_t most = 0;
    for (const auto id : IdRange<volcano::HyperNodeId>(tree.size())) {
      if (!tree.exists(id) || tree.tier(id) > tier) continue;
      std::int64_t free = 0;
      for (const auto node : tree.nodes(id)) free += std::max<std::int64_t>(session_.books().free_later(resource, node), 0);
      most = std::max(most, free);
    }
    return most;
  }

  // Whether there is a resource of which no domain of these tiers has enough even when it is empty.
  bool domains_too_small(const volcano::HyperTree& tree, std::int64_t tier) {
    const auto& allocatable = session_.books().ledgers().allocatable;
    for (const auto& [resource, amount] : whole_minimum(session_, job_)) {
      std::int64_t largest = 0;
      for (const auto id : IdRange<volcano::HyperNodeId>(tree.size())) {
        if (!tree.exists(id) || tree.tier(id) > tier) continue;
        std::int64_t sum = 0;
        for (const auto node : tree.nodes(id))
          if (resource.index() < allocatable.size()) sum += allocatable[resource.index()][node.index()];
        largest = std::max(largest, sum);
      }
      if (amount <= largest) continue;
      return decide(
          PendingReason::kDomainTooSmall,
          fmt::format("it asks for {} close together, and the largest HyperNode of tier {} or lower has {}",
                      amount_of(resource, static_cast<double>(amount)), tier, number(resource, static_cast<double>(largest))));
    }
    return false;
  }

  bool refused_by_nodes() {
    if (out_.refusals.pod.empty()) return false;
    const auto most = refusals_text();
    const auto fit = out_.would_fit + out_.holding;
    if (out_.state == JobState::kPartial) return decide(PendingReason::kNoNodeFits, "no node fits the rest of its pods" + most);
    if (fit == 0) return decide(PendingReason::kNoNodeFits, "no node fits" + most);
    if (fit >= job_.min_available) return role_incomplete() || decide(PendingReason::kGangIncomplete, unfinished_text(fit) + most);
    return decide(PendingReason::kGangIncomplete, fmt::format("only {} of the {} pods that have to start together {} a node{}", fit,
                                                              job_.min_available, fit == 1 ? "finds" : "find", most));
  }

  // Enough pods find a node, and yet they are not those that have to start together.
  bool role_incomplete() {
    if (out_.state == JobState::kPartial || out_.would_fit == 0) return false;
    const auto role = missed_role(session_, job_);
    if (!role) return false;
    return decide(PendingReason::kGangIncomplete,
                  fmt::format("{} of the {} of the role {} that {} to start {} a node{}",
                              role->fit == 0 ? std::string("none") : fmt::format("only {}", role->fit), count(role->minimum, "pod"),
                              role->name, role->minimum == 1 ? "has" : "have", role->fit <= 1 ? "finds" : "find", refusals_text()));
  }

  static std::string unfinished_text(std::int64_t fit) {
    return fmt::format("{} a node, and others that have to start with {} find none",
                       fit == 1 ? "1 pod finds" : fmt::format("{} pods find", fit), fit == 1 ? "it" : "them");
  }

  // A queue that may hold less than the cluster has: nodes are not asked before it has room, and free ones would not help.
  bool over_own_limit() {
    const auto needs = needs_of(session_, job_, out_.state).amounts;
    // The rest of a job that runs is placed pod by pod.
    const auto full = limits_.narrower_than_cluster(job_.queue, out_.state == JobState::kPartial ? next_pod() : needs);
    return full && queue_full(full->queue, limits_.share_of(full->queue), full->resource, needs.get(full->resource));
  }

  Amounts next_pod() const {
    for (const auto pod : session_.books().group(job_.id).pods)
      if (session_.books().pod(pod).state == PodState::kPending) return session_.books().shape_of(pod).request;
    return {};
  }

  // Queues are held to their share before nodes are asked, also where the share is all there is.
  bool cluster_full() {
    for (const auto& [resource, amount] : needs_of(session_, job_, out_.state).amounts) {
      const auto free = session_.books().total_allocatable().get(resource) - session_.books().total_used().get(resource);
      if (amount == 0 || amount <= free) continue;
      return decide(PendingReason::kClusterFull,
                    fmt::format("all nodes together have {} free and it needs {}",
                                amount_of(resource, static_cast<double>(std::max<std::int64_t>(free, 0))),
                                number(resource, static_cast<double>(amount))));
    }
    return false;
  }

  // What the queue may still take against what the job asks for.
  bool over_share() {
    if (limits_.proportion() == nullptr) return false;
    const auto& share = limits_.share_of(job_.queue);
    for (const auto& [resource, amount] : needs_of(session_, job_, out_.state).amounts) {
      if (resource == kPodCount || amount == 0) continue;
      if (share.allocated.get(resource) + static_cast<double>(amount) <= share.deserved.get(resource)) continue;
      out_.full_queue = job_.queue;
      // A queue that deserves all that it may hold is held by its limit, whatever its weight.
      if (share.real_capability.names(resource) && share.deserved.get(resource) >= share.real_capability.get(resource))
        return queue_full(job_.queue, share, resource, amount);
      return decide(PendingReason::kQueueShare,
                    fmt::format("its queue {} deserves {} now and holds {}; it needs {} more", job_.queue_name,
                                amount_of(resource, share.deserved.get(resource)), number(resource, share.allocated.get(resource)),
                                number(resource, static_cast<double>(amount))));
    }
    return false;
  }

  // What the queue and those above it may hold at most.
  bool over_limit() {
    const auto* capacity = limits_.capacity();
    if (capacity == nullptr) return false;
    const auto more = needs_of(session_, job_, out_.state).amounts;
    const auto full = capacity->full_queue(job_.queue, more);
    if (!full) return false;
    const auto& share = capacity->share_of_queue(full);
    for (const auto& [resource, amount] : more) {
      if (resource == kPodCount || amount == 0) continue;
      if (share.allocated.get(resource) + static_cast<double>(amount) <= share.real_capability.get(resource)) continue;
      return queue_full(full, share, resource, amount);
    }
    return false;
  }

  bool queue_full(QueueId queue, const volcano::QueueShare& share, ResourceId resource, std::int64_t amount) {
    out_.full_queue = queue;
    return decide(PendingReason::kQueueFull,
                  fmt::format("queue {} may hold {} and holds {}; it needs {} more", session_.cluster().queue(queue).name,
                              amount_of(resource, share.real_capability.get(resource)),
                              number(resource, share.allocated.get(resource)), number(resource, static_cast<double>(amount))));
  }

  // The queue has room by now, and had none when pods were placed.
  bool freed_too_late() {
    const auto full = limits_.full_before_evictions(job_.queue, needs_of(session_, job_, out_.state).amounts);
    if (!full) return false;
    out_.full_queue = full->queue;
    out_.room_came_late = true;
    return decide(PendingReason::kQueueFull,
                  fmt::format("queue {} held {} of the {} that it may hold when pods were placed, and pods of it were evicted only "
                              "after that",
                              session_.cluster().queue(full->queue).name, amount_of(full->resource, full->held),
                              number(full->resource, full->most)));
  }

  std::string not_tried_text() const {
    return has_placing_action(session_, job_) ? "this cycle ended without an attempt to place it"
                                              : "no action of this configuration tried to place it";
  }

  // ---- words

  static std::string count(std::int64_t number, std::string_view thing) {
    return count_of(static_cast<std::size_t>(number), thing);
  }
  static std::string one_or_many(std::int64_t number, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", number, number == 1 ? one : many);
  }
  // "4 of cpu"
  std::string amount_of(ResourceId resource, double amount) const {
    return number(resource, amount) + " of " + session_.books().resource_name(resource);
  }
  std::string number(ResourceId resource, double amount) const {
    return amount_text(session_.books().resource_name(resource), amount);
  }
  static std::int64_t of(const volcano::Role& role, PodState state) { return role.count[static_cast<std::size_t>(state)]; }
  std::string role_name(const volcano::Role& role) const {
    return role.name ? session_.books().symbols().text(role.name) : std::string("without a name");
  }

  Session& session_;
  const Job& job_;
  const OutlookFacts& facts_;
  JobOutlook& out_;
  volcano::JobCounts counts_;
  const QueueLimits& limits_;
};

}  // namespace

void find_reason(Session& session, const Job& job, const OutlookFacts& facts, JobOutlook& out) {
  ReasonFinder(session, job, facts, out).find();
}

}  // namespace muster
