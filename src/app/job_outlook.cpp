#include "app/job_outlook.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "app/amount_text.h"
#include "app/printable_text.h"
#include "policy/volcano/plugins/proportion.h"

namespace muster {
namespace {

using volcano::Job;
using volcano::Phase;
using volcano::Proportion;
using volcano::Session;

constexpr std::size_t kNodesNamed = 4;

bool is_pending(const Session& session, PodId pod) { return session.books().pod(pod).state == PodState::kPending; }

NodeRefusals refusals_of(const Session& session, const Job& job, PodId wanted) {
  NodeRefusals out;
  std::optional<volcano::JobNotes::Task> as_before;  // of a job whose hopeless attempt was not repeated
  if (job.still_stuck) as_before = volcano::JobNotes::Task{job.stuck->pod, job.stuck->errors, std::nullopt};
  if (!job.notes && !as_before) return out;
  const volcano::JobNotes::Task* chosen = as_before ? &*as_before : nullptr;
  if (job.notes)
    for (const auto& note : job.notes->tasks()) {
      if (!note.errors || !is_pending(session, note.pod)) continue;
      if (chosen == nullptr || note.pod == wanted || (chosen->errors->nodes == 0 && note.errors->nodes != 0)) chosen = &note;
      if (note.pod == wanted) break;
    }
  if (chosen == nullptr) return out;
  out.pod = session.books().pod_key(chosen->pod);
  out.nodes = chosen->errors->nodes;
  if (!chosen->errors->head.empty()) out.reasons.emplace_back(chosen->errors->head, out.nodes);
  for (const auto& [reason, count] : chosen->errors->reasons)
    if (const auto& text = session.cluster().fits().text(reason); !text.empty()) out.reasons.emplace_back(text, count);
  std::sort(out.reasons.begin(), out.reasons.end(),
            [](const auto& l, const auto& r) { return l.second != r.second ? l.second > r.second : l.first < r.first; });
  return out;
}

std::size_t count_nodes(const Session& session) {
  std::size_t count = 0;
  for (const auto node : IdRange<NodeId>(session.books().node_count())) count += session.books().node(node).known;
  return count;
}

// Finds the one reason why a job waits, and says it in a sentence.
class ReasonFinder {
 public:
  ReasonFinder(Session& session, const Job& job, JobOutlook& out)
      : session_(session),
        job_(job),
        out_(out),
        counts_(session.counts(job)),
        proportion_(session.plugin<Proportion>("proportion")) {}

  void find() {
    const bool found = without_object() || incomplete() || not_let_in() || held_back() || promised() || too_large() ||
                       without_domain() || refused_by_nodes() || over_share();
    if (!found) decide(PendingReason::kNotTried, "no action of this configuration tried to place it");
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
                                                            out_.pods == 1 ? "a pod names" : count_of(pods(), "pod") + " name"));
    if (!job_.queue) return decide(PendingReason::kNoQueue, fmt::format("its queue {} does not exist", job_.queue_name));
    if (out_.pods == 0) return decide(PendingReason::kNoPods, "its PodGroup has no pods");
    return false;
  }

  bool incomplete() {
    if (session_.job_valid(job_)) return false;
    if (counts_.valid() < job_.min_available)
      return decide(PendingReason::kTooFewPods, fmt::format("{} pods have to start together and only {} {}", job_.min_available,
                                                            counts_.valid(), counts_.valid() == 1 ? "exists" : "exist"));
    for (const auto& role : job_.roles) {
      const auto have =
          role_holding(role) + of(role, PodState::kSucceeded) + of(role, PodState::kPipelined) + of(role, PodState::kPending);
      if (have < role.minimum)
        return decide(PendingReason::kTooFewOfRole,
                      fmt::format("{} pods of the role {} have to start together and only {} {}", role.minimum, role_name(role),
                                  have, have == 1 ? "exists" : "exist"));
    }
    if (job_.sub_jobs)
      for (const auto& group : job_.sub_jobs->groups())
        if (group.existing < group.minimum)
          return decide(PendingReason::kTooFewSubGroups,
                        fmt::format("{} sub-groups of {} have to be complete and only {} {}", group.minimum, group.name,
                                    group.existing, group.existing == 1 ? "exists" : "exist"));
    return false;
  }

  bool not_let_in() {
    if (proportion_ != nullptr && !session_.cluster().queue(job_.queue).open)
      return decide(PendingReason::kQueueClosed, fmt::format("its queue {} is not open", job_.queue_name));
    if (job_.status.phase != Phase::kPending) return false;
    struct Refusal {
      std::string_view begins;
      PendingReason reason;
      std::string_view sentence;
    };
    // What the plugins that vote on letting jobs in write as an event when they refuse.
    static constexpr Refusal kRefusals[] = {
        {"queue resource quota insufficient", PendingReason::kQueueLimit,
         "not let in: its minimum would take the queue past its limit"},
        {"resource in cluster is overused", PendingReason::kClusterPromised,
         "not let in: more is promised to waiting jobs already than the cluster has"},
        {"resource quota insufficient", PendingReason::kResourceQuota,
         "not let in: the namespace's resource quota does not allow it"},
    };
    for (const auto& event : session_.writes().events)
      for (const auto& refusal : kRefusals)
        if (event.job == job_.id && event.message->starts_with(refusal.begins))
          return decide(refusal.reason, fmt::format("{} ({})", refusal.sentence, *event.message));
    return decide(PendingReason::kNotLetIn, "not let in yet");
  }

  bool held_back() {
    if (count_nodes(session_) == 0) return decide(PendingReason::kNoNodes, "the cluster has no nodes");
    const bool all = out_.gated == out_.pending;
    if (out_.gated == 0 || !(all || counts_.valid() - out_.gated < job_.min_available)) return false;
    return decide(PendingReason::kGated,
                  fmt::format("scheduling gates hold {} of its {} back", out_.gated, count_of(pods(), "pod")));
  }

  bool promised() {
    if (out_.state != JobState::kPipelined) return false;
    std::vector<std::string> names;
    for (const auto pod : session_.books().group(job_.id).pods)
      if (const auto& record = session_.books().pod(pod); record.state == PodState::kPipelined)
        names.push_back(session_.books().node(record.node).name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return decide(PendingReason::kWaitsForRelease, "room is being freed for it on " + listed(names, kNodesNamed));
  }

  // What most nodes had against one of the pods, as the end of a sentence.
  std::string refusals_text() const {
    const auto& refusals = out_.refusals;
    if (refusals.pod.empty() || refusals.reasons.empty()) return "";
    const auto& [text, count] = refusals.reasons.front();
    return refusals.nodes == 0 ? ": " + text : fmt::format(": {} on {} of {}", text, count, count_of(refusals.nodes, "node"));
  }

  bool refused_by_nodes() {
    const auto& refusals = out_.refusals;
    if (refusals.pod.empty()) return false;
    const auto most = refusals_text();
    const auto fit = out_.would_fit + out_.holding;
    if (out_.state == JobState::kPartial) return decide(PendingReason::kNoNodeFits, "no node fits the rest of its pods" + most);
    if (fit == 0) return decide(PendingReason::kNoNodeFits, "no node fits" + most);
    return decide(PendingReason::kGangIncomplete, fmt::format("only {} of the {} pods that have to start together {} a node{}", fit,
                                                              job_.min_available, fit == 1 ? "finds" : "find", most));
  }

  // Jobs that have to be close together, as far as there is a reason for it in the topology.
  bool without_domain() {
    if (!job_.sub_jobs || !job_.sub_jobs->wants_closeness()) return false;
    if (!session_.hyper_tree().ready())
      return decide(PendingReason::kBrokenTopology,
                    "the cluster's HyperNodes contradict each other, and it has a network topology");
    const auto& tier = job_.sub_jobs->closeness().hard_tier;
    if (!tier || *tier >= session_.hyper_tree().tier(volcano::HyperTree::root()) || out_.state == JobState::kPartial) return false;
    return decide(PendingReason::kNoDomain,
                  fmt::format("no HyperNode of tier {} or lower has room for {}{}", *tier,
                              out_.minimum == 1 ? "it" : fmt::format("{} of its pods", out_.minimum), refusals_text()));
  }

  bool too_large() {
    if (count_nodes(session_) == 0) return false;
    ShapeId last;
    for (const auto pod : session_.books().group(job_.id).pods) {
      const auto shape = session_.books().pod(pod).shape;
      if (!is_pending(session_, pod) || std::exchange(last, shape) == shape) continue;  // pods of a job are mostly alike
      if (auto text = larger_than_every_node(pod)) return decide(PendingReason::kTooLarge, std::move(*text));
    }
    return false;
  }

  // The first resource of which the pod asks for more than any node has when it is empty.
  std::optional<std::string> larger_than_every_node(PodId pod) const {
    const auto& books = session_.books();
    for (const auto& [resource, amount] : books.shape_of(pod).request) {
      std::int64_t largest = 0;
      for (const auto node : IdRange<NodeId>(books.node_count()))
        if (books.node(node).known) largest = std::max(largest, books.ledgers().allocatable[resource.index()][node.index()]);
      if (amount <= largest) continue;
      const auto& name = books.resource_name(resource);
      return fmt::format("a pod asks for {} of {} and the largest node has {}", amount_text(name, static_cast<double>(amount)),
                         name, amount_text(name, static_cast<double>(largest)));
    }
    return std::nullopt;
  }

  // What the queue may still take against what the job misses to its minimum.
  bool over_share() {
    if (proportion_ == nullptr) return false;
    const auto& share = proportion_->share_of_queue(job_.queue);
    Amounts missing;
    auto to_place = std::max<std::int64_t>(job_.min_available - counts_.ready(), 1);
    for (const auto pod : session_.books().group(job_.id).pods) {
      if (!is_pending(session_, pod) || to_place == 0) continue;
      missing += session_.books().shape_of(pod).request;
      --to_place;
    }
    for (const auto& [resource, amount] : missing) {
      if (resource == kPodCount || amount == 0) continue;
      if (share.allocated.get(resource) + static_cast<double>(amount) <= share.deserved.get(resource)) continue;
      const auto& name = session_.books().resource_name(resource);
      return decide(PendingReason::kQueueShare,
                    fmt::format("its queue {} deserves {} of {} now and holds {}; it needs {} more", job_.queue_name,
                                amount_text(name, share.deserved.get(resource)), name,
                                amount_text(name, share.allocated.get(resource)), amount_text(name, static_cast<double>(amount))));
    }
    return false;
  }

  std::size_t pods() const { return static_cast<std::size_t>(out_.pods); }
  static std::int64_t of(const volcano::Role& role, PodState state) { return role.count[static_cast<std::size_t>(state)]; }
  std::string role_name(const volcano::Role& role) const {
    return role.name ? session_.books().symbols().text(role.name) : std::string("without a name");
  }

  Session& session_;
  const Job& job_;
  JobOutlook& out_;
  volcano::JobCounts counts_;
  Proportion* proportion_;
};

JobState state_of(const Session& session, const Job& job, const JobOutlook& out) {
  const auto counts = session.counts(job);
  if (out.pods != 0 && counts.of(PodState::kSucceeded) + counts.of(PodState::kFailed) == out.pods) return JobState::kFinished;
  const bool placed_now = counts.of(PodState::kBinding) + counts.of(PodState::kAllocated) != 0;
  const bool has_minimum = out.holding != 0 && counts.is_ready() && counts.roles_ready();
  if (job.schedulable() && has_minimum && out.pending == 0 && counts.waiting() == 0)
    return placed_now ? JobState::kPlaced : JobState::kRunning;
  if (has_minimum) return JobState::kPartial;
  if (job.schedulable() && counts.waiting() != 0) return JobState::kPipelined;
  return JobState::kWaiting;
}

void count_pods(const Session& session, const Job& job, JobOutlook& out) {
  const auto& books = session.books();
  std::map<NodeId, std::size_t> nodes;
  for (const auto pod : books.group(job.id).pods) {
    const auto& record = books.pod(pod);
    if (kHoldingStates.contains(record.state) && record.node) ++nodes[record.node];
    if (record.state != PodState::kPending) continue;
    out.gated += record.gated && !session.cluster().task(pod).only_own_gate;
    const auto* note = job.notes ? job.notes->find(pod) : nullptr;
    out.would_fit += note != nullptr && note->last && kHoldingStates.contains(note->last->state);
  }
  for (const auto& [node, count] : nodes) out.nodes.emplace_back(books.node(node).name, count);
}

}  // namespace

std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::kRunning: return "running";
    case JobState::kPlaced: return "placed";
    case JobState::kPartial: return "partial";
    case JobState::kPipelined: return "pipelined";
    case JobState::kWaiting: return "waiting";
    case JobState::kFinished: return "finished";
  }
  return "";
}

JobOutlook outlook_of(Session& session, const Job& job, PodId pod) {
  const auto counts = session.counts(job);
  JobOutlook out;
  out.name = session.books().group(job.id).name;
  out.queue = job.queue_name;
  out.phase = name_of(job.status.phase);
  out.minimum = job.min_available;
  out.pods = counts.tasks();
  out.holding = counts.holding();
  out.pending = counts.of(PodState::kPending);
  count_pods(session, job, out);
  out.state = state_of(session, job, out);
  out.refusals = refusals_of(session, job, pod);
  const bool content = out.state == JobState::kRunning || out.state == JobState::kPlaced || out.state == JobState::kFinished;
  if (!content) ReasonFinder(session, job, out).find();
  return out;
}

std::vector<JobOutlook> outlooks_of(Session& session) {
  std::vector<JobOutlook> out;
  for (const auto id : IdRange<GroupId>(session.cluster().job_count()))
    out.push_back(outlook_of(session, session.cluster().job(id)));
  return out;
}

}  // namespace muster
