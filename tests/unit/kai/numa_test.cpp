#include "policy/kai/plugins/numa.h"

#include <gtest/gtest.h>

#include "policy/kai/session.h"
#include "policy/kai/status_text.h"
#include "support/kai_builders.h"

namespace muster::kai {
namespace {

constexpr auto kUnchanged = "";

// A node with two zones of four cores, of which `available` are said to be free, and a pod that holds two of them by its record.
struct Row {
  std::string why;
  std::string policy;
  std::string available;  // cores of each zone
  std::string record;     // the zone of the pod that runs
  std::string cores;      // that the pod that waits asks for
  std::map<std::string, std::string, std::less<>> arguments;
  std::string expected;  // zones, or "-" where it is not bound
};

NodeResourceTopology topology_of(const Row& row) {
  NodeResourceTopology topology;
  topology.meta.name = "n";
  topology.attributes = {{"topologyManagerPolicy", row.policy}, {"topologyManagerScope", "pod"}};
  for (const auto* name : {"node-0", "node-1"}) {
    auto& zone = topology.zones.emplace_back();
    zone.name = name;
    zone.type = "Node";
    zone.resources = {{"cpu", *Quantity::parse("4"), *Quantity::parse(row.available)}};
  }
  return topology;
}

Pod a_pod(const std::string& name, const std::string& cores) {
  Pod pod;
  pod.meta.name = pod.meta.uid = name;
  pod.meta.ns = "ns";
  pod.meta.annotations = StringMap({{"pod-group-name", name}});
  pod.spec.scheduler_name = "kai-scheduler";
  pod.spec.containers.emplace_back().requests = {{"cpu", *Quantity::parse(cores)}};
  pod.status.phase = "Pending";
  pod.status.qos_class = "Guaranteed";
  return pod;
}

void add_group(Cluster& cluster, const std::string& name) {
  KaiPodGroup group;
  group.meta.name = name;
  group.meta.ns = "ns";
  group.queue = "team";
  group.min_member = 1;
  group.preemptibility = "non-preemptible";  // so that nobody moves
  cluster.apply(Object(group));
}

std::string zones_of(const Row& row) {
  ClusterOptions options;
  options.numa_requests = true;
  auto cluster = std::make_unique<Cluster>(options);
  add_open_queue(*cluster);
  cluster->apply(Object(a_kai_node("n").cpu(8).gpus(0).build()));
  cluster->apply(Object(topology_of(row)));
  for (const auto* name : {"old", "new"}) add_group(*cluster, name);
  auto old = a_pod("old", "2");
  old.spec.node_name = "n";
  old.status.phase = "Running";
  if (row.record != kUnchanged) old.numa_observed = {{row.record, {{"cpu", *Quantity::parse("2")}}}};
  cluster->apply(Object(old));
  cluster->apply(Object(a_pod("new", row.cores)));

  auto config = default_config();
  config.plugins.push_back({"numa", Arguments(row.arguments)});
  struct Observer final : CycleObserver {
    std::string zones = "-";
    void closed(Session& session) override {
      for (const auto id : session.cluster().listed_jobs())
        if (const auto& job = session.cluster().job(id); job.name == "new" && job.count(Status::kPending) > 0) {
          EXPECT_EQ(
              unschedulable_text(job, Detail::kCounts),
              "PodSchedulingErrors: Resources were not found for pod ns/new due to: no nodes with enough resources were found: 1 "
              "node cannot NUMA-align the pod's resources under its Topology Manager policy..");
        }
      for (const auto& details : session.bind_details()) {
        zones.clear();
        for (const auto& share : details.numa)
          zones += (zones.empty() ? "" : " ") + share.zone + "=" + share.amount.at("cpu").text();
      }
    }
  } observer;
  Scheduler(std::move(cluster), std::move(config), SearchKind::kIndex).run_cycle({}, observer);
  return observer.zones;
}

TEST(Numa, BindsSayTheZones) {
  for (const auto& row : std::vector<Row>{
           {"the first zone that has all", "single-numa-node", "4", "node-0", "3", {}, "node-1=3"},
           {"what is recorded counts, not what is reported", "single-numa-node", "0", "node-1", "3", {}, "node-0=3"},
           {"without a record nothing is taken", "single-numa-node", "0", kUnchanged, "4", {}, "node-0=4"},
           {"a record of an unknown zone is none", "single-numa-node", "0", "node-9", "4", {}, "node-0=4"},
           {"no zone has as much", "single-numa-node", "4", "node-0", "5", {}, "-"},
           {"restricted to as many zones as it would need at least", "restricted", "4", "node-0", "6", {}, "node-0=2 node-1=4"},
           {"best effort refuses nobody", "best-effort", "4", "node-0", "6", {}, "node-0=2 node-1=4"},
           {"no policy, no zones", "none", "4", "node-0", "5", {}, ""},
           {"what is reported counts when told so",
            "single-numa-node",
            "1",
            kUnchanged,
            "3",
            {{"reconstructAvailable", "false"}},
            "-"},
           {"what is ignored is not aligned", "single-numa-node", "4", "node-0", "5", {{"ignoreList", "memory, cpu"}}, ""},
       })
    EXPECT_EQ(zones_of(row), row.expected) << row.why;
}

}  // namespace
}  // namespace muster::kai
