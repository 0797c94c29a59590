// What a pod is told for everything that may be wrong with a node or with the pod itself, a row each.

#include <functional>
#include <gtest/gtest.h>

#include "codec/object_reader.h"
#include "support/kai_told_world.h"
#include "support/kai_yaml_cycles.h"

namespace muster::kai {
namespace {

constexpr std::string_view kNoNode = "no nodes with enough resources were found: ";

// Every row is about the pod waits-0; `told` follows kNoNode, or stands alone where no node was asked.
struct Row {
  std::string why;
  std::function<void(ToldWorld&)> given;
  std::string told;
  enum class Who : std::uint8_t { kNodes, kPod } who = Who::kNodes;
};

void expect_told(const std::vector<Row>& rows, bool in_detail = false) {
  for (const auto& row : rows)
    for (const auto search : kBothSearches) {
      ToldWorld world;
      world.options.detailed_fit_errors = in_detail;
      row.given(world);
      world.run(Behaviour::safe(), search);
      const auto before = row.who == Row::Who::kPod || in_detail ? std::string_view() : kNoNode;
      EXPECT_EQ(world.pods["waits-0"], std::string(before) + row.told) << row.why;
    }
}

void add_yaml(ToldWorld& world, const std::string& yaml) {
  const auto take = [&](Object&& object, const Location&) -> Result<void> {
    world.add(std::move(object));
    return {};
  };
  ASSERT_TRUE(read_objects_text(yaml, "world", take).has_value());
}

Row faulty_node(const std::string& condition, const std::string& status) {
  return {condition,
          [=](ToldWorld& world) {
            world.node("n1", 1);
            auto& trouble = world.node_named("n1").conditions.emplace_back();
            trouble.type = condition;
            trouble.status = status;
            world.job({.name = "waits"});
          },
          "1 node has " + (condition == "Ready" ? std::string("NotReady") : condition) + " condition."};
}

TEST(ToldReasons, OfNodesInTrouble) {
  expect_told({faulty_node("Ready", "False"), faulty_node("MemoryPressure", "True"), faulty_node("DiskPressure", "True"),
               faulty_node("PIDPressure", "True"), faulty_node("NetworkUnavailable", "True")});
}

void mig_node(ToldWorld& world, const std::string& name, const std::string& strategy, int gpus) {
  world.node(name, gpus);
  auto& node = world.node_named(name);
  node.meta.labels.set("nvidia.com/mig.strategy", strategy);
  node.meta.labels.set("node-role.kubernetes.io/mig-enabled", "true");
  if (strategy == "mixed") node.allocatable["nvidia.com/mig-1g.5gb"] = Quantity::from_units(1);
}

void asks_for_instance(ToldWorld& world, const std::string& pod) {
  world.pod(pod).spec.containers[0].requests["nvidia.com/mig-1g.5gb"] = Quantity::from_units(1);
}

TEST(ToldReasons, OfTheKindOfGpus) {
  expect_told({
      {"whole GPUs only",
       [](ToldWorld& world) {
         mig_node(world, "n1", "single", 1);
         world.job({.name = "waits", .fraction = "0.5"});
       },
       "1 only whole gpu jobs can run on a node with MigStrategy='single'."},
      {"instances only",
       [](ToldWorld& world) {
         mig_node(world, "n1", "mixed", 1);
         world.job({.name = "waits"});
       },
       "1 non MIG jobs cant run on a node with MigStrategy='mixed'."},
      {"no instance left",
       [](ToldWorld& world) {
         mig_node(world, "n1", "mixed", 0);
         world.job({.name = "running", .gpus = 0, .priority = "fixed", .nodes = {"n1"}});
         world.job({.name = "waits", .gpus = 0});
         for (const auto* pod : {"running-0", "waits-0"}) asks_for_instance(world, pod);
       },
       "1 node(s) didn't have enough of mig profile: nvidia.com/mig-1g.5gb."},
      {"memory that is not known",
       [](ToldWorld& world) {
         world.node("n1", 1);
         world.node_named("n1").meta.labels = {};
         world.job({.name = "waits", .gpu_memory = "50"});
       },
       "1 node is not a gpu node or the gpu memory count on the node was not synced yet, task: <ns/waits-0>, node: <n1>."},
      {"memory that is too small",
       [](ToldWorld& world) {
         world.node("n1", 2);
         world.job({.name = "waits", .gpu_memory = "50000"});
       },
       "1 node(s) didn't have enough resources: GPU memory."},
  });
}

TEST(ToldReasons, OfSlotsWorkersAndQueues) {
  const auto kept_for_others = [](ToldWorld& world, int nodes) {
    world.options.restrict_nodes = true;
    for (int i = 1; i <= nodes; ++i) {
      world.node("n" + std::to_string(i), 1);
      world.node_named("n" + std::to_string(i)).meta.labels.set(world.options.cpu_worker_key, "");
    }
    world.job({.name = "waits"});
  };
  std::string eight;
  for (int i = 1; i <= 8; ++i)
    eight += "1 gpu task: <ns/waits-0> can't run on non gpu nodes, node: <n" + std::to_string(i) + ">. \n";
  expect_told({
      {"a slot for the pod that reserves the GPU",
       [](ToldWorld& world) {
         world.node("n1", 1);
         world.node_named("n1").allocatable["pods"] = Quantity::from_units(1);
         world.job({.name = "waits", .fraction = "0.5"});
       },
       "1 node(s) pod number exceeded."},
      {"another kind of worker", [=](ToldWorld& world) { kept_for_others(world, 1); },
       "1 gpu task: <ns/waits-0> can't run on non gpu nodes, node: <n1>."},
      {"nodes beyond the eighth", [=](ToldWorld& world) { kept_for_others(world, 9); }, eight + "1 more node(s) likewise."},
      {"a part of a smaller GPU is more of the queue's limit",
       [](ToldWorld& world) {
         world.queue("other", "root", -1);
         for (auto& object : world.objects())
           if (auto* queue = std::get_if<KaiQueue>(&object); queue != nullptr && queue->meta.name == "q") queue->gpu.limit = 0.5;
         world.node("large", 1);
         world.node("small", 1);
         world.node_named("small").meta.labels.set("nvidia.com/gpu.memory", "20480");
         world.job({.name = "running", .queue = "other", .priority = "fixed", .nodes = {"large"}});
         world.job({.name = "waits", .gpu_memory = "16384"});
       },
       "1 node does not have enough capacity. Reason: OverLimit, Details: q quota has reached the allowable limit of GPUs. Limit "
       "is "
       "0.5 GPUs, currently 0 GPUs allocated and workload requested 0.81 GPUs."},
  });
}

TEST(ToldReasons, InDetail) {
  const std::string base = "\nno nodes with enough resources were found.";
  const auto full_of = [](const std::string& resource, int amount) {
    return [=](ToldWorld& world) {
      world.node("n1", 1);
      world.node_named("n1").allocatable[resource] = Quantity::from_units(amount);
      world.job({.name = "running", .gpus = 0, .priority = "fixed", .nodes = {"n1"}});
      world.job({.name = "waits", .gpus = 0});
      for (const auto* pod : {"running-0", "waits-0"})
        world.pod(pod).spec.containers[0].requests[resource] = Quantity::from_units(amount);
    };
  };
  expect_told(
      {
          {"cores", full_of("cpu", 3),
           "\n<n1>: Node didn't have enough resources: CPU cores, requested: 3, used: 3, capacity: 3." + base},
          {"memory", full_of("memory", 2'500'000),
           "\n<n1>: Node didn't have enough resources: memory, requested: 0.002, used: 0.002, capacity: 0.002." + base},
          {"something else", full_of("example.com/nic", 2),
           "\n<n1>: Node didn't have enough resource: example.com/nic, requested: 2, used: 2, capacity: 2." + base},
          {"memory of GPUs",
           [](ToldWorld& world) {
             world.node("n1", 2);
             world.job({.name = "waits", .gpu_memory = "50000"});
           },
           "\n<n1>: Node didn't have enough resources: Each gpu on the node has a gpu memory capacity of 40900 Mib. 50000 Mib of "
           "gpu memory has been requested.." +
               base},
      },
      true);
}

TEST(ToldReasons, OfStorage) {
  const std::string objects =
      "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: csi}\nspec: {storageCapacity: true}\n---\n"
      "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: csi\n"
      "volumeBindingMode: WaitForFirstConsumer\n---\n"
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: ns}\n"
      "spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 20Gi}}}\n"
      "status: {phase: Pending}\n---\n";
  const std::string capacity =
      "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {name: c1, namespace: csi}\nstorageClassName: fast\n"
      "capacity: 5Gi\nnodeTopology: {matchLabels: {host: n1}}\n---\n";
  const auto with = [=](const std::string& more) {
    return [=](ToldWorld& world) {
      world.options.csi_storage = true;
      add_yaml(world, yaml_node("n1") + objects + more + yaml_group("waits") +
                          yaml_pod("waits", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"));
    };
  };
  expect_told({{"too little", with(capacity), "1 node(s) did not have enough free storage for storageclass fast."},
               {"none", with(""), "1 no allocatable storage from storageclass fast found."}});
}

std::string claim_of(const std::string& device_class, const std::string& labels, const std::string& status = "") {
  return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c1, namespace: ns, uid: c1, labels: {" + labels +
         "}}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: " + device_class +
         ", allocationMode: ExactCount, count: 1}}]}}\n" + (status.empty() ? "" : "status: " + status + "\n") + "---\n";
}

TEST(ToldReasons, OfClaims) {
  const std::string classes =
      "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n---\n"
      "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: nic}\nspec: {}\n---\n";
  const auto with = [=](const std::string& claim) {
    return [=](ToldWorld& world) {
      add_yaml(world, yaml_node("n1") + classes + claim + yaml_group("waits") +
                          yaml_pod("waits", "", "resourceClaims: [{name: c, resourceClaimName: c1}]"));
    };
  };
  const auto with_gpus = [=](const std::string& claim) {
    return [=](ToldWorld& world) {
      world.node("gpus", 1);  // such a claim asks for a GPU, which somebody has to have
      with(claim)(world);
    };
  };
  std::string users;
  for (int i = 0; i < 256; ++i) users += (i == 0 ? "" : ", ") + ("{resource: pods, name: p, uid: u" + std::to_string(i) + "}");
  constexpr auto kElsewhere =
      "{allocation: {nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}, "
      "devices: {results: [{request: r, driver: nic.x, pool: n2, device: d0}]}}}";
  const auto kPod = Row::Who::kPod;
  const std::string shared = "pod ns/waits-0 cannot be scheduled: DRA claim c1 is a shared GPU claim ";
  expect_told({
      {"not there", with(""), "failed to get resource claim ns/c1: not found", kPod},
      {"no label", with_gpus(claim_of("gpu", "")), shared + "but does not have a queue label (kai.scheduler/queue)", kPod},
      {"another queue's", with_gpus(claim_of("gpu", "kai.scheduler/queue: other")),
       shared + "with wrong queue label (expected queue: q, claim queue label: other)", kPod},
      {"no such class", with(claim_of("fpga", "")), "device class fpga does not exist for claim ns/c1 request r", kPod},
      {"too many users", with(claim_of("nic", "", "{reservedFor: [" + users + "]}")),
       "resource claim ns/c1 has reached its maximum number of consumers (256)", kPod},
      {"no device", with(claim_of("nic", "")), "1 cannot allocate all DRA claims on node n1."},
      {"elsewhere", with(claim_of("nic", "", kElsewhere)), "1 claim ns/c1 node selector does not match node n1."},
  });
}

}  // namespace
}  // namespace muster::kai
