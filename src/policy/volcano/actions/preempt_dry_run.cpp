#include "policy/volcano/actions/preempt_dry_run.h"

#include <algorithm>
#include <tuple>

#include "policy/volcano/actions/eviction_nodes.h"

namespace muster::volcano {
namespace {

// Pods taken off their node for a trial. Whoever is not put back by hand is put back at the end, exactly as it was.
class Absence {
 public:
  explicit Absence(Session& session) : session_(session) {}
  ~Absence() {
    while (!gone_.empty()) back(gone_.back().pod);
  }
  Absence(const Absence&) = delete;
  Absence& operator=(const Absence&) = delete;

  void take(PodId pod) {
    const auto& record = session_.books().pod(pod);
    gone_.push_back({pod, record.state, static_cast<bool>(record.present_on)});
    session_.cluster().restate(pod, PodState::kReleasing);
    session_.notify_deallocate(pod);
  }

  void back(PodId pod) {
    const auto at = std::find_if(gone_.begin(), gone_.end(), [&](const Gone& gone) { return gone.pod == pod; });
    session_.cluster().restate(pod, at->state);
    session_.notify_eviction_undone(pod);
    auto& books = session_.books();
    if (at->present && !books.pod(pod).present_on) books.arrive(pod, books.pod(pod).node);
    gone_.erase(at);
    ++session_.work().undo_steps;
  }

 private:
  struct Gone {
    PodId pod;
    PodState state;
    bool present;
  };
  Session& session_;
  std::vector<Gone> gone_;
};

class DryRun {
 public:
  DryRun(Session& session, const Job& job, PodId pod, const std::function<bool(PodId)>& filter)
      : session_(session),
        job_(job),
        pod_(pod),
        filter_(filter),
        checks_all_(!session.behaviour().keeps(Quirk::kUncheckedDryRun)) {}

  // Empty: the node will not do, or nobody would have to leave.
  std::vector<PodId> victims_on(NodeId node) {
    const auto& books = session_.books();
    const auto allowed = session_.preemptable(pod_, candidates_on(session_, job_.id, node, filter_));
    session_.tally().preemption_victims = allowed.size();
    if (!fits_later(books, pod_, node, requests_of(books, allowed))) return {};
    Absence absence(session_);
    std::vector<PodId> gone;
    VictimLine line(session_, job_.id, allowed);
    while (!line.empty()) {
      gone.push_back(line.pop());
      absence.take(gone.back());
      if (fits(node)) break;
    }
    if (gone.empty() || (checks_all_ ? !fits(node) : !session_.simulate_predicate(pod_, node))) return {};
    std::vector<PodId> victims;
    for (auto pod = gone.rbegin(); pod != gone.rend(); ++pod) {
      absence.back(*pod);
      if (fits(node)) continue;
      absence.take(*pod);
      victims.push_back(*pod);
    }
    return victims;
  }

 private:
  bool fits(NodeId node) {
    if (!session_.simulate_allocatable(job_.queue, pod_) || !fits_later(session_.books(), pod_, node)) return false;
    if (!session_.simulate_predicate(pod_, node)) return false;
    if (!checks_all_) return true;
    return session_.allocatable(job_.queue, pod_) && !session_.pre_predicate(pod_) && session_.predicate(pod_, node).empty();
  }

  Session& session_;
  const Job& job_;
  PodId pod_;
  const std::function<bool(PodId)>& filter_;
  bool checks_all_;
};

std::size_t candidates_wanted(const Arguments& arguments, std::size_t nodes) {
  const auto argument = [&](std::string_view name, std::int64_t fallback) { return arguments.get_int(name, fallback); };
  const auto count = static_cast<std::int64_t>(nodes);
  auto wanted = count * argument("minCandidateNodesPercentage", 10) / 100;
  wanted = std::max(wanted, argument("minCandidateNodesAbsolute", 1));
  wanted = std::min(wanted, argument("maxCandidateNodesAbsolute", 100));
  return static_cast<std::size_t>(std::max<std::int64_t>(std::min(wanted, count), 0));
}

// How much an eviction hurts, worst first.
struct Cost {
  std::int32_t first_priority;
  std::int64_t priorities;  // of all of them together
  std::size_t victims;
  Timestamp since;  // when the first of the most important ones started

  bool operator<(const Cost& other) const {
    return std::tie(first_priority, priorities, victims, other.since) <
           std::tie(other.first_priority, other.priorities, other.victims, since);
  }
};

Cost cost_of(const Session& session, const std::vector<PodId>& victims) {
  constexpr std::int64_t kShift = std::int64_t{1} << 31;  // makes every priority count for something
  const auto priority = [&](PodId pod) { return session.cluster().task(pod).pod_priority; };
  const auto started = [&](PodId pod) { return session.cluster().task(pod).started.value_or(session.now()); };
  Cost cost{priority(victims.front()), 0, victims.size(), started(victims.front())};
  auto highest = cost.first_priority;
  for (const auto pod : victims) {
    cost.priorities += priority(pod) + kShift;
    if (priority(pod) == highest)
      cost.since = std::min(cost.since, started(pod));
    else if (priority(pod) > highest)
      highest = priority(pod), cost.since = started(pod);
  }
  return cost;
}

}  // namespace

std::optional<Preemption> cheapest_preemption(Session& session, const Arguments& arguments, const Job& job, PodId pod,
                                              std::span<const NodeId> nodes, const std::function<bool(PodId)>& filter) {
  DryRun trial(session, job, pod, filter);
  const auto wanted = candidates_wanted(arguments, nodes.size());
  std::optional<Preemption> best;
  Cost best_cost{};
  std::size_t found = 0;
  for (const auto node : nodes) {
    auto victims = trial.victims_on(node);
    if (victims.empty()) continue;
    const auto cost = cost_of(session, victims);
    if (!best || cost < best_cost) best = Preemption{node, std::move(victims)}, best_cost = cost;
    if (++found >= wanted) break;
  }
  return best;
}

}  // namespace muster::volcano
