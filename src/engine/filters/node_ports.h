#pragma once

#include <vector>

#include "engine/books.h"
#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// Keeps a pod off nodes where a pod that is present uses one of its host ports.
// Keeps its own list of used ports per node as the books change.
class NodePortsFilter : public NodeFilter, private PresenceObserver {
 public:
  NodePortsFilter(Books& books, FitTable& fits);
  ~NodePortsFilter() override { books_.ignore(*this); }
  NodePortsFilter(const NodePortsFilter&) = delete;
  NodePortsFilter& operator=(const NodePortsFilter&) = delete;

  Dependence dependence(PodId pod) const override;
  FitStatus check(PodId pod, NodeId node) const override;

 private:
  void on_arrive(PodId pod, NodeId node) override;
  void on_depart(PodId pod, NodeId node) override;

  Books& books_;
  FitStatus taken_;
  std::vector<std::vector<ContainerPort>> used_;  // by node; shorter than the list of nodes when the last ones use none
};

}  // namespace muster
