#pragma once

// Cycles of the KAI dialect over objects that are written as YAML:
//
//   KaiYamlCycles cycles(R"(...)");
//   EXPECT_EQ(cycles.run(), "bind a-0@n1, evict b-0, wait c-0@n2");
//
// Short forms stand before the objects: a queue "q" without bounds under "root", to which everything belongs.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "codec/object_reader.h"
#include "policy/kai/scheduler.h"

namespace muster::kai {

class KaiYamlCycles : public CycleObserver {
 public:
  explicit KaiYamlCycles(const std::string& yaml, ClusterOptions options = {}) {
    scheduler_ = std::make_unique<Scheduler>(std::make_unique<Cluster>(std::move(options)), default_config(), SearchKind::kIndex);
    add(kQueues);
    add(yaml);
  }

  // Objects that come or change, and objects that go.
  void add(const std::string& yaml) {
    for_each_in(yaml, [&](const Object& object) { cluster().apply(object); });
  }
  void remove(const std::string& yaml) {
    for_each_in(yaml, [&](const Object& object) { cluster().remove(gone(object)); });
  }

  Cluster& cluster() { return scheduler_->cluster(); }
  PodId pod(const std::string& name) { return cluster().find_pod("ns/" + name); }

  // One cycle: what it decided, by name, and who waits for a node.
  std::string run() {
    lines_.clear();
    scheduler_->run_cycle(kNow, *this);
    std::sort(lines_.begin(), lines_.end());
    std::string text;
    for (const auto& line : lines_) text.append(text.empty() ? "" : ", ").append(line);
    return text;
  }
  // What the last cycle gave to a pod's claim: "driver/pool/device".
  std::vector<std::string> devices_of(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [pod, device] : devices_)
      if (pod == name) names.push_back(device);
    return names;
  }

  // GPUs of a queue's fair share when the last cycle opened.
  double gpu_share(const std::string& queue) const { return shares_.at(queue); }

  void opened(Session& session) override {
    const auto& shares = session.fair_shares();
    for (std::size_t i = 0; i < shares.size(); ++i) shares_[session.cluster().queues()[QueueId(i)].name] = shares[i][Share::kGpu];
  }

  void closed(Session& session) override {
    const auto& books = session.books();
    for (const auto& decision : session.outbox())
      lines_.push_back(decision.kind == Decision::Kind::kBind
                           ? "bind " + books.pod(decision.pod).name + "@" + books.node(decision.node).name
                           : "evict " + books.pod(decision.pod).name);
    for (const auto id : session.cluster().listed_jobs())
      session.cluster().job(id).for_each_pod([&](PodId pod) {
        const auto& task = session.cluster().task(pod);
        if (task.status == Status::kPipelined) lines_.push_back("wait " + books.pod(pod).name + "@" + books.node(task.node).name);
      });
    devices_.clear();
    for (const auto& details : session.bind_details()) {
      const auto note = [&](const std::optional<DeviceAllocation>& allocation) {
        if (!allocation) return;
        for (const auto& device : allocation->devices)
          devices_.emplace_back(books.pod(details.pod).name, device.driver + "/" + device.pool + "/" + device.device);
      };
      if (details.devices)
        for (const auto& claim : details.devices->claims) note(claim.allocation);
      if (details.extended) note(details.extended->claim.allocation);
    }
  }

 private:
  template <class F>
  static void for_each_in(const std::string& yaml, F visit) {
    const auto take = [&](Object&& object, const Location&) -> Result<void> {
      visit(object);
      return {};
    };
    MUSTER_ASSERT(yaml.empty() || read_objects_text(yaml, "scenario", take).has_value());
  }

  static constexpr Timestamp kNow{1'767'225'600, 0};
  static constexpr const char* kQueues = R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: root}
spec: {resources: {gpu: {quota: -1, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: -1, overQuotaWeight: 1}, memory: {quota: -1, limit: -1, overQuotaWeight: 1}}}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q}
spec: {parentQueue: root, resources: {gpu: {quota: -1, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: -1, overQuotaWeight: 1}, memory: {quota: -1, limit: -1, overQuotaWeight: 1}}}
)";

  std::unique_ptr<Scheduler> scheduler_;
  std::vector<std::string> lines_;
  std::map<std::string, double> shares_;
  std::vector<std::pair<std::string, std::string>> devices_;
};

// Objects that tests need many of.
inline std::string yaml_node(const std::string& name, const std::string& labels = "") {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {host: " + name +
         (labels.empty() ? "" : ", " + labels) + "}}\nstatus: {allocatable: {cpu: 8, memory: 32Gi, pods: 10}}\n---\n";
}
inline std::string yaml_group(const std::string& name, int created = 0) {
  return "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " + name +
         ", namespace: ns, creationTimestamp: \"2026-01-01T00:00:0" + std::to_string(created) +
         "Z\"}\nspec: {queue: q, minMember: 1}\n---\n";
}
// The only pod of a group, waiting, or running on a node; `more` goes into its spec.
inline std::string yaml_pod(const std::string& group, const std::string& node, const std::string& more) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + group + "-0, namespace: ns, uid: " + group +
         "-0, annotations: {pod-group-name: " + group + "}}\nspec: {schedulerName: kai-scheduler, " +
         (node.empty() ? "" : "nodeName: " + node + ", ") + more + (more.empty() ? "" : ", ") +
         "containers: [{name: main, resources: {requests: {cpu: 1, memory: 1Gi}}}]}\nstatus: {phase: " +
         (node.empty() ? "Pending" : "Running") + "}\n---\n";
}

}  // namespace muster::kai
