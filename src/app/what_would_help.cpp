#include "app/what_would_help.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/amount_text.h"
#include "app/job_needs.h"
#include "app/node_holders.h"
#include "app/printable_text.h"
#include "app/refusal_advice.h"
#include "app/room_for.h"
#include "base/nearest_name.h"
#include "policy/volcano/plugins/capacity.h"

namespace muster {
namespace {

using volcano::Job;
using volcano::Session;

class Advice {
 public:
  Advice(Session& session, const Job& job, const OutlookFacts& facts, const JobOutlook& out, const NodeObstacles& obstacles)
      : session_(session), job_(job), facts_(facts), out_(out), obstacles_(obstacles) {}

  std::string text() const {
    switch (out_.reason) {
      case PendingReason::kNoPodGroup:
        return fmt::format("create the PodGroup {}, or correct the annotation scheduling.k8s.io/group-name of {}", out_.name,
                           pod_names(PodState::kPending));
      case PendingReason::kNoQueue: return other_queue("create the queue " + job_.queue_name);
      case PendingReason::kTooFewPods: return more_pods();
      case PendingReason::kPodsLeaving:
        return fmt::format("wait until {} {} gone and the controller has created new pods", pod_names(PodState::kReleasing),
                           out_.leaving == 1 ? "has" : "have");
      case PendingReason::kQueueClosed: return other_queue("open the queue " + job_.queue_name);
      case PendingReason::kInnerQueue: return leaves();
      case PendingReason::kMinimumTooLarge: return smaller_minimum();
      case PendingReason::kQueueFull:
        if (out_.room_came_late) return "nothing: it is tried again in the next cycle";
        return queue_room(higher_limit());
      case PendingReason::kQueueLimit: return queue_room(higher_limit());
      case PendingReason::kClusterPromised: return cluster_room();
      case PendingReason::kResourceQuota: return quota();
      case PendingReason::kNoNodes: return nodes();
      case PendingReason::kGated: return "whoever set the gates in spec.schedulingGates of " + gated_pods() + " has to remove them";
      case PendingReason::kWaitsForRelease: return release();
      case PendingReason::kClusterFull:
      case PendingReason::kNoNodeFits:
      case PendingReason::kGangIncomplete: return node_room();
      case PendingReason::kQueueShare:
        return queue_room(fmt::format("raise the weight of queue {}, which is {}", full_queue().name, full_queue().weight));
      case PendingReason::kTooLarge: return smaller_pods();
      case PendingReason::kNoDomain:
      case PendingReason::kDomainTooSmall: return wider_domain();
      case PendingReason::kNotTried:
        if (out_.pending == 0) return "look at its pods and at the nodes that they are on";
        if (has_placing_action(session_, job_)) return "see whether a later cycle tries it: --cycles runs more of them";
        return fmt::format("the actions are {}: pods that ask for nothing need backfill, all others allocate",
                           listed(session_.config().actions, session_.config().actions.size()));
      default: return std::string(text_of(out_.reason).hint);
    }
  }

 private:
  template <class Wanted>
  std::string pods_that(Wanted wanted) const {
    std::vector<std::string> names;
    for (const auto pod : session_.books().group(job_.id).pods)
      if (wanted(pod)) names.push_back(session_.books().pod(pod).name);
    return (names.size() == 1 ? "pod " : "pods ") + listed(names, kMostNamed);
  }
  std::string pod_names(PodState state) const {
    return pods_that([&](PodId pod) { return session_.books().pod(pod).state == state; });
  }
  std::string gated_pods() const {
    return pods_that([&](PodId pod) {
      return session_.books().pod(pod).gated && !session_.cluster().task(pod).only_own_gate &&
             facts_.why_refused(session_.books().pod_key(pod)) == nullptr;
    });
  }

  std::string other_queue(const std::string& first) const {
    std::vector<std::string> open;
    for (const auto id : IdRange<QueueId>(session_.cluster().queue_count()))
      if (const auto& queue = session_.cluster().queue(id); queue.known && queue.open && queue.name != "root")
        open.push_back(queue.name);
    std::sort(open.begin(), open.end());
    const std::vector<std::string_view> views(open.begin(), open.end());
    const auto near = nearest_name(job_.queue_name, views);
    if (!near.empty()) return fmt::format("{}, or name another one in spec.queue: was {} meant?", first, near);
    return fmt::format("{}, or name another one in spec.queue{}", first,
                       open.empty() ? "" : "; open are " + listed(open, kMostNamed));
  }

  std::string leaves() const {
    const auto& tree = *session_.plugin<volcano::Capacity>("capacity")->tree();
    std::vector<std::string> below;
    for (const auto id : tree.in_order()) {
      auto at = tree.parent(id);
      while (at && at != job_.queue) at = tree.parent(at);
      if (at && tree.is_leaf(id)) below.push_back(session_.cluster().queue(id).name);
    }
    std::sort(below.begin(), below.end());
    return fmt::format("name a leaf in spec.queue; below {} {} {}", job_.queue_name, below.size() == 1 ? "is" : "are",
                       listed(below, kMostNamed));
  }

  std::string more_pods() const {
    const auto have = session_.counts(job_).valid();
    auto text = fmt::format("create {}", count_of(static_cast<std::size_t>(job_.min_available - have), "more pod"));
    if (out_.failed != 0) text += " in place of those that have failed";
    return have == 0 ? text : fmt::format("{}, or lower spec.minMember from {} to {}", text, job_.min_available, have);
  }

  // What is in spec.minResources counts until the job is let in, and what its pods ask for after that: each is too much by itself.
  std::string smaller_minimum() const {
    Amounts missing;
    std::vector<std::string> fields;
    const auto compare = [&](const Amounts& minimum, std::string_view field) {
      const auto known = fields.size();
      for (const auto& [resource, amount] : minimum) {
        const auto more = amount - session_.books().total_allocatable().get(resource);
        if (more <= 0) continue;
        missing.raise(resource, more);
        if (fields.size() == known) fields.emplace_back(field);
      }
    };
    compare(whole_minimum(session_, job_), "spec.minMember");
    if (job_.status.phase == volcano::Phase::kPending && job_.min_resources) compare(job_.min_amounts, "spec.minResources");
    std::vector<std::string> texts;
    for (const auto& [resource, amount] : missing)
      texts.push_back(amount_of(session_.books().resource_name(resource), static_cast<double>(amount)));
    return fmt::format("add nodes with {} more, or lower {}", listed(texts, kMostNamed), joined(fields, " and "));
  }

  std::string smaller_pods() const {
    for (const auto pod : session_.books().group(job_.id).pods) {
      if (session_.books().pod(pod).state != PodState::kPending) continue;
      for (const auto& [resource, amount] : session_.books().shape_of(pod).request)
        if (const auto largest = facts_.largest(resource); amount > largest) {
          const auto& name = session_.books().resource_name(resource);
          if (name.starts_with("attachable-volumes-"))
            return "give the CSINodes of the nodes, or name the driver in --ignored-provisioners if nothing has to be attached";
          if (largest == 0)
            return fmt::format(
                "add a node that has {0} in status.allocatable, or see that the device plugin for it runs; pod {1} "
                "asks for {2}{3}",
                name, session_.books().pod(pod).name, amount_text(name, static_cast<double>(amount)), meant_resource(name));
          return fmt::format("ask for at most {} in pod {}, or add a node with at least {}",
                             amount_of(name, static_cast<double>(largest)), session_.books().pod(pod).name,
                             amount_text(name, static_cast<double>(amount)));
        }
    }
    return std::string(text_of(out_.reason).hint);
  }

  std::string meant_resource(const std::string& name) const {
    const auto near = near_resource(session_.books(), name);
    return near.empty() ? "" : "; did you mean " + near + "?";
  }

  // The resource that the sentence is about, and who of the queue holds it.
  std::string queue_room(const std::string& other) const {
    for (const auto& [resource, amount] : needs_of(session_, job_, out_.state).amounts) {
      const auto& name = session_.books().resource_name(resource);
      if (amount == 0 || out_.sentence.find(" of " + name) == std::string::npos) continue;
      const auto holders = queue_holders(resource);
      if (holders.empty() || !would_suffice(resource, amount)) return fmt::format("{}, or ask for less of {}", other, name);
      return fmt::format("wait for jobs of queue {} to end ({}), or {}", full_queue().name, holders_text(name, holders), other);
    }
    return "wait for jobs of this queue to end, or " + other;
  }

  // Whether the job could have so much more if nobody else of the queue held anything.
  bool would_suffice(ResourceId resource, std::int64_t amount) const {
    if (!facts_.queue_limits().exist()) return true;
    const auto own = session_.books().group(job_.id).held.get(resource);
    return static_cast<double>(amount + own) <= facts_.queue_limits().share_of(out_.full_queue).real_capability.get(resource);
  }

  // The queue that sets the limit may be one above the full one, or it is what is guaranteed to others, or the cluster itself.
  std::string higher_limit() const {
    const auto& limits = facts_.queue_limits();
    if (!limits.exist()) return "raise the capability of queue " + full_queue().name;
    for (const auto& [resource, amount] : needs_of(session_, job_, out_.state).amounts) {
      if (amount == 0 || out_.sentence.find(" of " + session_.books().resource_name(resource)) == std::string::npos) continue;
      QueueId lowest;
      const auto limit_of = [&](QueueId queue) { return session_.cluster().queue(queue).capability.get(resource); };
      for (auto at = out_.full_queue; at; at = limits.above(at))
        if (limit_of(at) > 0 && (!lowest || limit_of(at) < limit_of(lowest))) lowest = at;
      const bool own = lowest && limit_of(lowest) <= limits.share_of(out_.full_queue).real_capability.get(resource);
      if (own) return "raise the capability of queue " + session_.cluster().queue(lowest).name + and_room(resource, amount);
      if (limits.guarantees_to_others(out_.full_queue, resource)) return "lower what is guaranteed to other queues";
      return "add nodes";
    }
    return "raise the capability of queue " + full_queue().name;
  }

  // What a higher limit needs besides, for a job that was let in.
  std::string and_room(ResourceId resource, std::int64_t amount) const {
    const auto& books = session_.books();
    const auto free = std::max<std::int64_t>(books.total_allocatable().get(resource) - books.total_used().get(resource), 0);
    if (out_.reason != PendingReason::kQueueFull || amount <= free) return "";
    const auto& name = books.resource_name(resource);
    return fmt::format(" and free {} more of {} on the nodes", amount_text(name, static_cast<double>(amount - free)), name);
  }

  const volcano::QueueInfo& full_queue() const { return session_.cluster().queue(out_.full_queue); }

  // Whether a queue is the full one, or below it.
  bool is_within(QueueId queue) const {
    for (std::size_t steps = 0; queue && steps <= session_.cluster().queue_count(); ++steps) {
      if (queue == out_.full_queue) return true;
      queue = session_.cluster().find_queue(session_.cluster().queue(queue).parent);
    }
    return false;
  }

  Holders queue_holders(ResourceId resource) const {
    Holders out;
    for (const auto id : IdRange<GroupId>(session_.cluster().job_count())) {
      if (id == job_.id || !is_within(session_.cluster().job(id).queue)) continue;
      if (const auto held = session_.books().group(id).held.get(resource); held > 0)
        out.emplace_back(session_.books().group(id).name, static_cast<double>(held));
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& l, const auto& r) { return l.second > r.second; });
    return out;
  }

  std::string cluster_room() const {
    std::vector<std::string> before;
    for (const auto id : IdRange<GroupId>(session_.cluster().job_count()))
      if (const auto& other = session_.cluster().job(id);
          other.status.phase == volcano::Phase::kInqueue && session_.counts(other).of(PodState::kPending) != 0)
        before.push_back(session_.books().group(id).name);
    const auto who = before.empty() ? std::string("jobs") : listed(before, kMostNamed);
    return fmt::format("wait for {} to start or end, add nodes, or raise overcommit-factor if many waiting jobs do no harm", who);
  }

  std::string quota() const {
    std::vector<std::string> names;
    if (const auto found = session_.cluster().quotas().find(job_.ns); found != session_.cluster().quotas().end())
      for (const auto& [name, quota] : found->second) names.push_back(name);
    return fmt::format("raise the ResourceQuota {} of namespace {}, or wait for its pods to end", listed(names, kMostNamed),
                       job_.ns);
  }

  std::string nodes() const {
    const auto& selector = session_.cluster().options().node_selector;
    if (selector.empty()) return "add nodes: the input has none";
    return "check --node-selector: only nodes labelled " + listed(selector, kMostNamed) + " count";
  }

  std::string release() const {
    std::vector<std::string> leaving;
    for (const auto pod : session_.books().group(job_.id).pods) {
      const auto& record = session_.books().pod(pod);
      if (record.state != PodState::kPipelined) continue;
      for (const auto other : session_.books().pods_on(record.node))
        if (session_.books().pod(other).state == PodState::kReleasing) leaving.push_back(session_.books().pod_key(other));
    }
    if (leaving.empty())  // its node has room; what leaves makes its queue hold less
      for (const auto& decision : session_.outbox())
        if (decision.kind == Decision::Kind::kEvict && decision.for_whom.group == job_.id)
          leaving.push_back(session_.books().pod_key(decision.pod));
    std::sort(leaving.begin(), leaving.end());
    leaving.erase(std::unique(leaving.begin(), leaving.end()), leaving.end());
    if (leaving.empty()) return "nothing: it starts in a later cycle";
    return fmt::format("nothing: it starts when {} {} gone", listed(leaving, kMostNamed), leaving.size() == 1 ? "has" : "have");
  }

  // ---- topology

  // A higher tier, or none, helps at once where there is room in it. Where the domains are large enough, room may also come by
  // waiting.
  std::string wider_domain() const {
    const auto room = wider_room(session_, job_, job_.sub_jobs->closeness().hard_tier.value_or(0));
    const bool too_small = out_.reason == PendingReason::kDomainTooSmall;
    if (!room.anywhere)
      return too_small ? "ask for less; a higher tier in highestTierAllowed or the mode soft needs room on the nodes as well"
                       : "wait for room: neither a higher tier in highestTierAllowed nor the mode soft finds any now";
    std::vector<std::string> ways = {too_small ? "ask for less" : "wait for room"};
    if (room.tier) ways.push_back(fmt::format("allow the tier {} in highestTierAllowed", *room.tier));
    ways.emplace_back("use the mode soft");
    return joined(ways, ", or ");
  }

  // ---- nodes

  std::string node_room() const {
    auto ways = ways_in();
    if (obstacles_.together > 1 && ways.size() > 1)
      ways = {fmt::format("for {}, the closest node: {}", obstacles_.node, joined(ways, " and ")) + for_the_others(1)};
    const auto fit = out_.would_fit + out_.holding;
    const auto role = missed_role(session_, job_);
    if (out_.reason == PendingReason::kGangIncomplete && fit >= out_.minimum && role)
      ways.push_back(fmt::format("lower the minimum of the role {} in spec.minTaskMember from {} to {}", role->name, role->minimum,
                                 role->fit));
    if (out_.reason == PendingReason::kGangIncomplete && fit > 0 && fit < out_.minimum)
      ways.push_back(fmt::format("lower spec.minMember from {} to {}", out_.minimum, fit));
    if (ways.empty())
      if (auto advice = advice_on_refusals(); !advice.empty()) return advice;
    if (ways.empty()) return std::string(text_of(out_.reason).hint);
    return joined(ways, ", or ");
  }

  // On the most frequent of those that it is known for.
  std::string advice_on_refusals() const {
    for (const auto& [words, nodes] : out_.refusals.reasons)
      if (auto advice = advice_on(session_, out_.refusals.id, words); !advice.empty()) return advice;
    return "";
  }

  // Nodes that are large enough may have refused it only beside others of its job, which have none any more.
  std::string way_to_others(const ClosestNode& closest) const {
    const bool too_small = closest.freeing == Freeing::kTooSmall;
    const auto advice = too_small && obstacles_.some_take ? advice_on_refusals() : std::string();
    return advice.empty() ? larger_node(closest) : advice;
  }

  // What would open a node: each alone, or all of them where a node has several obstacles.
  std::vector<std::string> ways_in() const {
    std::vector<std::string> ways;
    if (obstacles_.closest && obstacles_.closest->freeing != Freeing::kEnough) return {way_to_others(*obstacles_.closest)};
    const bool alone = obstacles_.together <= 1;
    const auto add = [&](std::string way, std::int64_t room) {
      ways.push_back(alone ? way + for_the_others(room) : std::move(way));
    };
    const auto several = [&](const std::string& thing, std::size_t nodes) {
      return alone ? thing + " " + nodes_text(nodes) : thing;
    };
    if (obstacles_.closest) add(freeing_text(*obstacles_.closest, out_.name, obstacles_.together <= 1), 1);
    for (const auto& [taint, count] : obstacles_.taints) add("tolerate the taint " + several(taint, count.nodes), count.room);
    if (!obstacles_.cordoned.empty()) add("uncordon " + listed(obstacles_.cordoned, kMostNamed), obstacles_.room_on_cordoned);
    if (obstacles_.unselected && !(alone && selected_are_closed())) {
      const bool is_one_enough = !alone || pods_without_room() <= std::max<std::int64_t>(obstacles_.room_on_unselected, 1);
      add(selection(is_one_enough), is_one_enough ? obstacles_.room_on_unselected : obstacles_.room_on_all_unselected);
    }
    for (const auto& [advice, nodes] : other_advice()) add(several(advice, nodes), 1);
    return ways;
  }

  // With the number of nodes that each is about. Refusals that name their node differ from one to the next and need the same.
  std::vector<std::pair<std::string, std::size_t>> other_advice() const {
    std::vector<std::pair<std::string, std::size_t>> out;
    for (const auto& [words, count] : obstacles_.others) {
      auto advice = advice_on(session_, obstacles_.pod, words);
      if (advice.empty()) advice = "see to \"" + words + "\"";
      const auto known = std::find_if(out.begin(), out.end(), [&](const auto& one) { return one.first == advice; });
      if (known == out.end())
        out.emplace_back(std::move(advice), count.nodes);
      else
        known->second += count.nodes;
    }
    return out;
  }

  std::string selection(bool is_one_enough) const {
    if (obstacles_.labels.empty()) return "relax the pod's node affinity, or label nodes as it asks";
    return fmt::format("label {} as spec.nodeSelector asks: {}", is_one_enough ? "a node" : "nodes", text_of(obstacles_.labels));
  }

  // Whether nodes that it selects only have to be opened: their labels are not for others then.
  bool selected_are_closed() const { return !obstacles_.taints.empty() || !obstacles_.cordoned.empty(); }

  static std::string joined(const std::vector<std::string>& ways, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < ways.size(); ++i) text.append(i == 0 ? "" : i + 1 == ways.size() ? last : ", ").append(ways[i]);
    return text;
  }

  // Where no leaving of others is enough.
  static std::string larger_node(const ClosestNode& closest) {
    switch (closest.freeing) {
      case Freeing::kEnough:
      case Freeing::kTooSmall: return "add a node that has enough of everything that it asks for";
      case Freeing::kOwnPods: return fmt::format("add a node: what {} lacks is held by pods of the job itself", closest.name);
      case Freeing::kWantedPods:
        return fmt::format("a larger node for it and a pod that its affinity wants near: such pods hold what {} lacks",
                           closest.name);
    }
    return "";
  }

  // A way in may be one for a single pod. When several have to start together, the others need theirs too.
  std::string for_the_others(std::int64_t room) const {
    const auto more = pods_without_room() - std::max<std::int64_t>(room, 1);
    return more > 0 ? fmt::format(", and room for {} as well", count_of(static_cast<std::size_t>(more), "more pod")) : "";
  }

  // Of those that have to start together, how many find none.
  std::int64_t pods_without_room() const {
    if (out_.state == JobState::kPartial) return 1;  // each of the rest counts by itself
    return out_.minimum - out_.would_fit - out_.holding;
  }

  static std::string nodes_text(std::size_t nodes) { return "(on " + count_of(nodes, "node") + ")"; }

  Session& session_;
  const Job& job_;
  const OutlookFacts& facts_;
  const JobOutlook& out_;
  const NodeObstacles& obstacles_;
};

}  // namespace

std::string what_would_help(Session& session, const Job& job, const OutlookFacts& facts, const JobOutlook& outlook,
                            const NodeObstacles& obstacles) {
  return Advice(session, job, facts, outlook, obstacles).text();
}

}  // namespace muster
