#pragma once

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Lets jobs in only while the cluster, taken a little larger than it is, has room for what they need at least.
class Overcommit final : public Plugin {
 public:
  Overcommit(Session& session, const PluginOption& option);
  Points points() const override { return Points(Point::kJobEnqueueable, Point::kJobEnqueued); }

  void open() override;
  Vote job_enqueueable(const Job& job) override;
  void job_enqueued(const Job& job) override;

  // What may be promised to jobs that are let in, and what is.
  const Resource& room() const { return idle_; }
  const Resource& promised() const { return inqueue_; }

 private:
  double factor_;
  Resource idle_;
  Resource inqueue_;
};

}  // namespace muster::volcano
