#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/volcano/cluster.h"

namespace muster::volcano {

// The weighted tree of hierarchical fairness. Queues are inner nodes, named by the path in their annotation; jobs are leaves. A
// node is saturated when giving it more would not help it; saturated nodes come last.
class FairTree {
 public:
  FairTree(const Cluster& cluster, const Resource& total);

  // Sets what a job holds; its leaf is made anew.
  void set(const Job& job, Resource allocated);
  // Brings shares and saturation up to date, bottom up.
  void update();
  // Less than 0: the left queue is served first.
  double compare(QueueId left, QueueId right) const;

 private:
  struct Node {
    double weight = 1;
    double share = 0;
    bool saturated = false;
    bool leaf = false;
    Resource allocated;
    Resource request;  // of a leaf
    std::map<std::string, std::unique_ptr<Node>> children;
  };
  std::vector<std::string> path_of(QueueId queue) const;
  Node& inner_node(QueueId queue);
  double share(const Resource& allocated) const;
  void update(Node& node);
  bool is_saturated(const Node& leaf) const;

  const Cluster& cluster_;
  Resource total_;
  std::vector<ResourceId> dimensions_;
  Resource total_allocated_;
  std::vector<ResourceId> demanding_;  // of which something is left
  Node root_;
};

}  // namespace muster::volcano
