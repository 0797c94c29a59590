#pragma once

#include <optional>

#include "engine/heap.h"
#include "policy/volcano/actions/job_line.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

// Whose turn it is: queues take turns, and within a queue jobs do. The order of queues is asked anew whenever one comes or goes,
// because shares change with every placement.
class Turns {
 public:
  explicit Turns(Session& session) : session_(session), queues_(QueueBefore{&session}), jobs_(session.cluster().queue_count()) {}

  // A job joins, or comes back; its queue takes part from then on.
  void add(GroupId job) {
    const auto queue = session_.cluster().job(job).queue;
    auto& jobs = jobs_[queue];
    if (!jobs) {
      jobs.emplace(session_);
      queues_.push(queue);
    }
    jobs->join(job);
  }

  // The next queue, which leaves until back(); none when nobody is left.
  QueueId next_queue() { return queues_.empty() ? QueueId() : queues_.pop(); }
  void back(QueueId queue) { queues_.push(queue); }

  bool has_jobs(QueueId queue) const { return !jobs_[queue]->empty(); }
  GroupId next_job(QueueId queue) { return jobs_[queue]->pop(); }

 private:
  struct QueueBefore {
    Session* session;
    bool operator()(QueueId left, QueueId right) const { return session->queue_before(left, right); }
  };
  Session& session_;
  Heap<QueueId, QueueBefore> queues_;
  IdVector<QueueId, std::optional<JobLine>> jobs_;
};

}  // namespace muster::volcano
