#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <vector>

#include "policy/volcano/session.h"

namespace muster::volcano {

// The pending, ungated tasks of a job, best first.
class TaskLine {
 public:
  TaskLine(Session& session, GroupId job);
  // None when all have been taken.
  PodId next() { return heap_.empty() ? PodId() : heap_.pop(); }

 private:
  struct Before {
    Session* session;
    bool operator()(PodId left, PodId right) const { return session->task_before(left, right); }
  };
  Heap<PodId, Before> heap_;
};

// The jobs that may take room from others, and their tasks: queue by queue, job by job, best first. Orders are asked anew at every
// step, because evictions change shares.
class StarvingJobs {
 public:
  // `admit` leaves out jobs that the action does not serve.
  StarvingJobs(Session& session, const std::function<bool(const Job&)>& admit);

  // The next queue that has any such job; it does not come again. None when all have had their turn.
  QueueId next_queue();
  // The next job of that queue; none when all have had theirs.
  GroupId next_job(QueueId queue);
  // The next pending, ungated task of a job; none when all have been tried.
  PodId next_task(GroupId job);

 private:
  struct JobBefore {
    Session* session;
    bool operator()(GroupId left, GroupId right) const { return session->job_before(left, right); }
  };
  struct QueueBefore {
    Session* session;
    bool operator()(QueueId left, QueueId right) const { return session->queue_before(left, right); }
  };

  Session& session_;
  Heap<QueueId, QueueBefore> queues_;
  boost::unordered_flat_map<QueueId, Heap<GroupId, JobBefore>> jobs_;
  boost::unordered_flat_map<GroupId, TaskLine> tasks_;  // made when a job is first asked for one
};

}  // namespace muster::volcano
