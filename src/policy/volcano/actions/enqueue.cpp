#include "policy/volcano/actions/enqueue.h"

#include "policy/volcano/actions/turns.h"

namespace muster::volcano {

void enqueue(Session& session) {
  Turns turns(session);
  session.cluster().open_jobs().for_each([&](std::size_t id) {
    if (session.cluster().job(GroupId(id)).status.phase == Phase::kPending) turns.add(GroupId(id));
  });
  while (const auto queue = turns.next_queue()) {
    if (!turns.has_jobs(queue)) continue;
    auto& job = session.cluster().job(turns.next_job(queue));
    if (!job.min_resources || session.job_enqueueable(job)) {
      session.job_enqueued(job);
      session.set_phase(job, Phase::kInqueue);
    }
    turns.back(queue);
  }
}

}  // namespace muster::volcano
