#include "policy/volcano/actions/starving_jobs.h"

namespace muster::volcano {

TaskLine::TaskLine(Session& session, GroupId job) : heap_(Before{&session}) {
  for (const auto pod : session.books().group(job).pods)
    if (const auto& record = session.books().pod(pod); record.state == PodState::kPending && !record.gated) heap_.push(pod);
}

StarvingJobs::StarvingJobs(Session& session, const std::function<bool(const Job&)>& admit)
    : session_(session), queues_(QueueBefore{&session}) {
  session.cluster().open_jobs().for_each([&](std::size_t id) {
    const auto& job = session.cluster().job(GroupId(id));
    if (job.status.phase == Phase::kPending || !job.schedulable() || !session.job_valid(job)) return;
    if (!session.job_starving(job) || !admit(job)) return;
    const auto [jobs, added] = jobs_.try_emplace(job.queue, JobBefore{&session});
    if (added) queues_.push(job.queue);
    jobs->second.push(job.id);
  });
}

QueueId StarvingJobs::next_queue() { return queues_.empty() ? QueueId() : queues_.pop(); }

GroupId StarvingJobs::next_job(QueueId queue) {
  auto& jobs = jobs_.at(queue);
  return jobs.empty() ? GroupId() : jobs.pop();
}

PodId StarvingJobs::next_task(GroupId job) {
  const auto known = tasks_.find(job);
  return known != tasks_.end() ? known->second.next() : tasks_.emplace(job, TaskLine(session_, job)).first->second.next();
}

}  // namespace muster::volcano
