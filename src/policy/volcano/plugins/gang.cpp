#include "policy/volcano/plugins/gang.h"

#include <algorithm>
#include <iterator>

#include "policy/volcano/gang_surplus.h"
#include "policy/volcano/session.h"
#include "policy/volcano/status.h"

namespace muster::volcano {
namespace {

// A gang whose missing pods are only on their way out says nothing.
bool only_releases(const Session& session, const Job& job) {
  const auto counts = session.counts(job);
  if (counts.of(PodState::kPending) != 0 || counts.of(PodState::kPipelined) != 0) return false;
  std::int64_t releasing = 0;
  for (const auto pod : session.books().group(job.id).pods)
    releasing += session.books().pod(pod).state == PodState::kReleasing && session.books().pod(pod).node;
  if (releasing == 0) return false;
  return counts.of(PodState::kRunning) + counts.of(PodState::kBound) + counts.of(PodState::kFailed) +
             counts.of(PodState::kSucceeded) + releasing >=
         job.min_available;
}

// Tasks that hold resources, or did in the transaction that was undone last.
std::int64_t schedulable_tasks(const Session& session, const Job& job) {
  auto count = session.counts(job).ready();
  if (!job.notes) return count;
  for (const auto& note : job.notes->tasks())
    count += note.last && kHoldingStates.contains(note.last->state) && session.books().pod(note.pod).state == PodState::kPending;
  return count;
}

}  // namespace

Gang::Gang(Session& session)
    : Plugin(session),
      ready_(std::make_shared<const Condition>(
          Condition{"Scheduled", "True", "tasks in gang are ready to be scheduled", "", "", session.now()})) {}

bool Gang::job_valid(const Job& job) {
  const auto counts = session().counts(job);
  return counts.roles_valid() && counts.sub_jobs_valid() && counts.valid() >= job.min_available;
}

// Who is not ready yet goes first.
double Gang::job_rank(const Job& job) { return session().counts(job).is_ready() ? 1 : 0; }

bool Gang::job_ready(const Job& job) {
  const auto counts = session().counts(job);
  return counts.roles_ready() && counts.sub_jobs_ready() && counts.is_ready();
}

Vote Gang::job_pipelined(const Job& job) {
  const auto counts = session().counts(job);
  return counts.roles_pipelined() && counts.sub_jobs_pipelined() && counts.is_pipelined() ? Vote::kPermit : Vote::kReject;
}

bool Gang::job_starving(const Job& job) {
  const auto counts = session().counts(job);
  return counts.waiting() + counts.ready() < job.min_available;
}

bool Gang::shields(PodId pod) const {
  const auto& job = session().cluster().job_of(pod);
  if (job.min_available > 1 || (job.sub_jobs != nullptr && job.sub_jobs->has_policies())) return true;
  if (!session().counts(job).roles_matter() || job.role_minimum_total == 0) return false;
  const auto has_pods = [](const Role& role) {
    return std::any_of(role.count.begin(), role.count.end(), [](auto n) { return n != 0; });
  };
  return std::count_if(job.roles.begin(), job.roles.end(), has_pods) > 1;
}

// What jobs have beyond every minimum that they state.
Ballot Gang::surplus(std::span<const PodId> candidates) const {
  if (session().behaviour().keeps(Quirk::kUncountedRoles)) return surplus_pods(candidates);
  Ballot ballot{Vote::kPermit, {}};
  boost::container::small_vector<std::pair<GroupId, GangSurplus>, 4> left;
  for (const auto pod : candidates) {
    const auto group = session().books().pod(pod).group;
    auto at = std::find_if(left.begin(), left.end(), [&](const auto& entry) { return entry.first == group; });
    if (at == left.end()) {
      left.emplace_back(group, GangSurplus(session(), session().cluster().job(group), GangSurplus::Counting::kStrict));
      at = std::prev(left.end());
    }
    if (at->second.can_lose(pod)) ballot.victims.push_back(pod);
  }
  return ballot;
}

// The same by the number of pods alone.
Ballot Gang::surplus_pods(std::span<const PodId> candidates) const {
  Ballot ballot{Vote::kPermit, {}};
  boost::container::small_vector<std::pair<GroupId, std::int64_t>, 8> left;
  for (const auto pod : candidates) {
    const auto group = session().books().pod(pod).group;
    const auto& job = session().cluster().job(group);
    auto at = std::find_if(left.begin(), left.end(), [&](const auto& entry) { return entry.first == group; });
    if (at == left.end()) at = left.insert(left.end(), {group, session().counts(job).ready()});
    if (at->second <= job.min_available) continue;
    --at->second;
    ballot.victims.push_back(pod);
  }
  return ballot;
}

int Gang::compare_sub_jobs(const SubJob& left, const SubJob& right) {
  return static_cast<int>(left.is_ready()) - static_cast<int>(right.is_ready());
}

Vote Gang::sub_job_pipelined(const SubJob& sub_job) { return sub_job.is_pipelined() ? Vote::kPermit : Vote::kReject; }

void Gang::close() {
  for (const auto id : session().jobs_to_close())
    if (auto& job = session().cluster().job(id); job.schedulable() && !job.still_stuck) close_job(job);
}

void Gang::close_job(Job& job) {
  const auto counts = session().counts(job);
  job.gang_condition = {};
  if (counts.tasks() == 0) return;
  if (counts.is_ready()) {
    job.gang_condition = "Scheduled";
    set_condition(job, ready_);
    return;
  }
  if (only_releases(session(), job)) return;
  job.gang_condition = "Unschedulable";
  job.take_notes().unschedulable = true;
  job.gang_missing = static_cast<std::int32_t>(job.min_available - schedulable_tasks(session(), job));
  auto message = std::to_string(job.gang_missing) + "/" + std::to_string(counts.tasks()) +
                 " tasks in gang unschedulable: " + *fit_error_text(session(), job);
  set_condition(job, std::make_shared<const Condition>(
                         Condition{"Unschedulable", "True", "NotEnoughResources", std::move(message), "", session().now()}));
}

}  // namespace muster::volcano
