#include "app/explanation.h"

#include <gtest/gtest.h>
#include <set>

#include "app/cluster_files.h"
#include "app/schedule_report.h"
#include "codec/yaml_value.h"
#include "policy/volcano/extender_client.h"

namespace muster {
namespace {

constexpr auto quiet = [](std::string_view, std::uint64_t) {};

std::string node(const std::string& name, const std::string& resources, const std::string& spec = "") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + "}, spec: {" + spec +
         "}, status: {allocatable: {pods: '10', " + resources + "}}}\n";
}

std::string group(const std::string& name, const std::string& spec) {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: " + name + "}, spec: {" + spec + "}}\n";
}

std::string queue(const std::string& name, const std::string& spec, const std::string& state = "Open") {
  return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: " + name + "}, spec: {weight: 1, " + spec +
         "}, status: {state: " + state + "}}\n";
}

std::string pod(const std::string& job, int index, const std::string& requests, const std::string& spec = "") {
  const auto name = job + "-" + std::to_string(index);
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", annotations: {scheduling.k8s.io/group-name: " + job +
         "}}, spec: {schedulerName: volcano, " + spec + " containers: [{name: c, resources: {requests: {" + requests + "}}}]}}\n";
}

std::string pods(const std::string& job, int count, const std::string& requests) {
  std::string text;
  for (int i = 0; i < count; ++i) text += pod(job, i, requests);
  return text;
}

// A job of one pod that runs, and a pod of a job that is being deleted.
std::string running(const std::string& job, const std::string& requests, const std::string& node, const std::string& queue_name) {
  return group(job, "minMember: 1, queue: " + queue_name + ", minResources: {" + requests + "}") +
         "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + job + "-0, annotations: {scheduling.k8s.io/group-name: " + job +
         "}}, spec: {schedulerName: volcano, nodeName: " + node + ", containers: [{name: c, resources: {requests: {" + requests +
         "}}}]}, status: {phase: Running}}\n";
}

std::string leaving(const std::string& job, int index) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + job + "-" + std::to_string(index) +
         ", deletionTimestamp: '2026-01-01T00:00:00Z', annotations: {scheduling.k8s.io/group-name: " + job +
         "}}, spec: {schedulerName: volcano, nodeName: n1, containers: [{name: c}]}, status: {phase: Running}}\n";
}

std::string ended(const std::string& job, int index, const std::string& phase) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + job + "-" + std::to_string(index) +
         ", annotations: {scheduling.k8s.io/group-name: " + job +
         "}}, spec: {schedulerName: volcano, nodeName: n1, containers: [{name: c}]}, status: {phase: " + phase + "}}\n";
}

OfflineRun run_of(const std::string& text, const volcano::Config& config = volcano::default_config(),
                  volcano::Behaviour behaviour = volcano::Behaviour::safe()) {
  auto loaded = load_cluster_text(text, "all.yaml");
  EXPECT_TRUE(loaded) << loaded.error().text();
  auto scheduler = std::make_unique<volcano::Scheduler>(std::move(loaded->cluster), config, behaviour, SearchKind::kReference);
  OfflineOptions options;
  options.now = Timestamp{};
  return OfflineRun(std::move(scheduler), options, loaded->notes);
}

Explanation explained(const std::string& text, const std::string& name) {
  auto run = run_of(text);
  auto explanation = explain(run, name, quiet);
  EXPECT_TRUE(explanation) << explanation.error().text();
  return explanation ? *explanation : Explanation();
}

std::string refusal(const std::string& text, const std::string& name) {
  auto run = run_of(text);
  const auto explanation = explain(run, name, quiet);
  return explanation ? "" : explanation.error().text();
}

struct ReasonCase {
  const char* what;
  std::string objects;
  PendingReason reason;
  const char* sentence;
};

TEST(Explanation, FindsTheOneReasonThatHasToGoFirst) {
  const auto big = node("n1", "cpu: '4'");
  const ReasonCase cases[] = {
      {"no PodGroup", big + pods("j", 2, "cpu: '1'"), PendingReason::kNoPodGroup,
       "its PodGroup does not exist, though 2 pods name it"},
      {"no queue", big + group("j", "minMember: 1, queue: gone") + pods("j", 1, "cpu: '1'"), PendingReason::kNoQueue,
       "its queue gone does not exist"},
      {"no pods", big + group("j", "minMember: 1"), PendingReason::kNoPods,
       "its PodGroup has been let in and has no pods: they have ended and were deleted, or were not created yet"},
      {"no pods, because it is not let in",
       big + queue("q", "capability: {cpu: '1'}") + group("j", "minMember: 1, queue: q, minResources: {cpu: '2'}"),
       PendingReason::kQueueLimit, "not let in: its minimum asks for 2 of cpu and queue q may hold at most 1"},
      {"no pods, because of a closed queue", big + queue("q", "", "Closed") + group("j", "minMember: 1, queue: q"),
       PendingReason::kQueueClosed, "its queue q is not open"},
      {"too few pods", big + group("j", "minMember: 3") + pods("j", 1, "cpu: '1'"), PendingReason::kTooFewPods,
       "3 pods have to start together and only 1 exists"},
      {"too few of a role", big + group("j", "minMember: 2, minTaskMember: {ps: 1}") + pods("j", 2, "cpu: '1'"),
       PendingReason::kTooFewOfRole, "1 pod of the role ps has to start and none exists"},
      {"queue closed", big + queue("q", "", "Closed") + group("j", "minMember: 1, queue: q") + pods("j", 1, "cpu: '1'"),
       PendingReason::kQueueClosed, "its queue q is not open"},
      {"queue limit",
       big + queue("q", "capability: {cpu: '1'}") + group("j", "minMember: 1, queue: q, minResources: {cpu: '2'}") +
           pods("j", 1, "cpu: '2'"),
       PendingReason::kQueueLimit, "not let in: its minimum asks for 2 of cpu and queue q may hold at most 1"},
      {"queue limit with others",
       big + queue("q", "capability: {cpu: '3'}") + running("r", "cpu: '2'", "n1", "q") +
           group("j", "minMember: 1, queue: q, minResources: {cpu: '2'}") + pods("j", 1, "cpu: '2'"),
       PendingReason::kQueueLimit,
       "not let in: its minimum asks for 2 of cpu; queue q may hold at most 3, of which 2 are taken or promised"},
      {"a minimum larger than the cluster", big + group("j", "minMember: 1, minResources: {cpu: '9'}") + pods("j", 1, "cpu: '2'"),
       PendingReason::kMinimumTooLarge, "its minimum asks for 9 of cpu and all nodes together have 4"},
      {"promised to others",
       big + group("i", "minMember: 1, minResources: {cpu: '3'}") + pod("i", 0, "cpu: '3'", "nodeSelector: {no: where},") +
           group("j", "minMember: 1, minResources: {cpu: '3'}") + pods("j", 1, "cpu: '3'"),
       PendingReason::kClusterPromised,
       "not let in: its minimum asks for 3 of cpu; 3 are promised to jobs that were let in, and there is room for 4.8"},
      {"no nodes", group("j", "minMember: 1") + pods("j", 1, "cpu: '1'"), PendingReason::kNoNodes, "the cluster has no nodes"},
      {"gated", big + group("j", "minMember: 1") + pod("j", 0, "cpu: '1'", "schedulingGates: [{name: wait}],"),
       PendingReason::kGated, "scheduling gates hold its only pod back"},
      {"no node fits",
       node("n1", "cpu: '4'", "unschedulable: true") + node("n2", "cpu: '4'", "unschedulable: true") + group("j", "minMember: 1") +
           pods("j", 1, "cpu: '2'"),
       PendingReason::kNoNodeFits, "no node fits: node(s) were unschedulable on 2 of 2 nodes"},
      {"pods larger than the cluster together", big + group("j", "minMember: 2") + pods("j", 2, "cpu: '3'"),
       PendingReason::kMinimumTooLarge, "its minimum asks for 6 of cpu and all nodes together have 4"},
      {"more than the queue deserves, and more than is free",
       big + queue("q", "") + queue("o", "") + running("r", "cpu: '2'", "n1", "o") + group("o", "minMember: 1, queue: o") +
           pods("o", 1, "cpu: '2'") + group("j", "minMember: 1, queue: q") + pods("j", 1, "cpu: '3'"),
       PendingReason::kClusterFull, "all nodes together have 2 of cpu free and it needs 3"},
      {"a full cluster", big + running("r", "cpu: '3'", "n1", "default") + group("j", "minMember: 1") + pods("j", 1, "cpu: '2'"),
       PendingReason::kClusterFull, "all nodes together have 1 of cpu free and it needs 2"},
      {"pods that are being deleted", big + group("j", "minMember: 2") + pods("j", 1, "cpu: '1'") + leaving("j", 1),
       PendingReason::kPodsLeaving, "2 pods have to start together; 1 is there, 1 is being deleted"},
  };
  for (const auto& c : cases) {
    const auto explanation = explained(c.objects, "j");
    EXPECT_EQ(text_of(explanation.job.reason).code, text_of(c.reason).code) << c.what << ": " << explanation.job.sentence;
    if (c.sentence != nullptr) {
      EXPECT_EQ(explanation.job.sentence, c.sentence) << c.what;
    }
    EXPECT_EQ(explanation.job.state, JobState::kWaiting) << c.what;
  }
}

// Free resources in pieces that are too small: the question that is asked most.
TEST(Explanation, TellsFragmentedRoomFromMissingRoom) {
  const auto text = node("n1", "cpu: '4'") + node("n2", "cpu: '2'") + group("j", "minMember: 2") + pods("j", 2, "cpu: '3'");
  const auto explanation = explained(text, "default/j");
  EXPECT_EQ(text_of(explanation.job.reason).code, "gang-incomplete");
  EXPECT_EQ(explanation.job.would_fit, 1);
  ASSERT_EQ(explanation.needs.size(), 1u);
  EXPECT_EQ(explanation.needs[0].missing, 6000);
  EXPECT_EQ(explanation.needs[0].free, 6000);
}

TEST(Explanation, NamesAPodThatIsLargerThanEveryNode) {
  const auto text = node("n1", "cpu: '4'") + node("n2", "cpu: '4'") + group("j", "minMember: 1") + pods("j", 1, "cpu: '5'");
  const auto explanation = explained(text, "j");
  EXPECT_EQ(explanation.job.sentence, "a pod asks for 5 of cpu and the largest node has 4");
  EXPECT_EQ(text_of(explanation.job.reason).code, "too-large");
}

TEST(Explanation, AlmostEverybodyIsAheadOfTheLast) {
  auto text = node("n1", "cpu: '4'");
  for (int i = 0; i < 150; ++i) {
    const auto name = "j" + std::to_string(1000 + i);
    text += group(name, "minMember: 1") + pods(name, 1, "cpu: '3'");
  }
  const auto explanation = explained(text, "j1149");
  EXPECT_EQ(explanation.competitors, 150u);
  EXPECT_EQ(explanation.place, 150u);
  EXPECT_EQ(explanation.ahead.size(), 149u);
}

// The last part of a resource's name may well be what a node is called.
TEST(Explanation, AResourceIsNotTakenForANodeOfItsName) {
  const std::string gpus = "cpu: '4', nvidia.com/gpu: '4'";
  const auto text = node("gpu", gpus) + node("n2", gpus) + running("a", "nvidia.com/gpu: '2'", "gpu", "default") +
                    running("b", "nvidia.com/gpu: '2'", "n2", "default") + group("j", "minMember: 1") +
                    pods("j", 1, "nvidia.com/gpu: '3'");
  const auto explanation = explained(text, "j");
  ASSERT_FALSE(explanation.job.refusals.reasons.empty());
  EXPECT_EQ(explanation.job.refusals.reasons.front().first, "Insufficient nvidia.com/gpu");
}

TEST(Explanation, SaysWhoIsAheadInTheQueueAndWhatBecameOfThem) {
  const auto text = node("n1", "cpu: '4'") + group("a", "minMember: 1") + pods("a", 1, "cpu: '3'") + group("b", "minMember: 1") +
                    pods("b", 1, "cpu: '3'");
  const auto explanation = explained(text, "b");
  EXPECT_EQ(explanation.competitors, 2u);
  ASSERT_EQ(explanation.ahead.size(), 1u);
  EXPECT_EQ(explanation.ahead[0].job, "default/a");
  EXPECT_EQ(explanation.ahead[0].state, JobState::kPlaced);
  ASSERT_FALSE(explanation.queue.empty());
  EXPECT_EQ(explanation.queue[0].resource, "cpu");
  EXPECT_EQ(explanation.queue[0].allocated, 3000);
  EXPECT_EQ(explanation.queue[0].requested, 6000);
}

struct HintCase {
  const char* what;
  std::string objects;
  const char* hint;
};

TEST(Explanation, NamesWhatWouldHelp) {
  const auto big = node("n1", "cpu: '4'");
  const auto job = group("j", "minMember: 1") + pods("j", 1, "cpu: '2'");
  const HintCase cases[] = {
      {"the closest node and who holds it",
       big + node("n2", "cpu: '4'") + running("a", "cpu: '4'", "n1", "default") + running("b", "cpu: '3'", "n2", "default") + job,
       "free 1 more of cpu on n2, the closest node (default/b holds 3 of cpu)"},
      {"a taint", node("n1", "cpu: '4'", "taints: [{key: team, value: infra, effect: NoSchedule}]") + job,
       "tolerate the taint team=infra:NoSchedule (on 1 node)"},
      {"a cordoned node", node("n1", "cpu: '4'", "unschedulable: true") + job, "uncordon n1"},
      {"a cordoned node with the taint that a cluster gives it",
       node("n1", "cpu: '4'", "unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]") + job,
       "uncordon n1"},
      {"a label", big + group("j", "minMember: 1") + pod("j", 0, "cpu: '2'", "nodeSelector: {pool: gpu},"),
       "label a node as spec.nodeSelector asks: pool=gpu (on no node)"},
      {"two obstacles on one node",
       node("n1", "cpu: '4'", "taints: [{key: team, effect: NoExecute}]") + node("n2", "cpu: '4'", "unschedulable: true") +
           running("a", "cpu: '4'", "n2", "default") + running("b", "cpu: '3'", "n1", "default") + job,
       "for n1, the closest node: free 1 more of cpu (default/b holds 3 of cpu) and tolerate the taint team:NoExecute"},
      {"a queue that is nearly right",
       big + queue("team-a", "") + group("j", "minMember: 1, queue: team-b") + pods("j", 1, "cpu: '1'"),
       "create the queue team-b, or name another one in spec.queue: was team-a meant?"},
      {"pods that are missing", big + group("j", "minMember: 3") + pods("j", 1, "cpu: '1'"),
       "create 2 more pods, or lower spec.minMember from 3 to 1"},
      {"a minimum too large", big + group("j", "minMember: 2") + pods("j", 2, "cpu: '3'"),
       "add nodes with 2 of cpu more, or lower spec.minMember"},
      {"a pod too large", big + group("j", "minMember: 1") + pods("j", 1, "cpu: '5'"),
       "ask for at most 4 of cpu in pod j-0, or add a node with at least 5"},
      {"who holds the queue's limit",
       big + queue("q", "capability: {cpu: '3'}") + running("r", "cpu: '2'", "n1", "q") +
           group("j", "minMember: 1, queue: q, minResources: {cpu: '2'}") + pods("j", 1, "cpu: '2'"),
       "wait for jobs of queue q to end (default/r holds 2 of cpu), or raise the capability of queue q"},
  };
  for (const auto& c : cases) EXPECT_EQ(explained(c.objects, "j").hint, c.hint) << c.what;
}

// An extender that nobody answers for.
class DeadExtender final : public volcano::ExtenderClient {
 public:
  tl::expected<volcano::ExtenderAnswer, volcano::ExtenderFailure> ask(const volcano::Session&,
                                                                      const volcano::ExtenderQuestion& question) override {
    return tl::unexpected(volcano::ExtenderFailure{"Post \"" + question.url + "\": connection refused", true});
  }
};

// The same with actions and plugins of a configuration.
Explanation explained_with(const std::string& actions, const std::string& plugins, const std::string& text, const std::string& name,
                           volcano::Behaviour behaviour = volcano::Behaviour::safe()) {
  const auto value = read_yaml_value("actions: \"" + actions + "\"\ntiers: [{plugins: [" + plugins + "]}]\n", "conf.yaml");
  const auto config = volcano::read_config(*value, "conf.yaml", Strictness::kStrict);
  EXPECT_TRUE(config) << config.error().text();
  volcano::ClusterOptions kept;
  volcano::remember_for(config->config, kept);
  auto loaded = load_cluster_text(text, "all.yaml", kept);
  EXPECT_TRUE(loaded) << loaded.error().text();
  auto scheduler =
      std::make_unique<volcano::Scheduler>(std::move(loaded->cluster), config->config, behaviour, SearchKind::kReference);
  scheduler->set_extender(std::make_shared<DeadExtender>());
  OfflineOptions options;
  options.now = Timestamp{43200, 0};  // noon
  OfflineRun run(std::move(scheduler), options, loaded->notes);
  auto explanation = explain(run, name, quiet);
  EXPECT_TRUE(explanation) << explanation.error().text();
  return explanation ? *explanation : Explanation();
}

// A fault of the tree of queues: in the job's own queue, above it, and as the original takes it.
TEST(Explanation, SaysWhatIsWrongWithTheTreeOfQueues) {
  const auto tree = [](const std::string& job, volcano::Behaviour behaviour) {
    const auto text = node("n1", "cpu: '4'") + queue("root", "") + queue("team", "parent: root") + queue("leaf", "parent: team") +
                      queue("lost", "parent: nobody") + queue("below", "parent: lost") + group("in", "minMember: 1, queue: team") +
                      pods("in", 1, "cpu: '1'") + group("astray", "minMember: 1, queue: below") +
                      group("good", "minMember: 1, queue: leaf") + pods("good", 1, "cpu: '1'");
    return explained_with("enqueue, allocate", "{name: gang}, {name: predicates}, {name: capacity, enableHierarchy: true}", text,
                          job, behaviour);
  };
  const auto safe = volcano::Behaviour::safe();
  const auto in = tree("in", safe);
  EXPECT_EQ(in.job.reason, PendingReason::kInnerQueue);
  EXPECT_EQ(in.job.sentence, "its queue team has queues below it, such as leaf, and only leaves take jobs");
  EXPECT_EQ(in.hint, "name a leaf in spec.queue; below team is leaf");
  const auto astray = tree("astray", safe);
  EXPECT_EQ(astray.job.reason, PendingReason::kQueueTree);
  EXPECT_EQ(astray.job.sentence,
            "its queue below has no place in the tree of queues: the parent nobody of queue lost does not exist");
  EXPECT_EQ(tree("good", safe).job.reason, PendingReason::kNone);
  const auto stopped = tree("good", safe.with(volcano::Quirk::kOneFaultStopsAll));
  EXPECT_EQ(stopped.job.reason, PendingReason::kQueueTree);
  EXPECT_EQ(stopped.job.sentence,
            "the tree of queues is broken, so that nobody is placed: the parent nobody of queue lost does not exist");
}

TEST(Explanation, NamesTheJobThatStopsEverybody) {
  const auto text = node("n1", "cpu: '4'") + queue("root", "") + queue("team", "parent: root") + queue("leaf", "parent: team") +
                    group("in", "minMember: 1, queue: team") + group("good", "minMember: 1, queue: leaf") +
                    pods("good", 1, "cpu: '1'");
  const auto e = explained_with("enqueue, allocate", "{name: gang}, {name: predicates}, {name: capacity, enableHierarchy: true}",
                                text, "good", volcano::Behaviour::exact());
  EXPECT_EQ(e.job.sentence,
            "the tree of queues is broken, so that nobody is placed: queue team has queues below it and jobs of its own, such as "
            "default/in");
}

// Whoever evicts tries again after allocate, which must not hide what allocate found.
TEST(Explanation, GivesTheSameReasonWithAndWithoutActionsThatEvict) {
  const auto text = node("n1", "cpu: '4'") + node("n2", "cpu: '4'") + running("r", "cpu: '3'", "n2", "default") +
                    group("j", "minMember: 2") + pods("j", 2, "cpu: '3'");
  for (const auto* more :
       {"", ", preempt", ", reclaim", ", gangpreempt", ", gangreclaim", ", preempt, reclaim", ", backfill, preempt"}) {
    const auto e =
        explained_with(std::string("enqueue, allocate") + more,
                       "{name: priority}, {name: gang}, {name: conformance}, {name: predicates}, {name: nodeorder}", text, "j");
    EXPECT_EQ(e.job.sentence, "only 1 of the 2 pods that have to start together finds a node: Insufficient cpu on 2 of 2 nodes")
        << more;
    EXPECT_EQ(e.job.would_fit, 1) << more;
    EXPECT_FALSE(e.room_is_gone) << more;
  }
}

constexpr const char* kRules = "{name: gang}, {name: predicates}, {name: deviceshare, arguments: {deviceshare.VGPUEnable: true}}";

TEST(Explanation, SaysInPlainWordsWhatIsMissing) {
  const auto claim = [](const std::string& name) { return "resourceClaims: [{name: gpu, resourceClaimName: " + name + "}],"; };
  const auto with_volume = [](const std::string& name) {
    return "volumes: [{name: v, persistentVolumeClaim: {claimName: " + name + "}}],";
  };
  const auto job = [](const std::string& spec) { return group("j", "minMember: 1") + pod("j", 0, "cpu: '1'", spec); };
  const auto claim_object = [](const std::string& name, const std::string& device_class) {
    return "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: " + name +
           "}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: " + device_class + "}}]}}}\n";
  };
  const std::string device_class = "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu.example.com}}\n";
  const std::string volume_claim =
      "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: gone}}\n";
  const std::string cards =
      "---\n{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {volcano.sh/node-vgpu-register: "
      "'GPU-1,10,8000,NVIDIA-A100,true,hami-core:'}}, status: {allocatable: {pods: '10', cpu: '4', volcano.sh/vgpu-number: '10', "
      "volcano.sh/vgpu-cores: '100', volcano.sh/vgpu-memory: '80000'}}}\n";
  const auto big = node("n1", "cpu: '4'");
  struct Row {
    const char* what;
    std::string text;
    std::string code;
    std::string hint;
  };
  const Row rows[] = {
      {"a claim", big + job(claim("gone")), "no-claim",
       "create the ResourceClaim, or name another one in spec.resourceClaims of the pods"},
      {"a claim of one of two", big + group("j", "minMember: 2") + pod("j", 0, "cpu: '1'", claim("gone")) + pod("j", 1, "cpu: '1'"),
       "no-claim", "create the ResourceClaim, or name another one in spec.resourceClaims of the pods"},
      {"a device class", big + claim_object("c", "gone.example.com") + job(claim("c")), "no-node-fits",
       "create the DeviceClass gone.example.com, or name another one in its ResourceClaim"},
      {"devices", big + device_class + claim_object("c", "gpu.example.com") + job(claim("c")), "no-node-fits",
       "see that a driver publishes devices of the DeviceClass gpu.example.com: there is no ResourceSlice at all (on 1 node)"},
      {"a volume claim", big + job(with_volume("data")), "no-node-fits",
       "create the PersistentVolumeClaim default/data, or name another one in spec.volumes"},
      {"a storage class", big + volume_claim + job(with_volume("data")), "no-node-fits",
       "create the StorageClass gone, or name another one in its PersistentVolumeClaim"},
      {"a device plugin", big + group("j", "minMember: 1") + pods("j", 1, "nvidia.com/gpu: '1'"), "too-large",
       "add a node that has nvidia.com/gpu in status.allocatable, or see that the device plugin for it runs; pod j-0 asks for 1"},
      {"a share of a card",
       cards + group("j", "minMember: 1") +
           "---\n{apiVersion: v1, kind: Pod, metadata: {name: j-0, annotations: {scheduling.k8s.io/group-name: j}}, spec: "
           "{schedulerName: volcano, containers: [{name: c, resources: {limits: {volcano.sh/vgpu-number: '1', "
           "volcano.sh/vgpu-memory: '9000'}, requests: {volcano.sh/vgpu-number: '1', volcano.sh/vgpu-memory: '9000'}}}]}}\n",
       "no-node-fits",
       "free a share of a GPU for 9000 of volcano.sh/vgpu-memory, 1 of volcano.sh/vgpu-number: the node annotation "
       "volcano.sh/node-vgpu-register tells the cards, their memory and how many pods may share one (on 1 node)"},
  };
  for (const auto& row : rows) {
    const auto e = explained_with("enqueue, allocate", kRules, row.text, "j");
    EXPECT_EQ(e.code, row.code) << row.what << ": " << e.job.sentence;
    EXPECT_EQ(e.hint, row.hint) << row.what << ": " << e.job.sentence;
  }
}

TEST(Explanation, NamesTheClaimsThatDoNotExist) {
  const auto lost = [](int index, const std::string& name) {
    return pod("j", index, "cpu: '1'", "resourceClaims: [{name: gpu, resourceClaimName: " + name + "}],");
  };
  const auto sentence = [&](const std::string& objects) {
    return explained_with("enqueue, allocate", kRules, node("n1", "cpu: '4'") + objects, "j").job.sentence;
  };
  EXPECT_EQ(sentence(group("j", "minMember: 1") + lost(0, "a")),
            "a pod of it names the ResourceClaim default/a, which does not exist");
  EXPECT_EQ(sentence(group("j", "minMember: 2") + lost(0, "a") + lost(1, "b")),
            "2 of its pods name the ResourceClaims default/a, default/b, which do not exist");
  EXPECT_EQ(sentence(group("j", "minMember: 1") + lost(0, "a") + pod("j", 1, "cpu: '1'")), "");  // enough without it
}

TEST(Explanation, TellsOfZonesThatAreClosed) {
  const std::string plugins =
      "{name: gang}, {name: tdm, arguments: {tdm.revocable-zone.night: '00:00-06:00', tdm.revocable-zone.day: '08:00-20:00'}}, "
      "{name: predicates}";
  const auto zone = [](const std::string& name, const std::string& of) {
    return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {volcano.sh/revocable-zone: " + of +
           "}}, status: {allocatable: {pods: '10', cpu: '4'}}}\n";
  };
  const auto one = group("j", "minMember: 1") + pods("j", 1, "cpu: '3'");
  const auto closed = explained_with("enqueue, allocate", plugins, zone("n1", "night") + one, "j");
  EXPECT_EQ(closed.job.sentence, "no node fits: current time beyond revocable zone night:00:00-06:00 on 1 of 1 node");
  EXPECT_EQ(closed.hint,
            "wait until the revocable zone night opens (00:00-06:00 UTC), or change tdm.revocable-zone.night (on 1 node)");
  const auto open = explained_with("enqueue, allocate", plugins, zone("n1", "day") + one, "j");
  EXPECT_EQ(open.hint,
            "let the pod use revocable nodes with its annotation volcano.sh/preemptable: \"true\" or volcano.sh/revocable-zone: "
            "\"*\" (on 1 node)");

  // The room that one of the two found has gone to the job after it.
  const auto both = explained_with("enqueue, allocate", plugins,
                                   node("n0", "cpu: '4'") + zone("n1", "night") + group("j", "minMember: 2") +
                                       pods("j", 2, "cpu: '3'") + group("k", "minMember: 1") + pods("k", 1, "cpu: '3'"),
                                   "j");
  EXPECT_EQ(both.job.sentence,
            "only 1 of the 2 pods that have to start together finds a node: Insufficient cpu on 1 of 2 nodes, current time beyond "
            "revocable zone night:00:00-06:00 on 1");
  EXPECT_TRUE(both.room_is_gone);
  EXPECT_NE(explanation_text(both, Paint::none()).find("1 found a node, which has gone to others"), std::string::npos);
}

// As the original, all waiting pods or none; otherwise the one that the job can start with.
TEST(Explanation, SaysThatATopologyNeedsRoomForAllAtOnce) {
  const auto value = read_yaml_value(
      "actions: \"allocate\"\ntiers: [{plugins: [{name: gang}, {name: predicates}, {name: network-topology-aware}]}]\n", "c.yaml");
  const auto config = volcano::read_config(*value, "c.yaml", Strictness::kStrict);
  ASSERT_TRUE(config) << config.error().text();
  const auto said = [&](const std::string& topology, volcano::Behaviour behaviour) {
    const auto text = node("n1", "cpu: '4'") +
                      "---\n{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: rack}, spec: {tier: 1, "
                      "members: [{type: Node, selector: {exactMatch: {name: n1}}}]}}\n" +
                      group("j", "minMember: 1, networkTopology: {" + topology + "}") + pods("j", 2, "cpu: '3'");
    auto run = run_of(text, config->config, behaviour);
    const auto e = explain(run, "j", quiet);
    EXPECT_TRUE(e) << e.error().text();
    return std::string(e->code) + ": " + e->job.sentence;
  };
  const auto exact = volcano::Behaviour::exact();
  EXPECT_EQ(said("mode: soft", exact),
            "all-at-once: with a network topology 2 waiting pods have to fit at once; they ask for 6 of cpu and all nodes together "
            "have 4 free");
  EXPECT_EQ(
      said("mode: hard, highestTierAllowed: 1", exact),
      "all-at-once: with a network topology 2 waiting pods have to fit at once; they ask for 6 of cpu and no HyperNode of tier "
      "1 or lower has more than 4 free");
  for (const auto* topology : {"mode: soft", "mode: hard, highestTierAllowed: 1"})
    EXPECT_EQ(said(topology, volcano::Behaviour::safe()),
              "no-node-fits: no node fits the rest of its pods: Insufficient cpu on 1 of 1 node");
}

TEST(Explanation, TellsOfAnExtenderThatDoesNotAnswer) {
  const auto text = node("n1", "cpu: '4'") + node("n2", "cpu: '4'") + group("j", "minMember: 1, minResources: {cpu: '1'}") +
                    pods("j", 1, "cpu: '1'");
  for (const auto* verb : {"predicateVerb", "prioritizeVerb", "queueOverusedVerb", "jobEnqueueableVerb"}) {
    const auto e =
        explained_with("enqueue, allocate",
                       "{name: gang}, {name: predicates}, {name: extender, arguments: {extender.urlPrefix: 'http://x', extender." +
                           std::string(verb) + ": v}}",
                       text, "j");
    EXPECT_EQ(e.code, "extender-failed") << verb;
    EXPECT_EQ(e.job.sentence, "the HTTP extender could not be asked: Post \"http://x/v\": connection refused") << verb;
  }
}

const std::string kHigh = "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 125}\n";

// What each evicting action of a configuration had against making room for "urgent", one per line.
std::string chances(const std::string& actions, const std::string& plugins, const std::string& text) {
  const auto value = read_yaml_value("actions: \"" + actions + "\"\ntiers: [{plugins: [" + plugins + "]}]\n", "conf.yaml");
  const auto config = volcano::read_config(*value, "conf.yaml", Strictness::kStrict);
  EXPECT_TRUE(config) << config.error().text();
  auto run = run_of(text, config->config);
  const auto explanation = explain(run, "urgent", quiet);
  EXPECT_TRUE(explanation) << explanation.error().text();
  std::string lines;
  for (const auto& chance : explanation->chances) lines += chance.action + ": " + chance_text(chance) + "\n";
  return lines;
}

TEST(Explanation, SaysWhyNobodyIsEvicted) {
  const std::string both = "{name: priority}, {name: gang}, {name: conformance}, {name: predicates}, {name: proportion}";
  const auto waiting = [](const std::string& spec) {
    return node("n1", "cpu: '4'") + queue("own", "") + queue("other", "reclaimable: false") +
           group("urgent", "minMember: 1, queue: own" + spec) + pods("urgent", 1, "cpu: '2'");
  };
  struct Row {
    std::string actions;
    std::string text;
    std::string chances;
  };
  const Row rows[] = {
      {"enqueue, allocate, preempt", waiting("") + running("peer", "cpu: '4'", "n1", "own"),
       "preempt: the one running pod of other jobs of queue own may not go: 1 is not less urgent than it (priority)\n"},
      {"enqueue, allocate, preempt", waiting("") + running("far", "cpu: '4'", "n1", "other"),
       "preempt: no pod of other jobs of queue own is running\n"},
      {"enqueue, allocate, reclaim", waiting("") + running("far", "cpu: '4'", "n1", "other"),
       "reclaim: the one running pod of other queues may not go: 1 is of queue other, which is not reclaimable\n"},
      {"enqueue, allocate, preempt, gangpreempt",
       waiting(", networkTopology: {mode: hard, highestTierAllowed: 1}") + running("peer", "cpu: '4'", "n1", "own"),
       "preempt: it has a network topology, which only gangpreempt serves\n"
       "gangpreempt: the one running pod of other jobs of queue own may not go: 1 is not less urgent than it\n"},
      {"enqueue, allocate", waiting("") + running("peer", "cpu: '4'", "n1", "own"), ""},
      {"enqueue, allocate, reclaim", waiting(", priorityClassName: high") + kHigh + running("peer", "cpu: '4'", "n1", "own"),
       "reclaim: no pod of other queues is running\n"
       "preempt: is not among the actions of this configuration; 1 running pod of queue own is less urgent than it\n"},
  };
  for (const auto& row : rows) EXPECT_EQ(chances(row.actions, both, row.text), row.chances) << row.actions;
}

TEST(Explanation, NamesTheQueueThatSetsTheLimit) {
  const std::string tree = "{name: gang}, {name: predicates}, {name: capacity, enableHierarchy: true}";
  const auto value = read_yaml_value("actions: \"enqueue, allocate\"\ntiers: [{plugins: [" + tree + "]}]\n", "conf.yaml");
  const auto config = volcano::read_config(*value, "conf.yaml", Strictness::kStrict);
  ASSERT_TRUE(config) << config.error().text();
  auto run = run_of(node("n1", "cpu: '8'") + queue("team", "parent: root, capability: {cpu: '2'}") + queue("leaf", "parent: team") +
                        group("big", "minMember: 1, queue: leaf") + pods("big", 1, "cpu: '4'"),
                    config->config);
  const auto explanation = explain(run, "big", quiet);
  ASSERT_TRUE(explanation) << explanation.error().text();
  ASSERT_EQ(explanation->queue.size(), 1u);
  EXPECT_EQ(explanation->queue[0].limit, 2000.0);
  EXPECT_EQ(explanation->queue[0].limit_of, "team");
}

TEST(Explanation, SaysOfWhatItListsTheNeeds) {
  const auto heading = [](const std::string& objects) {
    const auto text = explanation_text(explained(objects, "j"), Paint::none());
    const auto at = text.find("What it ");
    const auto begin = at == std::string::npos ? text.find("What the ") : at;
    return begin == std::string::npos ? text : text.substr(begin, text.find('\n', begin) - begin);
  };
  const auto big = node("n1", "cpu: '4'");
  EXPECT_EQ(heading(big + group("j", "minMember: 2") + pods("j", 2, "cpu: '3'")),
            "What it misses for its minimum, 2 more pods, and what all nodes together have");
  EXPECT_EQ(heading(big + group("j", "minMember: 1") + pods("j", 3, "cpu: '3'")),
            "What the rest of it asks for, 2 pods, and what all nodes together have");
  EXPECT_EQ(heading(big + group("j", "minMember: 1, minResources: {cpu: '9'}") + pods("j", 1, "cpu: '2'")),
            "What it asks for to be let in, its spec.minResources, and what all nodes together have");
  const auto limited = explained(big + group("j", "minMember: 1, minResources: {cpu: '9'}") + pods("j", 1, "cpu: '2'"), "j");
  ASSERT_EQ(limited.needs.size(), 1u);
  EXPECT_EQ(limited.needs[0].missing, 9000);
}

TEST(Explanation, SaysWhatBecameOfJobsThatHaveEnded) {
  const auto big = node("n1", "cpu: '4'");
  const auto done = explained(big + group("j", "minMember: 1") + ended("j", 0, "Succeeded") + ended("j", 1, "Failed"), "j");
  EXPECT_EQ(done.job.state, JobState::kFinished);
  EXPECT_EQ(done.job.sentence, "1 pod succeeded, 1 failed");
  EXPECT_EQ(done.competitors, 0u);
  const auto ending = explained(big + group("j", "minMember: 1") + ended("j", 0, "Succeeded") + leaving("j", 1), "j");
  EXPECT_EQ(ending.job.state, JobState::kEnding);
  EXPECT_EQ(ending.job.sentence, "1 pod succeeded, 1 is being deleted");
}

TEST(Explanation, TakesAPodForItsJob) {
  const auto text = node("n1", "cpu: '4'") + group("j", "minMember: 1") + pods("j", 1, "cpu: '1'");
  const auto explanation = explained(text, "j-0");
  EXPECT_EQ(explanation.job.name, "default/j");
  EXPECT_EQ(explanation.pod, "default/j-0");
  EXPECT_EQ(explanation.job.state, JobState::kPlaced);
  EXPECT_EQ(explanation_text(explanation, Paint::none()).substr(0, 27), "default/j is placed on n1.\n");
}

TEST(Explanation, HelpsWithNamesThatAreWrong) {
  const auto text = node("n1", "cpu: '4'") + group("train", "minMember: 1") + pods("train", 1, "cpu: '1'");
  EXPECT_EQ(refusal(text, "trian"), "no job and no pod of this scheduler is called \"trian\"; did you mean \"train\"?");
  EXPECT_EQ(refusal(text, "tr"), "no job and no pod of this scheduler is called \"tr\"; did you mean \"train\"?");
  EXPECT_EQ(refusal(text, "zebra"), "no job and no pod of this scheduler is called \"zebra\"");
}

// To the dialect they have gates, which nobody could remove.
TEST(Explanation, TellsOfBindsThatWereRefusedAndNotOfGates) {
  const auto gate = "schedulingGates: [{name: held}],";
  const RefusedBinds refused = {{"default/j-1", "the bind of default/j-1 to n1 was refused: no"}};
  const auto of = [&](const std::string& first) {
    auto run = run_of(node("n1", "cpu: '4'") + group("j", "minMember: 2") + pod("j", 0, "cpu: '1'", first) +
                      pod("j", 1, "cpu: '1'", gate));
    auto explainer = Explainer::find(run.cluster(), "j-1");
    EXPECT_TRUE(explainer);
    OfflineRun::Looks looks;
    looks.at_opening = [&](volcano::Session& session) { explainer->at_opening(session); };
    looks.after_actions = [&](volcano::Session& session) { explainer->after_actions(session, refused); };
    run.run(looks, quiet);
    return explainer->take({});
  };
  const auto e = of("");
  EXPECT_EQ(e.code, "bind-refused");
  EXPECT_EQ(e.job.sentence, "1 of its 2 pods is held back: the bind of default/j-1 to n1 was refused: no");
  EXPECT_EQ(e.pod_place, "is held back: the bind of default/j-1 to n1 was refused: no");
  EXPECT_EQ(e.job.gated, 0);
  const auto both = of(gate);
  EXPECT_EQ(both.code, "gated") << "which has to go first";
  EXPECT_EQ(both.job.sentence, "scheduling gates hold 1 of its 2 pods back");
  EXPECT_EQ(both.hint, "whoever set the gates in spec.schedulingGates of pod j-0 has to remove them");
}

// A PodGroup with a name that nobody knows, made for a workload.
std::string made_for(const std::string& workload, const std::string& name, const std::string& ns = "default") {
  const auto slash = workload.find('/');
  auto text = group(name, "minMember: 1");
  text.insert(text.find("name: " + name) + 6 + name.size(), ", namespace: " + ns +
                                                                ", ownerReferences: [{kind: " + workload.substr(0, slash) +
                                                                ", name: " + workload.substr(slash + 1) + ", controller: true}]");
  return text;
}

TEST(Explanation, FindsAJobByItsWorkload) {
  const auto text = node("n1", "cpu: '4'") + made_for("Job/big", "podgroup-1f", "mine") +
                    made_for("ReplicaSet/web-5d4f8c9b6d", "podgroup-2e") + made_for("Job/nightly-29012345", "podgroup-3d");
  for (const auto* name : {"big", "mine/big", "job/big", "Job/big", "mine/job/big", "Mine/BIG", "PodGroup-1f"})
    EXPECT_EQ(explained(text, name).job.name, "mine/podgroup-1f") << name;
  for (const auto* name : {"web", "default/web", "deployment/web", "web-5d4f8c9b6d", "default/replicaset/web-5d4f8c9b6d"})
    EXPECT_EQ(explained(text, name).job.name, "default/podgroup-2e") << name;
  for (const auto* name : {"nightly", "cronjob/nightly", "job/nightly-29012345"})
    EXPECT_EQ(explained(text, name).job.name, "default/podgroup-3d") << name;
  const auto e = explained(text, "big");
  EXPECT_EQ(e.job.workload, "Job/big");
  EXPECT_TRUE(explanation_text(e, Paint::none()).starts_with("mine/podgroup-1f (Job/big) waits: "));
  EXPECT_NE(explanation_json(e).find(R"("job":"mine/podgroup-1f","workload":"Job/big")"), std::string::npos);
  for (const auto* name : {"other/big", "deployment/big", "mine/deployment/big", "default/big"})
    EXPECT_NE(refusal(text, name).find("no job and no pod of this scheduler is called"), std::string::npos) << name;
  EXPECT_NE(refusal(text, "mine/bgi").find("did you mean \"mine/big\"?"), std::string::npos) << refusal(text, "mine/bgi");
}

TEST(Explanation, AsksWhichIsMeantOfWorkloadsOfOneName) {
  const auto text = made_for("Job/big", "podgroup-1f", "mine") + made_for("StatefulSet/big", "podgroup-2e", "mine") +
                    made_for("Job/big", "podgroup-3d", "yours");
  EXPECT_EQ(refusal(text, "mine/big"),
            "\"mine/big\" is the name of several: mine/podgroup-1f (Job/big), mine/podgroup-2e (StatefulSet/big); say which");
  EXPECT_EQ(refusal(text, "job/big"),
            "\"job/big\" is the name of several: mine/podgroup-1f (Job/big), yours/podgroup-3d (Job/big); say which");
  EXPECT_EQ(explained(text, "yours/big").job.name, "yours/podgroup-3d");
  EXPECT_EQ(explained(text, "mine/statefulset/big").job.name, "mine/podgroup-2e");
}

// Where a PodGroup was made by hand, its pods tell. What has the very name comes before what was made for somebody of that name.
TEST(Explanation, FindsAJobByTheOwnerOfItsPods) {
  auto owned = pod("j", 0, "cpu: '1'");
  owned.insert(owned.find("name: j-0") + 9, ", ownerReferences: [{kind: Job, name: big, controller: true}]");
  const auto text = node("n1", "cpu: '4'") + group("j", "minMember: 1") + owned;
  EXPECT_EQ(explained(text, "big").job.name, "default/j");
  EXPECT_EQ(explained(text + group("big", "minMember: 1"), "big").job.name, "default/big");
  EXPECT_EQ(explained(owned + node("n1", "cpu: '4'") + made_for("Job/whole", "j"), "whole").job.name, "default/j");
}

// Pods may be deleted when they are done; what is left says so as long as no cycle has ended without them.
TEST(Explanation, AJobWithoutPodsThatHasCompletedDoesNotWait) {
  struct Row {
    std::string phase;
    JobState state;
    std::string_view code;
    std::string sentence;
  };
  const Row rows[] = {
      {"Completed", JobState::kFinished, "none", "its pods have ended and were deleted"},
      {"Inqueue", JobState::kWaiting, "no-pods",
       "its PodGroup has been let in and has no pods: they have ended and were deleted, or were not created yet"},
      {"Running", JobState::kWaiting, "no-pods",
       "its PodGroup has no pods: they have ended and were deleted, or were not created yet"},
  };
  for (const auto& [phase, state, code, sentence] : rows) {
    const auto e = explained(node("n1", "cpu: '4'") +
                                 "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: j}, spec: "
                                 "{minMember: 1}, status: {phase: " +
                                 phase + "}}\n",
                             "j");
    EXPECT_EQ(e.job.state, state) << phase;
    EXPECT_EQ(e.code, code) << phase;
    EXPECT_EQ(e.job.sentence, sentence) << phase;
    EXPECT_EQ(e.hint.empty(), state == JobState::kFinished) << phase << ": " << e.hint;
  }
}

TEST(PendingReasons, TheTableIsInTheOrderOfTheEnumerationAndCodesAreUnique) {
  std::set<std::string_view> codes;
  for (std::size_t i = 0; i < pending_reasons().size(); ++i) {
    const auto& row = pending_reasons()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.reason), i);
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_EQ(row.hint.empty(), row.reason == PendingReason::kNone);
  }
}

TEST(ScheduleTable, HasARowPerJobAndASummary) {
  auto run = run_of(node("n1", "cpu: '4'") + group("a", "minMember: 2") + pods("a", 2, "cpu: '1'") + group("b", "minMember: 1"));
  std::vector<JobOutlook> jobs;
  OfflineRun::Looks looks;
  looks.after_actions = [&](volcano::Session& session) { jobs = outlooks_of(session); };
  const auto cycles = run.run(looks, quiet);
  EXPECT_EQ(schedule_table(jobs, cycles, Paint::none()),
            "JOB        QUEUE    STATE    PODS  NODES OR REASON\n"
            "default/a  default  placed   2/2   n1 (2)\n"
            "default/b  default  waiting  0/0   its PodGroup has been let in and has no pods: they have ended and were deleted, or "
            "were not created yet\n"
            "\n"
            "2 jobs: 1 placed, 1 waiting; 2 pods bound to 1 node, 0 evicted, 1 cycle\n");
}

std::string pod_of_role(const std::string& job, int index, const std::string& role, const std::string& spec = "") {
  auto text = pod(job, index, "cpu: '2'", spec);
  const std::string_view mark = "annotations: {";
  text.insert(text.find(mark) + mark.size(), "volcano.sh/task-spec: " + role + ", ");
  return text.insert(text.find(mark), "creationTimestamp: '2026-01-01T00:00:0" + std::to_string(index) + "Z', ");
}

// Three of three find a node, and yet a role misses one.
TEST(Explanation, TellsOfARoleWhoseMinimumIsMissed) {
  const auto e =
      explained(node("n0", "cpu: '2'") + node("n1", "cpu: '2'") + node("n2", "cpu: '2'") +
                    group("j", "minMember: 3, minTaskMember: {m: 1, w: 2}") + pod_of_role("j", 0, "m") + pod_of_role("j", 1, "m") +
                    pod_of_role("j", 2, "w") + pod_of_role("j", 3, "w", "nodeSelector: {no: where},"),
                "j");
  EXPECT_EQ(e.code, "gang-incomplete");
  EXPECT_EQ(e.job.sentence, "only 1 of the 2 pods of the role w that have to start finds a node");
  EXPECT_EQ(e.hint, "lower the minimum of the role w in spec.minTaskMember from 2 to 1");
}

const std::string kPriorities =
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 100}\n"
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}\n";
const std::string kEvicting = "{name: priority}, {name: gang, enablePreemptable: false}, {name: predicates}";

// The queue may hold two cores, which a less urgent job of it holds on a node that takes nobody.
TEST(Explanation, TellsRoomThatIsFreedFromALimitThatIsFreed) {
  const auto e = explained_with("allocate, gangpreempt", "{name: priority}, {name: gang}, {name: predicates}, {name: capacity}",
                                kPriorities + queue("q", "capability: {cpu: '2'}") + node("n1", "cpu: '2'", "unschedulable: true") +
                                    node("n2", "cpu: '2'") + running("old", "cpu: '2'", "n1", "q") +
                                    group("new", "minMember: 1, queue: q, priorityClassName: high") + pods("new", 1, "cpu: '2'"),
                                "new");
  EXPECT_EQ(e.job.sentence, "it has a place on n2, which its queue q may take once others have left");
  EXPECT_EQ(e.hint, "nothing: it starts when default/old-0 has gone");
}

// Each node could spare one pod, and the budget only one of them.
TEST(Explanation, CountsTogetherWhoMayGo) {
  const auto low = [](int index, const std::string& on) {
    return "---\n{apiVersion: v1, kind: Pod, metadata: {name: low-" + std::to_string(index) +
           ", labels: {app: low}, annotations: {scheduling.k8s.io/group-name: low}}, spec: {schedulerName: volcano, nodeName: " +
           on + ", containers: [{name: c, resources: {requests: {cpu: '2'}}}]}, status: {phase: Running}}\n";
  };
  const auto e = explained_with(
      "allocate, preempt", kEvicting + ", {name: pdb}",
      kPriorities + node("n1", "cpu: '2'") + node("n2", "cpu: '2'") + group("low", "minMember: 0, priorityClassName: low") +
          low(0, "n1") + low(1, "n2") +
          "---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchLabels: {app: "
          "low}}}, status: {disruptionsAllowed: 1}}\n" +
          group("high", "minMember: 2, priorityClassName: high") + pods("high", 2, "cpu: '2'"),
      "high");
  ASSERT_EQ(e.chances.size(), 1u);
  EXPECT_EQ(
      chance_text(e.chances.front()),
      "1 of the 2 running pods of other jobs of queue default may go, but no plan with them gives the job room: 1 is protected "
      "by a disruption budget (pdb)");
}

// The job is placed in part; what is asked for is a pod of it.
TEST(Explanation, AnswersForThePodThatIsAskedFor) {
  const auto text = node("n1", "cpu: '2'") + group("j", "minMember: 1") + pods("j", 2, "cpu: '2'");
  const auto placed = explained(text, "j-0");
  EXPECT_EQ(placed.pod_place, "is placed on n1");
  EXPECT_EQ(explanation_text(placed, Paint::none()).find("default/j-0 is placed on n1; its job default/j is placed in part: "), 0u);
  EXPECT_EQ(explained(text, "j-1").pod_place, "has no node");
  EXPECT_EQ(explained(text, "j").pod_place, "");
}

// What leaves a node is not in the way: "high" has been promised the room of "low".
TEST(Explanation, NamesWhoWillHoldTheClosestNode) {
  const auto e = explained_with("allocate, preempt", kEvicting,
                                kPriorities + node("n1", "cpu: '2'") + running("low", "cpu: '2'", "n1", "default") +
                                    group("high", "minMember: 1, priorityClassName: high") + pods("high", 1, "cpu: '2'") +
                                    group("late", "minMember: 1") + pods("late", 1, "cpu: '2'"),
                                "late");
  ASSERT_TRUE(e.closest);
  EXPECT_EQ(e.closest->held_by, (Holders{{"default/high", 2000}}));
}

}  // namespace
}  // namespace muster
