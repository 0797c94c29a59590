#pragma once

#include <map>
#include <string>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Lets jobs in only while their namespace's quotas have room for what they need at least.
class ResourceQuotas final : public Plugin {
 public:
  explicit ResourceQuotas(Session& session) : Plugin(session) {}
  Points points() const override { return Points(Point::kJobEnqueueable, Point::kJobEnqueued); }

  Vote job_enqueueable(const Job& job) override;
  void job_enqueued(const Job& job) override;

 private:
  std::map<std::string, ResourceList> pending_;  // let in during this cycle, by namespace
};

}  // namespace muster::volcano
