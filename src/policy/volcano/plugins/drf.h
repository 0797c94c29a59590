#pragma once

#include <memory>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

class FairTree;

// Dominant resource fairness: the job whose largest share of any resource is smallest goes first. With hierarchy, queues are compared
// in a weighted tree in the same way.
class Drf final : public Plugin {
 public:
  Drf(Session& session, const PluginOption& option);
  ~Drf() override;
  Points points() const override;

  void open() override;
  int compare_jobs(const Job& left, const Job& right) override;
  int compare_queues(QueueId left, QueueId right) override;
  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

  double share_of_job(GroupId job) { return attribute(job).share; }

 private:
  struct Attribute {
    bool known = false;
    double share = 0;
    Amounts allocated;
  };
  Attribute& attribute(GroupId job);
  void change(PodId pod, bool placed);
  double share(const Amounts& allocated) const;

  bool hierarchy_;
  std::vector<std::pair<ResourceId, double>> total_;  // dimensions that the cluster has anything of
  IdVector<GroupId, Attribute> attributes_;
  std::unique_ptr<FairTree> tree_;
};

}  // namespace muster::volcano
