#pragma once

// An embedded cluster with kubelets and controllers, on a clock that the test moves, and a scheduler that takes the first node.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "unit/sim/test_cluster.h"

namespace muster::sim {

class ControlledCluster : public TestCluster {
 public:
  explicit ControlledCluster(std::optional<std::int64_t> lost_pod_seconds = {})
      : TestCluster(with_controllers(lost_pod_seconds), true) {
    for (const std::string name : {"n1", "n2"}) add_node(name);
  }

  void add_node(const std::string& name) {
    EXPECT_EQ(post("/api/v1/nodes",
                   R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"("},"status":{"capacity":{"cpu":"64"}}})")
                  .status,
              201);
  }
  void set_down(const std::string& name, bool down, const std::string& more = {}) {
    merge("/api/v1/nodes/" + name,
          R"({"metadata":{"annotations":{"sim.muster/down":)" + std::string(down ? "\"true\"" : "null") + more + "}}}");
  }

  void create(const std::string& path, const std::string& body) {
    const auto made = post(path, body);
    EXPECT_EQ(made.status, 201) << made.message();
  }
  std::vector<Tree> list(const std::string& path) {
    const auto reply = get(path);
    EXPECT_EQ(reply.status, 200) << path << " " << reply.message();
    const auto* items = reply.body.find("items");
    return items != nullptr && items->is_list() ? *items->as_list() : std::vector<Tree>();
  }

  // Gives every pod without a node the given one.
  void schedule(const std::string& node = "n1") {
    for (const auto& pod : list(kPods)) {
      if (!pod.text_at("spec.nodeName").empty() || pod.at("metadata.deletionTimestamp") != nullptr) continue;
      const auto bound = post(kPods + "/" + std::string(pod.text_at("metadata.name")) + "/binding",
                              R"({"target":{"kind":"Node","name":")" + node + "\"}}");
      EXPECT_EQ(bound.status, 201) << bound.message();
    }
  }
  // Lets the PodGroups of Volcano in.
  void enqueue() {
    const std::string path = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";
    for (const auto& group : list(path))
      if (const auto phase = group.text_at("status.phase"); phase.empty() || phase == "Pending")
        merge(path + "/" + std::string(group.text_at("metadata.name")), R"({"status":{"phase":"Inqueue"}})");
  }

  std::vector<std::string> pods(const std::string& phase = {}) {
    std::vector<std::string> out;
    for (const auto& pod : list(kPods))
      if (pod.at("metadata.deletionTimestamp") == nullptr && (phase.empty() || pod.text_at("status.phase") == phase))
        out.emplace_back(pod.text_at("metadata.name"));
    return out;
  }
  std::size_t count(const std::string& phase = {}) { return pods(phase).size(); }
  void end_pod(const std::string& name, const std::string& phase) {
    const auto changed = ask(server::Method::kPatch, kPods + "/" + name + "/status", R"({"status":{"phase":")" + phase + R"("}})",
                             "application/merge-patch+json");
    EXPECT_EQ(changed.status, 200) << changed.message();
  }

 private:
  static ClusterSettings with_controllers(std::optional<std::int64_t> lost_pod_seconds) {
    ClusterSettings out;
    out.controllers = true;
    out.controlling.lost_pod_seconds = lost_pod_seconds;
    return out;
  }
};

inline bool has_condition(const Tree& object, std::string_view type) {
  const auto* conditions = object.at("status.conditions");
  return conditions != nullptr && conditions->is_list() &&
         std::any_of(conditions->as_list()->begin(), conditions->as_list()->end(),
                     [&](const Tree& one) { return one.text_at("type") == type && one.text_at("status") == "True"; });
}

inline const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";
inline const std::string kVolcanoJobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";
inline const std::string kVolcanoGroups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";

inline std::string job_text(const std::string& spec, const std::string& annotations = {}, const std::string& pod_spec = {}) {
  return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{)" + spec +
         R"("template":{"metadata":{"annotations":{)" + annotations +
         R"(}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}])" + pod_spec + "}}}}";
}

}  // namespace muster::sim
