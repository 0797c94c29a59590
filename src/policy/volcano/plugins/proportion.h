#pragma once

#include "policy/volcano/plugin.h"
#include "policy/volcano/plugins/queue_share.h"

namespace muster::volcano {

// Shares the cluster out to queues by weight: what a queue deserves is its weighted part, no more than it asks for or may have and
// no less than it is guaranteed. It is a ceiling for placing.
class Proportion final : public Plugin {
 public:
  explicit Proportion(Session& session) : Plugin(session) {}
  Points points() const override {
    return Points(Point::kQueueOrder, Point::kOverused, Point::kAllocatable, Point::kJobEnqueueable, Point::kJobEnqueued,
                  Point::kReclaimable, Point::kPreemptive);
  }

  void open() override;
  int compare_queues(QueueId left, QueueId right) override;
  bool overused(QueueId queue) override;
  bool allocatable(QueueId queue, PodId pod) override;
  bool simulate_allocatable(QueueId queue, PodId pod) override;
  bool preemptive(QueueId queue, std::span<const PodId> pods) override;
  // Gives up pods of queues that hold more than they deserve of anything.
  Ballot reclaimable(PodId, std::span<const PodId> candidates) override;
  Vote job_enqueueable(const Job& job) override;
  void job_enqueued(const Job& job) override;
  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

  using Share = QueueShare;
  const Share& share_of_queue(QueueId queue) const { return shares_[queue]; }

 private:
  void share_out();
  bool stays_within(QueueId queue, const Amounts& more) const;

  IdVector<QueueId, Share> shares_;
};

}  // namespace muster::volcano
