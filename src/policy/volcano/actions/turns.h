#pragma once

#include <functional>
#include <optional>

#include "engine/heap.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

// Whose turn it is: queues take turns, and within a queue jobs do. Both orders are asked anew whenever someone comes or goes, because
// shares change with every placement.
class Turns {
 public:
  explicit Turns(Session& session)
      : session_(session),
        queues_([&session](QueueId l, QueueId r) { return session.queue_before(l, r); }),
        jobs_(session.cluster().queue_count()) {}

  // A job joins; its queue takes part from then on.
  void add(GroupId job) {
    const auto queue = session_.cluster().job(job).queue;
    auto& jobs = jobs_[queue];
    if (!jobs) {
      jobs.emplace([this](GroupId l, GroupId r) { return session_.job_before(l, r); });
      queues_.push(queue);
    }
    jobs->push(job);
  }

  // The next queue, which leaves until back(); none when nobody is left.
  QueueId next_queue() { return queues_.empty() ? QueueId() : queues_.pop(); }
  void back(QueueId queue) { queues_.push(queue); }

  bool has_jobs(QueueId queue) const { return !jobs_[queue]->empty(); }
  GroupId next_job(QueueId queue) { return jobs_[queue]->pop(); }
  void job_back(GroupId job) { jobs_[session_.cluster().job(job).queue]->push(job); }

 private:
  using QueueHeap = Heap<QueueId, std::function<bool(QueueId, QueueId)>>;
  using JobHeap = Heap<GroupId, std::function<bool(GroupId, GroupId)>>;
  Session& session_;
  QueueHeap queues_;
  IdVector<QueueId, std::optional<JobHeap>> jobs_;
};

}  // namespace muster::volcano
