#include "policy/volcano/actions/gang_trial.h"

#include <algorithm>

namespace muster::volcano {

GangTrial::GangTrial(Session& session, Job& job, const Served& served, std::string_view rule)
    : session_(session),
      job_(job),
      served_(served),
      rule_(rule),
      remember_errors_(session.config().action_arguments("allocate").get_bool("predicateErrorCacheEnable", true)) {}

std::optional<GangPlan> GangTrial::in(HyperNodeId domain, const std::vector<PodId>& victims) {
  const bool was_ready = session_.job_ready(job_);
  GangPlan plan;
  Statement trial(session_);
  evict(trial, victims);
  bool runs = false;
  JobWorksheet worksheet(session_, job_, GatedTasks::kNone);
  while (!worksheet.empty()) {
    const auto& sheet = confined(worksheet.next());
    if (sheet.tasks.empty()) continue;
    const auto place = place_sub_job(sheet, domain, victims.empty() ? Room::kFree : Room::kMade, trial);
    if (!place) {
      runs = false;
      break;
    }
    for (auto tasks = sheet.tasks; !tasks.empty();) {
      const auto pod = tasks.pop();
      plan.placed.emplace_back(pod, session_.books().pod(pod).node);
    }
    plan.domains.emplace_back(sheet.sub_job, *place);
    runs = session_.job_pipelined(job_);
    if (!served_.minimum && (was_ready || runs)) break;
  }
  return concluded(std::move(plan), trial, runs);
}

std::optional<GangPlan> GangTrial::as_in(GangPlan plan, const std::vector<PodId>& victims) {
  Statement trial(session_);
  evict(trial, victims);
  constexpr bool kEvictsOthers = true;
  const bool runs = std::all_of(plan.placed.begin(), plan.placed.end(), [&](const auto& place) {
    const auto& [pod, node] = place;
    return fits_later(session_.books(), pod, node) && admitted(pod) && session_.predicate(pod, node).empty() &&
           trial.pipeline(pod, node, kEvictsOthers);
  });
  return concluded(std::move(plan), trial, runs);
}

void GangTrial::evict(Statement& trial, const std::vector<PodId>& victims) const {
  for (const auto pod : victims) trial.evict(pod, rule_, {job_.id, PodId()});
}

std::optional<GangPlan> GangTrial::concluded(GangPlan plan, Statement& trial, bool runs) const {
  if (runs) plan.steps = trial.save(), note_what_is_left(plan);
  trial.discard();
  if (!runs) return std::nullopt;
  return plan;
}

void GangTrial::note_what_is_left(GangPlan& plan) const {
  const auto& books = session_.books();
  for (const auto& [pod, node] : plan.placed) {
    auto& left = plan.left[node];
    left.clear();
    for (std::size_t r = 0; r < books.resource_count(); ++r) left.add(ResourceId(r), books.free_later(ResourceId(r), node));
  }
}

// Leaves only those on the sheet for whom room is made.
JobWorksheet::Sheet& GangTrial::confined(JobWorksheet::Sheet& sheet) {
  if (!served_.minimum) return sheet;
  TaskHeap tasks(TaskBefore{&session_});
  while (!sheet.tasks.empty())
    if (const auto pod = sheet.tasks.pop(); served_.minimum->contains(pod)) tasks.push(pod);
  sheet.tasks = std::move(tasks);
  return sheet;
}

// The domain in which the sub-job found places.
std::optional<HyperNodeId> GangTrial::place_sub_job(const JobWorksheet::Sheet& sheet, HyperNodeId within, Room room,
                                                    Statement& trial) {
  const auto* sub_job = sheet.sub_job ? &(*job_.sub_jobs)[sheet.sub_job] : nullptr;
  if (job_.sub_jobs == nullptr || !job_.sub_jobs->has_hard_tier())
    return place_in(sub_job, sheet, within, room, trial) ? std::optional(within) : std::nullopt;
  for (const auto& row : session_.gradients(job_, sub_job, within, Purpose::kEvict))
    for (const auto domain : row)
      if (place_in(sub_job, sheet, domain, room, trial)) return domain;
  return std::nullopt;
}

bool GangTrial::place_in(const SubJob* sub_job, const JobWorksheet::Sheet& sheet, HyperNodeId domain, Room room, Statement& trial) {
  if (session_.hyper_tree().nodes(domain).empty()) return false;
  Statement here(session_);
  EvictionNodes nodes(session_, remember_errors_);
  auto tasks = sheet.tasks;
  while (!tasks.empty()) {
    const auto pod = tasks.pop();
    const auto node = admitted(pod) ? nodes.best(pod, session_.hyper_tree().limit(domain)) : NodeId();
    if (!node || !here.pipeline(pod, node, room == Room::kMade)) {
      here.discard();
      return false;
    }
  }
  if (!session_.sub_job_ready(job_, sub_job) && !session_.sub_job_pipelined(job_, sub_job)) {
    here.discard();
    return false;
  }
  trial.merge(std::move(here));
  return true;
}

bool GangTrial::admitted(PodId pod) {
  if (session_.allocatable(job_.queue, pod)) return !session_.pre_predicate(pod);
  queue_refused_ = true;
  return false;
}

}  // namespace muster::volcano
