#pragma once

// Small KAI clusters in a line each, and what cycles make of them:
//
//   KaiWorld world;
//   world.node("n1", 2);
//   world.job({.name = "a", .pods = 2, .minimum = 1, .nodes = {"n1"}});
//   EXPECT_EQ(world.run(Behaviour::safe()), "bind a-1@n1");

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "policy/kai/scheduler.h"

namespace muster::kai {

struct KaiJobSpec {
  std::string name = "job";
  std::string queue = "q";
  int pods = 1;
  int minimum = 1;
  int gpus = 1;                         // of each pod
  std::string fraction = {};            // gpu-fraction instead
  std::string gpu_memory = {};          // gpu-memory instead
  std::string priority = "low";         // low, high, or fixed: not preemptible
  std::vector<std::string> nodes = {};  // of the first pods, which run there; empty names: they wait
  int created = 0;                      // seconds, of the job and its pods
  std::string ns = "ns";
  std::string phase = "Running";             // of those that have nodes
  std::vector<std::string> sub_groups = {};  // each with a minimum of one pod; pods take turns
  std::optional<std::int32_t> min_sub_group = {};
  std::string group = {};  // its own name if empty
};

class KaiWorld : public CycleObserver {
 public:
  static constexpr Timestamp kNow{1'767'225'600, 0};

  KaiWorld() {
    for (const auto& [name, value] : {std::pair("low", 50), std::pair("high", 90), std::pair("fixed", 125)}) {
      PriorityClass c;
      c.meta.name = name;
      c.value = value;
      objects_.push_back(c);
    }
    queue("root", "", -1);
    queue("q", "root", -1);
  }

  void queue(const std::string& name, const std::string& parent, double gpu_quota, double weight = 1) {
    KaiQueue queue;
    queue.meta.name = name;
    queue.meta.created = {kNow.seconds - 1000 + static_cast<std::int64_t>(objects_.size()), 0};
    queue.parent = parent;
    queue.gpu = {gpu_quota, -1, weight};
    queue.cpu = queue.memory = {-1, -1, 1};
    objects_.push_back(queue);
  }
  void node(const std::string& name, int gpus) {
    Node node;
    node.meta.name = name;
    node.meta.labels.set("nvidia.com/gpu.memory", "40960");
    node.allocatable = {{"cpu", Quantity::from_units(64)},
                        {"memory", Quantity::from_units(1'000'000'000'000)},
                        {"nvidia.com/gpu", Quantity::from_units(gpus)},
                        {"pods", Quantity::from_units(110)}};
    objects_.push_back(node);
  }
  void job(const KaiJobSpec& spec) {
    KaiPodGroup group;
    group.meta.name = spec.group.empty() ? spec.name : spec.group;
    group.meta.ns = spec.ns;
    group.meta.created = {kNow.seconds - 500 + spec.created, 0};
    group.queue = spec.queue;
    group.priority_class = spec.priority;
    group.min_sub_group = spec.min_sub_group;
    if (spec.sub_groups.empty()) group.min_member = spec.minimum;
    for (const auto& name : spec.sub_groups) {
      auto& part = group.sub_groups.emplace_back();
      part.name = name;
      part.min_member = 1;
    }
    objects_.push_back(group);
    for (int i = 0; i < spec.pods; ++i) objects_.push_back(pod_of(spec, group, i));
  }
  void add(Object object) { objects_.push_back(std::move(object)); }
  std::vector<Object>& objects() { return objects_; }

  ClusterOptions options;
  Config config = default_config();

  // The first cycle: what it decided, by name, and who waits for a node.
  std::string run(Behaviour behaviour, SearchKind search = SearchKind::kIndex) {
    options.behaviour = behaviour;
    auto cluster = std::make_unique<Cluster>(options);
    for (const auto& object : objects_) cluster->apply(object);
    scheduler_ = std::make_unique<Scheduler>(std::move(cluster), config, search);
    return again();
  }
  // One more cycle on the same cluster.
  std::string again() { return again_at(0); }
  // And that many seconds later.
  std::string again_at(std::int64_t later) {
    lines_.clear();
    scheduler_->run_cycle({kNow.seconds + later, 0}, *this);
    std::string text;
    for (const auto& line : lines_) text.append(text.empty() ? "" : ", ").append(line);
    return text;
  }
  void skip() { scheduler_->skip_cycle(kNow); }
  Cluster& cluster() { return scheduler_->cluster(); }

  void closed(Session& session) override {
    const auto& books = session.books();
    for (const auto& decision : session.outbox())
      lines_.insert(decision.kind == Decision::Kind::kBind
                        ? "bind " + books.pod(decision.pod).name + "@" + books.node(decision.node).name
                        : "evict " + books.pod(decision.pod).name);
    for (const auto id : session.cluster().listed_jobs())
      session.cluster().job(id).for_each_pod([&](PodId pod) {
        const auto& task = session.cluster().task(pod);
        if (task.status == Status::kPipelined) lines_.insert("wait " + books.pod(pod).name + "@" + books.node(task.node).name);
      });
  }

 private:
  Pod pod_of(const KaiJobSpec& spec, const KaiPodGroup& group, int i) const {
    const auto at = static_cast<std::size_t>(i);
    const auto node = at < spec.nodes.size() ? spec.nodes[at] : std::string();
    Pod pod;
    pod.meta.name = spec.name + "-" + std::to_string(i);
    pod.meta.uid = spec.ns + "/" + pod.meta.name;
    pod.meta.ns = spec.ns;
    pod.meta.created = {group.meta.created.seconds + i, 0};
    pod.meta.annotations.set("pod-group-name", group.meta.name);
    if (!spec.fraction.empty()) pod.meta.annotations.set("gpu-fraction", spec.fraction);
    if (!spec.gpu_memory.empty()) pod.meta.annotations.set("gpu-memory", spec.gpu_memory);
    if (!spec.sub_groups.empty()) pod.meta.labels.set("kai.scheduler/subgroup-name", spec.sub_groups[at % spec.sub_groups.size()]);
    pod.spec.scheduler_name = "kai-scheduler";
    pod.spec.node_name = node;
    pod.spec.containers.push_back({});
    auto& requests = pod.spec.containers.back().requests;
    requests = {{"cpu", Quantity::from_units(1)}};
    if (spec.gpus > 0 && spec.fraction.empty() && spec.gpu_memory.empty())
      requests["nvidia.com/gpu"] = Quantity::from_units(spec.gpus);
    pod.status.phase = node.empty() ? "Pending" : spec.phase;
    return pod;
  }

  std::vector<Object> objects_;
  std::unique_ptr<Scheduler> scheduler_;
  std::set<std::string> lines_;
};

}  // namespace muster::kai
