#pragma once

// Fluent builders of the objects that tests of the KAI dialect need: a_kai_node("n1").gpus(8).label("rack", "r1").

#include <string>
#include <utility>
#include <vector>

#include "policy/kai/scheduler.h"

namespace muster::kai {

class KaiNodeBuilder {
 public:
  explicit KaiNodeBuilder(const std::string& name) {
    node_.meta.name = name;
    cpu(64).memory(256).gpus(8).has("pods", "110");
  }
  KaiNodeBuilder& has(const std::string& resource, const std::string& amount) {
    node_.allocatable[resource] = *Quantity::parse(amount);
    return *this;
  }
  KaiNodeBuilder& cpu(int cores) { return has("cpu", std::to_string(cores)); }
  KaiNodeBuilder& memory(int gibibytes) { return has("memory", std::to_string(gibibytes) + "Gi"); }
  KaiNodeBuilder& gpus(int devices) { return has("nvidia.com/gpu", std::to_string(devices)); }
  KaiNodeBuilder& label(const std::string& key, const std::string& value) {
    labels_.emplace_back(key, value);
    return *this;
  }
  Node build() const {
    auto node = node_;
    node.meta.labels = StringMap(labels_);
    return node;
  }

 private:
  Node node_;
  std::vector<std::pair<std::string, std::string>> labels_;
};
inline KaiNodeBuilder a_kai_node(const std::string& name) { return KaiNodeBuilder(name); }

// A PodGroup with its pods, which all ask for the same.
class KaiJobBuilder {
 public:
  KaiJobBuilder(const std::string& name, int pods) : pods_(pods) {
    group_.meta.name = name;
    group_.meta.ns = "ns";
    group_.queue = "team";
    group_.min_member = pods;
    asks("cpu", "1").asks("memory", "1Gi").asks("nvidia.com/gpu", "1");
  }
  KaiJobBuilder& asks(const std::string& resource, const std::string& amount) {
    requests_[resource] = *Quantity::parse(amount);
    return *this;
  }
  KaiJobBuilder& gpus(int devices) { return asks("nvidia.com/gpu", std::to_string(devices)); }
  KaiJobBuilder& min_member(int pods) {
    group_.min_member = pods;
    return *this;
  }
  KaiJobBuilder& within(const std::string& topology, const std::string& required, const std::string& preferred = "") {
    group_.constraint = {topology, required, preferred};
    return *this;
  }
  // These pods run already, the first ones of the job.
  KaiJobBuilder& running_on(std::vector<std::string> nodes) {
    nodes_ = std::move(nodes);
    return *this;
  }
  void apply_to(Cluster& cluster) const {
    cluster.apply(Object(group_));
    for (int i = 0; i < pods_; ++i) {
      Pod pod;
      pod.meta.name = group_.meta.name + "-" + std::to_string(i);
      pod.meta.uid = pod.meta.name;
      pod.meta.ns = group_.meta.ns;
      pod.meta.annotations = StringMap({{"pod-group-name", group_.meta.name}});
      pod.spec.scheduler_name = "kai-scheduler";
      pod.spec.containers.emplace_back().requests = requests_;
      pod.status.phase = "Pending";
      if (static_cast<std::size_t>(i) < nodes_.size()) {
        pod.spec.node_name = nodes_[static_cast<std::size_t>(i)];
        pod.status.phase = "Running";
      }
      cluster.apply(Object(pod));
    }
  }

 private:
  int pods_;
  KaiPodGroup group_;
  ResourceList requests_;
  std::vector<std::string> nodes_;
};
inline KaiJobBuilder a_kai_job(const std::string& name, int pods) { return {name, pods}; }

inline KaiTopology a_kai_topology(const std::string& name, std::vector<KaiTopology::Level> levels) {
  KaiTopology topology;
  topology.meta.name = name;
  topology.levels = std::move(levels);
  return topology;
}

// A queue without bounds, "team", below a department.
inline void add_open_queue(Cluster& cluster) {
  constexpr KaiQueueResource kAll{-1, -1, 1};
  KaiQueue department;
  department.meta.name = "department";
  department.gpu = department.cpu = department.memory = kAll;
  cluster.apply(Object(department));
  KaiQueue team = department;
  team.meta.name = "team";
  team.parent = "department";
  cluster.apply(Object(team));
}

}  // namespace muster::kai
