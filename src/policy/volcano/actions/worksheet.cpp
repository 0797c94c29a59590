#include "policy/volcano/actions/worksheet.h"

#include <algorithm>

namespace muster::volcano {
namespace {

// The fewest sub-jobs, best first, that their policies lack. By sub-job.
std::vector<char> required_sub_jobs(Session& session, const Job& job) {
  const auto& sub_jobs = *job.sub_jobs;
  std::vector<std::int32_t> counted(sub_jobs.groups().size(), 0);
  std::vector<const SubJob*> unready;
  for (const auto& sub_job : sub_jobs.all())
    if (session.sub_job_ready(job, &sub_job))
      ++counted[sub_job.group];
    else
      unready.push_back(&sub_job);
  std::sort(unready.begin(), unready.end(), [&](const SubJob* l, const SubJob* r) { return session.sub_job_before(*l, *r); });
  std::vector<char> required(sub_jobs.all().size(), 0);
  for (const auto* sub_job : unready) {
    if (counted[sub_job->group] >= sub_jobs.groups()[sub_job->group].minimum) continue;
    required[sub_job->id.index()] = 1;
    ++counted[sub_job->group];
  }
  return required;
}

}  // namespace

bool to_be_placed(const Session& session, PodId pod, GatedTasks gated) {
  const auto& record = session.books().pod(pod);
  if ((record.state != PodState::kPending && !session.twins().has(pod)) || session.books().shape(record.shape).best_effort)
    return false;
  return !record.gated || (gated == GatedTasks::kOwnGate && session.cluster().task(pod).only_own_gate);
}

JobWorksheet::JobWorksheet(Session& session, const Job& job, GatedTasks gated)
    : rows_(std::make_shared<std::vector<Row>>()), order_(SheetBefore{&session, rows_}) {
  if (!job.sub_jobs) {
    add(session, SubJobId(), session.books().group(job.id).pods, gated);
  } else {
    const auto required = required_sub_jobs(session, job);
    for (const auto& sub_job : job.sub_jobs->all()) {
      const auto known = sheets_.size();
      add(session, sub_job.id, sub_job.pods, gated);
      if (sheets_.size() != known) rows_->push_back({&sub_job, required[sub_job.id.index()] != 0});
    }
  }
  for (std::size_t i = 0; i < sheets_.size(); ++i) order_.push(i);
}

void JobWorksheet::add(Session& session, SubJobId sub_job, std::span<const PodId> pods, GatedTasks gated) {
  TaskHeap tasks(TaskBefore{&session});
  tasks.reserve(pods.size());
  for (const auto pod : pods)
    if (to_be_placed(session, pod, gated)) tasks.push(pod);
  if (!tasks.empty()) sheets_.push_back(Sheet{sub_job, std::move(tasks)});
}

bool JobWorksheet::SheetBefore::operator()(std::size_t left, std::size_t right) const {
  const auto& l = (*rows)[left];
  const auto& r = (*rows)[right];
  return l.required != r.required ? l.required : session->sub_job_before(*l.sub_job, *r.sub_job);
}

}  // namespace muster::volcano
