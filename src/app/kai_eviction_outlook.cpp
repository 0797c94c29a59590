#include "app/kai_eviction_outlook.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "policy/kai/actions/consolidation.h"
#include "policy/kai/next_tasks.h"
#include "policy/kai/plugins/minruntime.h"
#include "policy/kai/plugins/proportion.h"

namespace muster {
namespace {

using kai::FitReason;
using kai::Job;
using kai::Plugin;
using kai::Point;
using kai::Session;

constexpr std::string_view kByMinRuntime = "(minruntime)";

enum class Kind : std::uint8_t { kConsolidation, kReclaim, kPreempt };
constexpr std::pair<std::string_view, Kind> kMakingRoom[] = {
    {"consolidation", Kind::kConsolidation},
    {"reclaim", Kind::kReclaim},
    {"preempt", Kind::kPreempt},
};

std::string_view keeper_text(const Plugin& plugin) {
  if (dynamic_cast<const kai::Proportion*>(&plugin) != nullptr) return "of queues that hold no more than their share (proportion)";
  if (dynamic_cast<const kai::MinRuntime*>(&plugin) != nullptr)
    return "of jobs that started less than their minimum runtime ago (minruntime)";
  return "kept by a plugin";
}

class Chances {
 public:
  Chances(Session& session, Job& job, std::string_view action, Kind kind)
      : session_(session), job_(job), action_(action), kind_(kind) {}

  EvictionChance find() {
    EvictionChance out;
    out.action = action_;
    out.obstacle = obstacle();
    if (!out.obstacle.empty()) return out;
    out.looked_at = looked_at();
    if (kind_ == Kind::kConsolidation) out.asked = "move";
    for (const auto id : session_.cluster().listed_jobs())
      if (const auto& other = session_.cluster().job(id); is_looked_at(other)) look_at(other, out);
    for (const auto& [why, pods] : kept_)
      out.kept.emplace_back(first_free_ && why.ends_with(kByMinRuntime) ? why + ", the first until " + first_free_->rfc3339() : why,
                            pods);
    std::ranges::stable_sort(out.kept, std::greater<>(), [](const auto& entry) { return entry.second; });
    return out;
  }

 private:
  std::string looked_at() const {
    switch (kind_) {
      case Kind::kConsolidation: return "other jobs";
      case Kind::kReclaim: return "other queues";
      case Kind::kPreempt: return "other jobs of queue " + job_.queue_name;
    }
    return "";
  }

  // Why the action makes no room for the job, whoever may go.
  std::string obstacle() {
    if (!job_.ready()) return "the job is not complete";
    if (std::ranges::find(job_.errors, FitReason::kPreemptionDelayNotElapsed, &kai::JobFitError::reason) != job_.errors.end())
      return "its spec.preemptionDelay has not passed yet";
    if (auto text = behind_depth(); !text.empty()) return text;
    for (const auto pod : kai::next_tasks(session_, job_, kai::Mode::kSimulation))
      if (const auto refusal = session_.victim_invariant(pod))
        return session_.books().pod_key(pod) + " cannot be helped that way: " + *refusal;
    switch (kind_) {
      case Kind::kConsolidation: return obstacle_to_moving();
      case Kind::kReclaim: return session_.can_reclaim(job_) ? "" : over_share();
      case Kind::kPreempt: break;
    }
    const auto refusal = session_.non_preemptible_over_quota(job_, kai::next_tasks(session_, job_, kai::Mode::kSimulation));
    return refusal ? session_.tell_capacity(job_, *refusal).message : "";
  }

  std::string obstacle_to_moving() {
    if (session_.cluster().options().max_consolidation_preemptees == 0) return "--max-consolidation-preemptees is 0";
    if (!job_.preemptible) return "others are moved for preemptible jobs only";
    return kai::enough_gpus(session_, job_) ? "" : "all GPUs that are free, wherever they are, would not be enough";
  }

  std::string over_share() const {
    return job_.preemptible ? fmt::format("its queue {} would hold more than its fair share", job_.queue_name)
                            : fmt::format(
                                  "its queue {} would hold more than its fair share, or more than its quota of what cannot "
                                  "be preempted",
                                  job_.queue_name);
  }

  // By the jobs that still wait now, when the actions are done.
  std::string behind_depth() const {
    const auto depth = session_.config().queue_depth.find(action_);
    if (depth == session_.config().queue_depth.end()) return "";
    std::int64_t place = 1;
    for (const auto id : session_.cluster().listed_jobs()) {
      const auto& other = session_.cluster().job(id);
      place += other.queue == job_.queue && other.id != job_.id && other.count(kai::Status::kPending) != 0 &&
               session_.job_before(other, job_);
    }
    if (place <= depth->second) return "";
    return fmt::format("it is number {} of its queue, and queueDepthPerAction looks at {}", place, depth->second);
  }

  bool is_looked_at(const Job& other) const {
    if (other.id == job_.id || !other.has_places()) return false;
    return kind_ == Kind::kConsolidation || (other.queue == job_.queue) == (kind_ == Kind::kPreempt);
  }

  void look_at(const Job& other, EvictionChance& out) {
    const std::size_t pods = other.count(kai::kActiveAllocated);
    out.running += pods;
    const auto why = why_kept(other);
    note_minimum(other);
    if (!why.empty()) {
      kept_[why] += pods;
      return;
    }
    const auto spare = std::min(pods, spare_pods(other));
    out.may_go += spare;
    if (spare < pods)
      kept_["needed for the minimum of jobs that started less than their minimum runtime ago (minruntime)"] += pods - spare;
  }

  // The first of those that their minimum runtime keeps is free then.
  void note_minimum(const Job& other) {
    if (kind_ == Kind::kConsolidation || !is_protected(other)) return;
    for (const auto* plugin : session_.chain(kind_ == Kind::kReclaim ? Point::kReclaimScenario : Point::kPreemptScenario))
      if (const auto* minimum = dynamic_cast<const kai::MinRuntime*>(plugin)) {
        const auto until = minimum->protected_until(kind_ == Kind::kReclaim ? &job_ : nullptr, other);
        if (!first_free_ || until < *first_free_) first_free_ = until;
      }
  }

  std::string why_kept(const Job& other) {
    if (!other.preemptible) return "of jobs that cannot be preempted";
    if (!session_.keeps(kai::Quirk::kBrokenPromises) && session_.is_served(other.id)) return "of jobs that this cycle has served";
    if (kind_ == Kind::kPreempt && other.priority >= job_.priority) return "not less urgent than it";
    if (kind_ == Kind::kConsolidation) return "";
    for (auto* plugin : session_.chain(kind_ == Kind::kReclaim ? Point::kReclaimVictim : Point::kPreemptVictim))
      if (!(kind_ == Kind::kReclaim ? plugin->reclaim_victim(job_, other) : plugin->preempt_victim(job_, other)))
        return std::string(keeper_text(*plugin));
    return "";
  }

  // Of a job that may lose pods, those that it may lose.
  std::size_t spare_pods(const Job& other) const {
    const bool kept = kind_ != Kind::kConsolidation && is_protected(other);
    std::size_t spare = 0;
    for (const auto id : other.groups.pod_sets()) {
      const auto& part = other.part(id);
      const auto needed = kept ? static_cast<std::size_t>(std::max(0, part.minimum)) : 0;
      spare += part.active_allocated > needed ? part.active_allocated - needed : 0;
    }
    return spare;
  }

  bool is_protected(const Job& other) const {
    for (const auto* plugin : session_.chain(kind_ == Kind::kReclaim ? Point::kReclaimScenario : Point::kPreemptScenario))
      if (const auto* minimum = dynamic_cast<const kai::MinRuntime*>(plugin))
        return kind_ == Kind::kReclaim ? minimum->protects_from_reclaim(job_, other) : minimum->protects_from_preempt(other);
    return false;
  }

  Session& session_;
  Job& job_;
  std::string_view action_;
  Kind kind_;
  std::map<std::string, std::size_t> kept_;
  std::optional<Timestamp> first_free_;
};

}  // namespace

std::vector<EvictionChance> kai_eviction_chances(Session& session, Job& job) {
  std::vector<EvictionChance> out;
  if (!job.queue) return out;
  for (const auto& name : session.config().actions)
    for (const auto& [action, kind] : kMakingRoom)
      if (action == name) out.push_back(Chances(session, job, action, kind).find());
  return out;
}

}  // namespace muster
