// What operators make of their workloads: pods by name, and the PodGroups in both dialects.

#include <algorithm>
#include <ctime>
#include <functional>
#include <gtest/gtest.h>

#include "grouping/pod_usage.h"
#include "sim/pod_admission.h"
#include "sim/workloads/made_pods.h"
#include "sim/workloads/pod_amounts.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

Surroundings in_dialect(Grouper grouper) {
  Surroundings out{.grouper = grouper, .scheduler_names = {grouper == Grouper::kKai ? "kai-scheduler" : "volcano"}};
  auto& high = out.priority_classes.emplace_back();
  high.meta.name = "high";
  high.value = 100;
  return out;
}

Result<Expansion> expansion(const std::string& text, Grouper grouper) {
  const auto tree = json(text);
  return expand({{std::string(tree.text_at("apiVersion")), std::string(tree.text_at("kind")), text}}, in_dialect(grouper));
}

std::string workload(const std::string& version, const std::string& kind, const std::string& spec,
                     const std::string& metadata = {}) {
  return R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(","metadata":{"name":"w","namespace":"n")" + metadata +
         R"(},"spec":)" + spec + "}";
}

// A template of pods that ask for so many processors; the scheduler is named unless it is the operator that does.
std::string pods_of(int cpu, const std::string& scheduler = {}, const std::string& more = {}) {
  return R"("template":{"spec":{)" + (scheduler.empty() ? "" : R"("schedulerName":")" + scheduler + R"(",)") +
         R"("containers":[{"name":"c","resources":{"requests":{"cpu":")" + std::to_string(cpu) + R"("}}}])" + more + "}}";
}

std::string text_in(const Tree& object, std::string_view map, std::string_view key) {
  const auto* texts = object.at(map);
  const auto* found = texts == nullptr ? nullptr : texts->find(key);
  return found == nullptr ? std::string() : found->scalar_text();
}

struct Seen {
  std::vector<std::string> pods;    // "name in group", and the subgroup or role behind a slash
  std::vector<std::string> groups;  // "name of minimum", queue and what it needs at the least
};

Seen seen_of(const Expansion& made, Grouper grouper) {
  const bool is_kai = grouper == Grouper::kKai;
  Seen out;
  for (const auto& text : made.objects) {
    const auto object = json(text);
    const std::string name(object.text_at("metadata.name"));
    if (object.text_at("kind") == "Pod") {
      const auto group = text_in(object, "metadata.annotations", is_kai ? "pod-group-name" : "scheduling.k8s.io/group-name");
      const auto part = is_kai ? text_in(object, "metadata.labels", "kai.scheduler/subgroup-name")
                               : text_in(object, "metadata.annotations", "volcano.sh/task-spec");
      out.pods.push_back(name + " in " + group + (part.empty() ? "" : "/" + part));
    } else {
      auto line = name + " of " + std::to_string(object.integer_at("spec.minMember").value_or(0));
      if (const auto queue = object.text_at("spec.queue"); !queue.empty()) line += " in " + std::string(queue);
      if (const auto* amounts = object.at("spec.minResources"); !is_kai && amounts != nullptr && amounts->find("cpu") != nullptr)
        line += " for " + amounts->find("cpu")->scalar_text();
      if (const auto name_of_class = object.text_at("spec.priorityClassName"); !is_kai && !name_of_class.empty())
        line += " as " + std::string(name_of_class);
      out.groups.push_back(line);
    }
  }
  return out;
}

struct Made {
  std::string what;
  std::string text;
  Grouper grouper;
  std::vector<std::string> pods;
  std::vector<std::string> groups;
};

void expect_made(const std::vector<Made>& rows) {
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const auto made = expansion(row.text, row.grouper);
    ASSERT_TRUE(made) << made.error().text();
    const auto seen = seen_of(*made, row.grouper);
    EXPECT_EQ(seen.pods, row.pods);
    EXPECT_EQ(seen.groups, row.groups);
    EXPECT_EQ(made->kinds.size(), 1u);
  }
}

const std::string kQueueLabel = R"(,"labels":{"kai.scheduler/queue":"q"})";

TEST(Operators, TrainingJobsArePodsByRoles) {
  const auto torch = [](const std::string& scheduler, const std::string& more) {
    return workload("kubeflow.org/v1", "PyTorchJob",
                    R"({"pytorchReplicaSpecs":{"Worker":{"replicas":2,)" + pods_of(4, scheduler) + R"(},"Master":{"replicas":1,)" +
                        pods_of(1, scheduler) + "}}" + more + "}",
                    kQueueLabel);
  };
  const std::vector<std::string> pods = {"w-master-0 in w/master", "w-worker-0 in w/worker", "w-worker-1 in w/worker"};
  expect_made({
      {"PyTorch in Volcano", torch("", ""), Grouper::kVolcano, pods, {"w of 3 in default for 9"}},
      {"fewer of it",
       torch("", R"(,"runPolicy":{"schedulingPolicy":{"minAvailable":2,"queue":"team","priorityClass":"high"}})"),
       Grouper::kVolcano,
       pods,
       {"w of 2 in team for 5 as high"}},
      {"what it needs is said",
       torch("", R"(,"runPolicy":{"schedulingPolicy":{"minResources":{"cpu":"7"}}})"),
       Grouper::kVolcano,
       pods,
       {"w of 3 in default for 7"}},
      {"PyTorch in KAI", torch("kai-scheduler", ""), Grouper::kKai, pods, {"w of 3 in q"}},
      {"TensorFlow",
       workload("kubeflow.org/v1", "TFJob",
                R"({"tfReplicaSpecs":{"ps":{)" + pods_of(1) + R"(},"WORKER":{"replicas":2,)" + pods_of(2) + R"(},"Chief":{)" +
                    pods_of(1) + "}}}"),
       Grouper::kVolcano,
       {"w-chief-0 in w/chief", "w-ps-0 in w/ps", "w-worker-0 in w/worker", "w-worker-1 in w/worker"},
       {"w of 4 in default for 6"}},
      {"XGBoost in KAI",
       workload("kubeflow.org/v1", "XGBoostJob",
                R"({"xgbReplicaSpecs":{"Master":{"replicas":1,)" + pods_of(1, "kai-scheduler") + R"(},"Worker":{"replicas":1,)" +
                    pods_of(1, "kai-scheduler") + "}}}"),
       Grouper::kKai,
       {"w-master-0 in w", "w-worker-0 in w"},
       {"w of 2 in default-queue"}},
      {"JAX in KAI",
       workload("kubeflow.org/v1", "JAXJob",
                R"({"jaxReplicaSpecs":{"Worker":{"replicas":2,)" + pods_of(1, "kai-scheduler") + "}}}"),
       Grouper::kKai,
       {"w-worker-0 in w", "w-worker-1 in w"},
       {"w of 2 in default-queue"}},
      {"Paddle, which KAI takes for any other kind",
       workload("kubeflow.org/v1", "PaddleJob",
                R"({"paddleReplicaSpecs":{"Worker":{"replicas":2,)" + pods_of(1, "kai-scheduler") + "}}}"),
       Grouper::kKai,
       {"w-worker-0 in w", "w-worker-1 in w"},
       {"w of 1 in default-queue"}},
      {"MPI of the training operator",
       workload("kubeflow.org/v1", "MPIJob",
                R"({"mpiReplicaSpecs":{"Launcher":{)" + pods_of(1) + R"(},"Worker":{"replicas":2,)" + pods_of(4) + "}}}"),
       Grouper::kVolcano,
       {"w-launcher in w/launcher", "w-worker-0 in w/worker", "w-worker-1 in w/worker"},
       {"w of 3 in default for 9"}},
  });
}

TEST(Operators, TheHighestPriorityCountsFirst) {
  const auto made =
      expansion(workload("kubeflow.org/v1", "PyTorchJob",
                         R"({"runPolicy":{"schedulingPolicy":{"minAvailable":1}},"pytorchReplicaSpecs":{"Master":{)" + pods_of(1) +
                             R"(},"Worker":{"replicas":2,)" + pods_of(4, "", R"(,"priorityClassName":"high")") + "}}}"),
                Grouper::kVolcano);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(seen_of(*made, Grouper::kVolcano).groups, std::vector<std::string>{"w of 1 in default for 4"});
}

TEST(Operators, TheFirstWorkerLeadsWhereNobodyElseDoes) {
  const auto leads = [](const std::string& kind, const std::string& specs) {
    const auto made =
        expansion(workload("kubeflow.org/v1", kind, R"({")" + specs + R"(":{"Worker":{"replicas":1,)" + pods_of(1) + "}}}"),
                  Grouper::kVolcano);
    EXPECT_TRUE(made) << made.error().text();
    return text_in(json(made->objects.back()), "metadata.labels", "training.kubeflow.org/job-role") == "master";
  };
  EXPECT_TRUE(leads("JAXJob", "jaxReplicaSpecs"));
  EXPECT_TRUE(leads("PyTorchJob", "pytorchReplicaSpecs"));
  EXPECT_TRUE(leads("TFJob", "tfReplicaSpecs"));
  EXPECT_FALSE(leads("PaddleJob", "paddleReplicaSpecs"));
  EXPECT_FALSE(leads("XGBoostJob", "xgbReplicaSpecs"));
}

TEST(Operators, TrainingJobsHaveTheLabelsOfTheirReplicas) {
  const auto made = expansion(
      workload("kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{"replicas":2,)" + pods_of(1) + "}}}"),
      Grouper::kVolcano);
  ASSERT_TRUE(made);
  const auto pod = json(made->objects.back());
  EXPECT_EQ(text_in(pod, "metadata.labels", "training.kubeflow.org/job-name"), "w");
  EXPECT_EQ(text_in(pod, "metadata.labels", "training.kubeflow.org/operator-name"), "pytorchjob-controller");
  EXPECT_EQ(text_in(pod, "metadata.labels", "training.kubeflow.org/replica-type"), "worker");
  EXPECT_EQ(text_in(pod, "metadata.labels", "training.kubeflow.org/replica-index"), "1");
  EXPECT_EQ(text_in(pod, "metadata.labels", "training.kubeflow.org/job-role"), "");
  EXPECT_EQ(text_in(json(made->objects.at(1)), "metadata.labels", "training.kubeflow.org/job-role"), "master");
  EXPECT_EQ(pod.text_at("spec.schedulerName"), "volcano");
}

// KubeRay and the MPI operator write the scheduler that they were told to serve, whatever the cluster's is called.
TEST(Operators, NameTheSchedulerOfPods) {
  const auto schedulers = [](const std::string& text, Grouper grouper) {
    auto elsewhere = in_dialect(grouper);
    elsewhere.scheduler_names = {"mine"};
    const auto tree = json(text);
    const auto made = expand({{std::string(tree.text_at("apiVersion")), std::string(tree.text_at("kind")), text}}, elsewhere);
    EXPECT_TRUE(made) << made.error().text();
    std::vector<std::string> out;
    for (const auto& object : made->objects)
      if (const auto pod = json(object); pod.text_at("kind") == "Pod") out.emplace_back(pod.text_at("spec.schedulerName"));
    return out;
  };
  const auto ray = [](const std::string& head, const std::string& worker) {
    return workload("ray.io/v1", "RayCluster",
                    R"({"headGroupSpec":{)" + pods_of(1, head) + R"(},"workerGroupSpecs":[{"groupName":"g","replicas":1,)" +
                        pods_of(2, worker) + "}]}");
  };
  const auto roles = [](const std::string& version, const std::string& kind, const std::string& specs) {
    return workload(version, kind,
                    R"({")" + specs + R"(":{")" + (kind == "MPIJob" ? "Launcher" : "Master") + R"(":{)" + pods_of(1, "own") +
                        R"(},"Worker":{"replicas":1,)" + pods_of(1) + "}}}");
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(schedulers(ray("own", ""), Grouper::kVolcano), (Names{"volcano", "volcano"}));
  EXPECT_EQ(schedulers(ray("own", ""), Grouper::kKai), (Names{"kai-scheduler", "kai-scheduler"}));
  EXPECT_EQ(schedulers(ray("own", "own"), Grouper::kKai), (Names{"own", "own"}));
  EXPECT_EQ(schedulers(roles("kubeflow.org/v2beta1", "MPIJob", "mpiReplicaSpecs"), Grouper::kVolcano),
            (Names{"volcano", "volcano"}));
  EXPECT_EQ(schedulers(roles("kubeflow.org/v1", "PyTorchJob", "pytorchReplicaSpecs"), Grouper::kVolcano),
            (Names{"own", "volcano"}));
}

TEST(Operators, MpiJobsHaveTheirLauncherByAJob) {
  const auto mpi = [](const std::string& scheduler, const std::string& more, const std::string& metadata = {}) {
    return workload("kubeflow.org/v2beta1", "MPIJob",
                    R"({"mpiReplicaSpecs":{"Launcher":{"replicas":1,)" + pods_of(1, scheduler) + R"(},"Worker":{"replicas":2,)" +
                        pods_of(4, scheduler) + "}}" + more + "}",
                    metadata);
  };
  expect_made({
      {"in Volcano",
       mpi("", "", R"(,"annotations":{"scheduling.volcano.sh/queue-name":"team"})"),
       Grouper::kVolcano,
       {"w-launcher in w", "w-worker-0 in w", "w-worker-1 in w"},
       {"w of 3 in team for 9"}},
      {"fewer workers",
       mpi("", R"(,"runPolicy":{"schedulingPolicy":{"minAvailable":2}})"),
       Grouper::kVolcano,
       {"w-launcher in w", "w-worker-0 in w", "w-worker-1 in w"},
       {"w of 2 for 5"}},
      {"in KAI, by what owns the launcher's Job",
       mpi("kai-scheduler", "", kQueueLabel),
       Grouper::kKai,
       {"w-launcher in w", "w-worker-0 in w", "w-worker-1 in w"},
       {"w of 3 in q"}},
      {"the launcher later",
       mpi("kai-scheduler", R"(,"launcherCreationPolicy":"WaitForWorkersReady")", kQueueLabel),
       Grouper::kKai,
       {"w-worker-0 in w", "w-worker-1 in w"},
       {"w of 2 in q"}},
      {"in Volcano its gang has it in it all the same",
       mpi("", R"(,"launcherCreationPolicy":"WaitForWorkersReady")"),
       Grouper::kVolcano,
       {"w-worker-0 in w", "w-worker-1 in w"},
       {"w of 3 for 9"}},
      {"the launcher alone",
       workload("kubeflow.org/v2beta1", "MPIJob",
                R"({"runLauncherAsWorker":true,"mpiReplicaSpecs":{"Launcher":{)" + pods_of(1) + "}}}"),
       Grouper::kVolcano,
       {"w-launcher in w"},
       {"w of 1 for 1"}},
  });
}

// By the class that a role names: the one that holds for all others counts for none.
TEST(Operators, MpiJobsCountTheHigherPriorityInFull) {
  auto surroundings = in_dialect(Grouper::kVolcano);
  auto& usual = surroundings.priority_classes.emplace_back();
  usual.meta.name = "usual";
  usual.value = 500;
  usual.global_default = true;
  const auto group = [&](const std::string& launcher, const std::string& worker, int least) {
    const auto text = workload("kubeflow.org/v2beta1", "MPIJob",
                               R"({"runPolicy":{"schedulingPolicy":{"minAvailable":)" + std::to_string(least) +
                                   R"(}},"mpiReplicaSpecs":{"Launcher":{)" + pods_of(1, "", launcher) +
                                   R"(},"Worker":{"replicas":2,)" + pods_of(4, "", worker) + "}}}");
    const auto made = expand({{"kubeflow.org/v2beta1", "MPIJob", text}}, surroundings);
    EXPECT_TRUE(made) << made.error().text();
    return seen_of(*made, Grouper::kVolcano).groups.front();
  };
  const std::string high = R"(,"priorityClassName":"high")";
  EXPECT_EQ(group("", high, 1), "w of 1 for 8 as high");  // no launcher
  EXPECT_EQ(group(high, "", 1), "w of 1 for 1 as high");  // no worker
  EXPECT_EQ(group("", "", 1), "w of 1 for 1");
}

std::string ray_spec(const std::string& scheduler, const std::string& workers, const std::string& more = {}) {
  return R"({"headGroupSpec":{)" + pods_of(1, scheduler) + R"(},"workerGroupSpecs":[{"groupName":"g",)" + workers + "," +
         pods_of(2, scheduler) + "}]" + more + "}";
}

TEST(Operators, RayIsAHeadAndGroupsOfWorkers) {
  const std::string labels =
      R"(,"labels":{"kai.scheduler/queue":"q","volcano.sh/queue-name":"team","ray.io/priority-class-name":"high"})";
  const std::string job = R"({"submissionMode":"HTTPMode","rayClusterSpec":)";
  expect_made({
      {"in Volcano",
       workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":1,"numOfHosts":2)"), labels),
       Grouper::kVolcano,
       {"w-head in ray-w-pg/headgroup", "w-g-worker-0 in ray-w-pg/g", "w-g-worker-1 in ray-w-pg/g"},
       {"ray-w-pg of 3 in team for 5 as high"}},
      {"with an autoscaler, the least",
       workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":2,"minReplicas":1)", R"(,"enableInTreeAutoscaling":true)")),
       Grouper::kVolcano,
       {"w-head in ray-w-pg/headgroup", "w-g-worker-0 in ray-w-pg/g", "w-g-worker-1 in ray-w-pg/g"},
       {"ray-w-pg of 2 for 3"}},
      {"within its bounds",
       workload("ray.io/v1alpha1", "RayCluster", ray_spec("", R"("replicas":9,"maxReplicas":1)")),
       Grouper::kVolcano,
       {"w-head in ray-w-pg/headgroup", "w-g-worker-0 in ray-w-pg/g"},
       {"ray-w-pg of 2 for 19"}},
      {"a suspended group",
       workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":2,"suspend":true)")),
       Grouper::kVolcano,
       {"w-head in ray-w-pg/headgroup"},
       {"ray-w-pg of 1 for 1"}},
      {"in KAI",
       workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":2)"), kQueueLabel),
       Grouper::kKai,
       {"w-head in w/headgroup", "w-g-worker-0 in w/g", "w-g-worker-1 in w/g"},
       {"w of 3 in q"}},
      {"a job in KAI, by the cluster that is made for it",
       workload("ray.io/v1", "RayJob", job + ray_spec("kai-scheduler", R"("replicas":1)") + "}", kQueueLabel),
       Grouper::kKai,
       {"w-head in w/headgroup", "w-g-worker-0 in w/g"},
       {"w of 2 in q"}},
      {"a job in Volcano keeps room for who submits it",
       workload("ray.io/v1", "RayJob", R"({"rayClusterSpec":)" + ray_spec("", R"("replicas":1)") + "}"),
       Grouper::kVolcano,
       {"w-head in ray-w-pg/headgroup", "w-g-worker-0 in ray-w-pg/g"},
       {"ray-w-pg of 2 for 3500m"}},
      {"as much as its own template says",
       workload("ray.io/v1", "RayJob",
                R"({"submitterPodT)" + pods_of(2).substr(2) + R"(,"rayClusterSpec":)" + ray_spec("", R"("replicas":1)") + "}"),
       Grouper::kVolcano,
       {"w-head in ray-w-pg/headgroup", "w-g-worker-0 in ray-w-pg/g"},
       {"ray-w-pg of 2 for 5"}},
      {"or in the head, once",
       workload("ray.io/v1", "RayJob",
                R"({"submissionMode":"SidecarMode","rayClusterSpec":)" + ray_spec("", R"("replicas":1)") + "}"),
       Grouper::kVolcano,
       {"w-head in ray-w-pg/headgroup", "w-g-worker-0 in ray-w-pg/g"},
       {"ray-w-pg of 2 for 3500m"}},
      {"a service in KAI",
       workload("ray.io/v1", "RayService", R"({"rayClusterConfig":)" + ray_spec("kai-scheduler", R"("replicas":1)") + "}"),
       Grouper::kKai,
       {"w-head in w/headgroup", "w-g-worker-0 in w/g"},
       {"w of 2 in default-queue"}},
      {"a service in Volcano has the queue of its labels",
       workload("ray.io/v1", "RayService", R"({"rayClusterConfig":)" + ray_spec("", R"("replicas":1)") + "}", labels),
       Grouper::kVolcano,
       {"w-head in ray-w-pg/headgroup", "w-g-worker-0 in ray-w-pg/g"},
       {"ray-w-pg of 2 in team for 3 as high"}},
  });
}

TEST(Operators, RayHasATopologyByLabels) {
  const auto topology = [](const std::string& labels) {
    const auto made = expansion(
        workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":1)"), R"(,"labels":{)" + labels + "}"), Grouper::kVolcano);
    EXPECT_TRUE(made) << made.error().text();
    const auto group = json(made->objects.front());
    const auto* found = group.at("spec.networkTopology");
    return found == nullptr ? std::string("none") : found->text();
  };
  const std::string mode = R"("volcano.sh/network-topology-mode":"hard")";
  const std::string tier = R"("volcano.sh/network-topology-highest-tier-allowed":"2")";
  EXPECT_EQ(topology(mode + "," + tier), R"({"mode":"hard","highestTierAllowed":2})");
  EXPECT_EQ(topology(mode), R"({"mode":"hard"})");
  EXPECT_EQ(topology(tier), "none");
}

// Where a container asks for memory alone, its limit of processors counts for KubeRay and the MPI operator, not for training jobs.
TEST(Operators, LimitsStandInForRequests) {
  const auto group = [](const std::string& version, const std::string& kind, const std::string& specs,
                        const std::string& requests) {
    const auto one = R"({"template":{"spec":{"containers":[{"name":"c","resources":{)" + requests + R"("limits":{"cpu":"3"}}}]}}})";
    const auto spec = kind == "RayCluster"
                          ? R"({"headGroupSpec":)" + one + "}"
                          : R"({")" + specs + R"(":{")" + (kind == "MPIJob" ? "Launcher" : "Master") + R"(":)" + one + "}}";
    const auto made = expansion(workload(version, kind, spec), Grouper::kVolcano);
    EXPECT_TRUE(made) << made.error().text();
    return seen_of(*made, Grouper::kVolcano).groups.front();
  };
  const std::string memory = R"("requests":{"memory":"1Gi"},)";
  EXPECT_EQ(group("ray.io/v1", "RayCluster", "", memory), "ray-w-pg of 1 for 3");
  EXPECT_EQ(group("kubeflow.org/v2beta1", "MPIJob", "mpiReplicaSpecs", memory), "w of 1 for 3");
  EXPECT_EQ(group("kubeflow.org/v1", "PyTorchJob", "pytorchReplicaSpecs", memory), "w of 1 in default");
  EXPECT_EQ(group("kubeflow.org/v1", "PyTorchJob", "pytorchReplicaSpecs", ""), "w of 1 in default for 3");
}

TEST(Operators, TheHeadOfRayHoldsWhatKubeRayAdds) {
  const auto containers = [](const std::string& text) {
    const auto made = expansion(text, Grouper::kVolcano);
    EXPECT_TRUE(made) << made.error().text();
    std::vector<std::string> out;
    const auto head = json(made->objects.at(1));
    for (const auto& one : *head.at("spec.containers")->as_list())
      out.push_back(std::string(one.text_at("name")) + " " + std::string(one.text_at("resources.requests.cpu")));
    return out;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(containers(workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":1)", R"(,"enableInTreeAutoscaling":true)"))),
            (Names{"c 1", "autoscaler 500m"}));
  EXPECT_EQ(containers(workload(
                "ray.io/v1", "RayCluster",
                ray_spec("", R"("replicas":1)",
                         R"(,"enableInTreeAutoscaling":true,"autoscalerOptions":{"resources":{"requests":{"cpu":"2"}}})"))),
            (Names{"c 1", "autoscaler 2"}));
  EXPECT_EQ(containers(workload("ray.io/v1", "RayJob",
                                R"({"submissionMode":"SidecarMode","rayClusterSpec":)" + ray_spec("", R"("replicas":1)") + "}")),
            (Names{"c 1", "ray-job-submitter 500m"}));
}

std::string replicated(const std::string& name, int replicas, int pods, const std::string& scheduler,
                       const std::string& more = {}) {
  return R"({"name":")" + name + R"(","replicas":)" + std::to_string(replicas) + more +
         R"(,"template":{"metadata":{"annotations":{"scheduling.volcano.sh/group-min-member":"2"}},"spec":{"parallelism":)" +
         std::to_string(pods) + R"(,"completions":)" + std::to_string(pods) + "," + pods_of(1, scheduler) + "}}}";
}

TEST(Operators, JobSetsAreJobsAndTheirPods) {
  const auto set = [](const std::string& jobs, const std::string& more = {}) {
    return workload("jobset.x-k8s.io/v1alpha2", "JobSet", R"({"replicatedJobs":[)" + jobs + "]" + more + "}", kQueueLabel);
  };
  const auto kai = [](const std::string& name, int replicas, int pods, const std::string& more = {}) {
    return replicated(name, replicas, pods, "kai-scheduler", more);
  };
  const std::vector<std::string> all = {"w-a-0-0 in w/a-replica-0", "w-b-0-0 in w/b-replica-0", "w-b-0-1 in w/b-replica-0",
                                        "w-b-1-0 in w/b-replica-1", "w-b-1-1 in w/b-replica-1"};
  expect_made({
      {"in KAI one PodGroup", set(kai("a", 1, 1) + "," + kai("b", 2, 2)), Grouper::kKai, all, {"w of 0 in q"}},
      {"in order, the first",
       set(kai("a", 1, 1) + "," + kai("b", 2, 2), R"(,"startupPolicy":{"startupPolicyOrder":"InOrder"})"),
       Grouper::kKai,
       {"w-a-0-0 in w/a-replica-0"},
       {"w of 0 in q"}},
      {"without those that wait for others",
       set(kai("a", 1, 1) + "," + kai("b", 2, 2, R"(,"dependsOn":[{"name":"a","status":"Ready"}])")),
       Grouper::kKai,
       {"w-a-0-0 in w/a-replica-0"},
       {"w of 0 in q"}},
      {"in Volcano one for each Job",
       set(replicated("a", 2, 2, "volcano")),
       Grouper::kVolcano,
       {"w-a-0-0 in w-a-0", "w-a-0-1 in w-a-0", "w-a-1-0 in w-a-1", "w-a-1-1 in w-a-1"},
       {"w-a-0 of 2 for 2", "w-a-1 of 2 for 2"}},
  });
}

TEST(Operators, LeaderWorkerSetsAreGroups) {
  const auto set = [](const std::string& scheduler, const std::string& more, const std::string& metadata = kQueueLabel) {
    auto workers = pods_of(4, scheduler);
    workers.replace(0, std::string("\"template\"").size(), "\"workerTemplate\"");
    auto leader = pods_of(1, scheduler);
    leader.replace(0, std::string("\"template\"").size(), "\"leaderTemplate\"");
    return workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                    R"({"replicas":2,"leaderWorkerTemplate":{"size":3,)" + leader + "," + workers + "}" + more + "}", metadata);
  };
  const std::vector<std::string> volcano = {"w-0 in w-0", "w-0-1 in w-0", "w-0-2 in w-0",
                                            "w-1 in w-1", "w-1-1 in w-1", "w-1-2 in w-1"};
  expect_made({
      {"in KAI",
       set("kai-scheduler", ""),
       Grouper::kKai,
       {"w-0 in w-0/leader", "w-0-1 in w-0/workers", "w-0-2 in w-0/workers", "w-1 in w-1/leader", "w-1-1 in w-1/workers",
        "w-1-2 in w-1/workers"},
       {"w-0 of 3 in q", "w-1 of 3 in q"}},
      {"the leader first",
       set("kai-scheduler", R"(,"startupPolicy":"LeaderReady")"),
       Grouper::kKai,
       {"w-0 in w-0/leader", "w-1 in w-1/leader"},
       {"w-0 of 1 in q", "w-1 of 1 in q"}},
      {"in Volcano",
       set("volcano", "", R"(,"annotations":{"scheduling.volcano.sh/queue-name":"team"})"),
       Grouper::kVolcano,
       volcano,
       {"w-0 of 3 in team for 9", "w-1 of 3 in team for 9"}},
      {"leaders like workers where they have no template",
       workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                R"({"leaderWorkerTemplate":{"size":2,"workerT)" + pods_of(4, "volcano").substr(2) + "}}"),
       Grouper::kVolcano,
       {"w-0 in w-0", "w-0-1 in w-0"},
       {"w-0 of 2 for 8"}},
      {"without a size, in KAI",
       workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                R"({"leaderWorkerTemplate":{"workerT)" + pods_of(4, "kai-scheduler").substr(2) + "}}", kQueueLabel),
       Grouper::kKai,
       {"w-0 in w-0/leader"},
       {"w-0 of 1 in q"}},
      {"in Volcano the leader first, with room for all",
       set("volcano", R"(,"startupPolicy":"LeaderReady")"),
       Grouper::kVolcano,
       {"w-0 in w-0", "w-1 in w-1"},
       {"w-0 of 1 for 9", "w-1 of 1 for 9"}},
  });
}

struct Refused {
  std::string text;
  std::string says;
};

TEST(Operators, SayWhatIsWrong) {
  const auto torch = [](const std::string& more) {
    return workload("kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{)" + pods_of(1) + "}}" + more + "}");
  };
  const auto lws = [](const std::string& spec, const std::string& metadata = {}) {
    return workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", spec, metadata);
  };
  const auto set = [](const std::string& spec, const std::string& metadata = {}) {
    return workload("jobset.x-k8s.io/v1alpha2", "JobSet", spec, metadata);
  };
  const auto job = R"({"name":"a","template":{"spec":{)" + pods_of(1) + "}}}";
  const std::vector<Refused> rows = {
      {torch(R"(,"runPolicy":{"suspend":true})"), "PyTorchJob n/w: spec.runPolicy.suspend: it is suspended"},
      {torch(R"(,"runPolicy":{"managedBy":"kueue.x-k8s.io/multikueue"})"), "kueue.x-k8s.io/multikueue looks after it"},
      {workload("kubeflow.org/v1", "PyTorchJob", "{}"),
       "spec.pytorchReplicaSpecs: it is missing: give the replicas of Master, Worker"},
      {workload("kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs":{"Boss":{)" + pods_of(1) + "}}}"),
       "Boss is no role of a PyTorchJob: it has Master, Worker"},
      {workload("kubeflow.org/v1", "PyTorchJob",
                R"({"pytorchReplicaSpecs":{"Worker":{)" + pods_of(1) + R"(},"worker":{)" + pods_of(1) + "}}}"),
       "spec.pytorchReplicaSpecs: Worker is given twice"},
      {workload("kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{"replicas":30000,)" + pods_of(1) + "}}}"),
       "20000 at most"},
      {workload("kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{"replicas":0,)" + pods_of(1) + "}}}"),
       "it asks for no pods"},
      {workload("kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{}}})"), "its pods have no containers"},
      {workload("kubeflow.org/v2beta1", "MPIJob", "{}"), "spec.mpiReplicaSpecs.Launcher: it is missing"},
      {workload("ray.io/v1", "RayCluster", "{}"), "spec.headGroupSpec.template: it is missing"},
      {workload("ray.io/v1", "RayCluster", R"({"headGroupSpec":{)" + pods_of(1) + R"(},"workerGroupSpecs":[{}]})"),
       "spec.workerGroupSpecs.groupName: it is missing"},
      {workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":1)"),
                R"(,"labels":{"volcano.sh/network-topology-mode":"hard","volcano.sh/network-topology-highest-tier-allowed":"x"})"),
       "highest-tier-allowed is no number"},
      {workload("ray.io/v1", "RayJob", R"({"clusterSelector":{"ray.io/cluster":"c"}})"),
       "runs in a RayCluster that is there already"},
      {workload("ray.io/v1", "RayJob", "{}"), "spec.rayClusterSpec: it is missing"},
      {workload("ray.io/v1", "RayJob", R"({"submissionMode":"SidecarMode","rayClusterSpec":{}})"),
       "spec.rayClusterSpec.headGroupSpec.template: it is missing"},
      {workload(
           "ray.io/v1", "RayJob",
           R"({"submissionMode":"SidecarMode","rayClusterSpec":{"enableInTreeAutoscaling":true,"headGroupSpec":{"template":{}}}})"),
       "its pods have no containers"},
      {workload("ray.io/v1", "RayService", "{}"), "spec.rayClusterConfig: it is missing"},
      {set("{}"), "spec.replicatedJobs: it is missing"},
      {set(R"({"replicatedJobs":[{}]})"), "spec.replicatedJobs.name: it is missing"},
      {set(R"({"replicatedJobs":[)" + job + "]}", R"(,"annotations":{"alpha.jobset.sigs.k8s.io/exclusive-topology":"rack"})"),
       "a topology of its own for each Job is not known here"},
      {set(R"({"replicatedJobs":[{"name":"a","template":{"metadata":{"annotations":{)"
           R"("alpha.jobset.sigs.k8s.io/exclusive-topology":"rack"}},"spec":{)" +
           pods_of(1) + "}}}]}"),
       "spec.replicatedJobs.template.metadata.annotations: a topology of its own"},
      {set(R"({"replicatedJobs":[{"name":"a","replicas":30000,"template":{"spec":{)" + pods_of(1) + "}}}]}"), "30000 Jobs"},
      {set(R"({"replicatedJobs":[{"name":"a","template":{"spec":{"parallelism":30000,)" + pods_of(1) + "}}}]}"), "20000 at most"},
      {lws("{}"), "spec.leaderWorkerTemplate.workerTemplate: it is missing"},
      {lws(R"({"replicas":2000,"leaderWorkerTemplate":{"size":20,"workerTemplate":{"spec":{}}}})"), "it asks for 40000 pods"},
      {lws(R"({"leaderWorkerTemplate":{"workerTemplate":{"spec":{}}}})",
           R"(,"annotations":{"leaderworkerset.sigs.k8s.io/exclusive-topology":"rack"})"),
       "metadata.annotations: exclusive-topology is not known here"},
      {lws(R"({"leaderWorkerTemplate":{"workerTemplate":{"spec":{}}}})",
           R"(,"annotations":{"leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology":"rack"})"),
       "subgroup-exclusive-topology is not known here"},
      {workload("sparkoperator.k8s.io/v1beta2", "SparkApplication", R"({"driver":{"cores":1}})"), "give the pods of the driver"},
      {workload("trainer.kubeflow.org/v1alpha1", "TrainJob", "{}"), "give the JobSet"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    const auto made = expansion(row.text, Grouper::kVolcano);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().text().find(row.says), std::string::npos) << made.error().text();
  }
}

// What the API server would refuse is not taken for the usual count.
TEST(Operators, CountsAreWholeNumbers) {
  const auto torch = [](const std::string& replicas, const std::string& more = {}) {
    return workload("kubeflow.org/v1", "PyTorchJob",
                    R"({"pytorchReplicaSpecs":{"worker":{"replicas":)" + replicas + "," + pods_of(1) + "}}" + more + "}");
  };
  const auto mpi = [](const std::string& replicas, const std::string& more = {}) {
    return workload("kubeflow.org/v2beta1", "MPIJob",
                    R"({"mpiReplicaSpecs":{"Launcher":{)" + pods_of(1) + R"(},"Worker":{"replicas":)" + replicas + "," +
                        pods_of(1) + "}}" + more + "}");
  };
  const auto jobs = [](const std::string& replicas, const std::string& parallelism) {
    return workload("jobset.x-k8s.io/v1alpha2", "JobSet",
                    R"({"replicatedJobs":[{"name":"a","replicas":)" + replicas + R"(,"template":{"spec":{"parallelism":)" +
                        parallelism + "," + pods_of(1) + "}}}]}");
  };
  const auto set = [](const std::string& replicas, const std::string& size) {
    return workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                    R"({"replicas":)" + replicas + R"(,"leaderWorkerTemplate":{)" + size + R"(,"workerTemplate":{}}})");
  };
  const std::string least = R"(,"runPolicy":{"schedulingPolicy":{"minAvailable":"2"}})";
  const std::string least_is_wrong = R"(spec.runPolicy.schedulingPolicy.minAvailable: "2" is no whole number)";
  const std::vector<Refused> rows = {
      {torch(R"("400")"),
       R"(PyTorchJob n/w: spec.pytorchReplicaSpecs.worker.replicas: "400" is no whole number from 0 to 2147483647)"},
      {torch("99999999999999999999"), "replicas: 99999999999999999999 is no whole number"},
      {torch("2147483648"), "replicas: 2147483648 is no whole number"},
      {torch("-1"), "replicas: -1 is no whole number"},
      {torch("1.5"), "replicas: 1.5 is no whole number"},
      {torch("{\"of\":\"" + std::string(100, 'x') + "\"}"), "replicas: it is no whole number"},
      {torch("1", least), least_is_wrong},
      {torch("1", R"(,"elasticPolicy":{"minReplicas":"2"})"), R"(spec.elasticPolicy.minReplicas: "2" is no whole number)"},
      {mpi(R"("2")"), R"(spec.mpiReplicaSpecs.Worker.replicas: "2" is no whole number)"},
      {mpi("2", least), least_is_wrong},
      {workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":"2")")), R"(spec.workerGroupSpecs.replicas: "2" is no)"},
      {workload("ray.io/v1", "RayCluster", ray_spec("", R"("numOfHosts":true)")), "spec.workerGroupSpecs.numOfHosts: true is no"},
      {workload("ray.io/v1", "RayCluster", ray_spec("", R"("minReplicas":-2)")), "spec.workerGroupSpecs.minReplicas: -2 is no"},
      {workload("ray.io/v1", "RayJob", R"({"rayClusterSpec":)" + ray_spec("", R"("maxReplicas":[])") + "}"),
       "spec.rayClusterSpec.workerGroupSpecs.maxReplicas: [] is no"},
      {jobs(R"("2")", "1"), R"(spec.replicatedJobs.replicas: "2" is no)"},
      {jobs("2", R"("1")"), R"(spec.replicatedJobs.template.spec.parallelism: "1" is no)"},
      {set(R"("2")", R"("size":1)"), R"(spec.replicas: "2" is no)"},
      {set("2", R"("size":"1")"), R"(spec.leaderWorkerTemplate.size: "1" is no)"},
      {set("2", R"("size":4,"subGroupPolicy":{"subGroupSize":"2"})"), R"(subGroupPolicy.subGroupSize: "2" is no)"},
  };
  for (const auto grouper : {Grouper::kVolcano, Grouper::kKai})
    for (const auto& row : rows) {
      SCOPED_TRACE(row.text);
      const auto made = expansion(row.text, grouper);
      ASSERT_FALSE(made);
      EXPECT_NE(made.error().text().find(row.says), std::string::npos) << made.error().text();
    }
  EXPECT_TRUE(expansion(torch("null"), Grouper::kVolcano));
}

// A question may be small and what is made of it large.
TEST(Operators, AQuestionIsBounded) {
  const auto replicated_jobs = [](std::int64_t replicas, const std::string& text) {
    return workload("jobset.x-k8s.io/v1alpha2", "JobSet",
                    R"({"replicatedJobs":[{"name":"a","replicas":)" + std::to_string(replicas) + R"(,"template":{"spec":{)" +
                        pods_of(1, "kai-scheduler", R"(,"hostname":")" + text + R"(")") + "}}}]}");
  };
  std::string many;
  for (int i = 0; i < 1001; ++i) many += std::string(i == 0 ? "" : ",") + R"({"groupName":"g"})";
  const auto says = [](const std::string& text, const std::string& part) {
    const auto made = expansion(text, Grouper::kKai);
    return !made && made.error().text().find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(replicated_jobs(20'000, std::string(300'000, 'x')), "MiB of text together: 64 MiB at most"));
  EXPECT_TRUE(says(replicated_jobs(2'500, "x"), "2500 pods in 2501 subgroups"));
  EXPECT_TRUE(
      says(workload("ray.io/v1", "RayCluster", R"({"headGroupSpec":{)" + pods_of(1) + R"(},"workerGroupSpecs":[)" + many + "]}"),
           "it has 1002 parts: 1000 at most"));
  EXPECT_TRUE(says(workload("ray.io/v1", "RayCluster", ray_spec("", R"("replicas":1000)"),
                            R"(,"annotations":{"a":")" + std::string(100'000, 'x') + R"("})"),
                   "MiB of text together"));
  EXPECT_TRUE(says(workload("ray.io/v1", "RayCluster", "{}", R"(,"uid":")" + std::string(600, 'x') + R"(")"),
                   "RayCluster: metadata.uid: it has more than 512 characters"));
}

// Of pods as they are made: what is made later is no part of the question.
TEST(Operators, WhoIsMadeLaterDoesNotCount) {
  const auto made = [](const std::string& text) {
    const auto tree = json(text);
    Submitted one{grouping::ObjectKind::of(std::string(tree.text_at("apiVersion")), std::string(tree.text_at("kind"))), tree};
    const auto pods = made_pods(one, in_dialect(Grouper::kVolcano));
    EXPECT_TRUE(pods) << pods.error().text();
    return pods ? (*pods)->pods.size() : 0;
  };
  EXPECT_EQ(made(workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                          R"({"replicas":2,"startupPolicy":"LeaderReady","leaderWorkerTemplate":{"size":20000,"workerT)" +
                              pods_of(4, "volcano").substr(2) + "}}")),
            2u);
  EXPECT_EQ(made(workload("kubeflow.org/v2beta1", "MPIJob",
                          R"({"launcherCreationPolicy":"WaitForWorkersReady","mpiReplicaSpecs":{"Launcher":{)" + pods_of(1) +
                              R"(},"Worker":{"replicas":20000,)" + pods_of(1) + "}}}")),
            20'000u);
  EXPECT_EQ(made(workload("batch.volcano.sh/v1alpha1", "Job",
                          R"({"tasks":[{"name":"a","replicas":2,)" + pods_of(1) +
                              R"(},{"name":"b","replicas":20000,"dependsOn":{"name":["a"]},)" + pods_of(1) + "}]}")),
            2u);
}

TEST(Operators, SoManyPodGroupsAreAskedAboutAtOnce) {
  const auto groups = [](int count, const std::string& scheduler) {
    return workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                    R"({"replicas":)" + std::to_string(count) + R"(,"leaderWorkerTemplate":{"size":1,"workerT)" +
                        pods_of(4, scheduler).substr(2) + "}}");
  };
  const auto pods = [](int count) {
    return workload("apps/v1", "Deployment", R"({"replicas":)" + std::to_string(count) + "," + pods_of(1, "kai-scheduler") + "}",
                    kQueueLabel);
  };
  EXPECT_TRUE(expansion(groups(1000, "volcano"), Grouper::kVolcano));
  EXPECT_TRUE(expansion(pods(1000), Grouper::kKai));
  for (const auto& made : {expansion(groups(1001, "volcano"), Grouper::kVolcano),
                           expansion(groups(1001, "kai-scheduler"), Grouper::kKai), expansion(pods(1001), Grouper::kKai)}) {
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().text().find("a PodGroup beyond the first 1000: 1000 at most"), std::string::npos) << made.error().text();
  }
}

std::string nested(int levels) {
  std::string out;
  for (int i = 0; i < levels; ++i) out += R"({"a":)";
  return out + "1" + std::string(static_cast<std::size_t>(levels), '}');
}

// What groupers do not read would be missing in the answer.
TEST(Operators, WhatIsNestedTooDeepIsRefused) {
  for (const auto grouper : {Grouper::kVolcano, Grouper::kKai}) {
    const auto torch = [&](int levels) {  // with some more around them
      return expansion(
          workload("kubeflow.org/v1", "PyTorchJob",
                   R"({"pytorchReplicaSpecs":{"Worker":{"replicas":1,)" +
                       pods_of(4, grouper == Grouper::kKai ? "kai-scheduler" : "", R"(,"x":)" + nested(levels)) + "}}}"),
          grouper);
    };
    const auto flat = torch(50);
    EXPECT_TRUE(flat) << flat.error().text();
    const auto deep = torch(60);
    ASSERT_FALSE(deep);
    EXPECT_TRUE(deep.error().text().starts_with("PyTorchJob n/w: it is nested deeper than 64 levels\n")) << deep.error().text();
    for (int levels = 51; levels < 60; ++levels) {
      const auto made = torch(levels);
      EXPECT_TRUE(!made || !seen_of(*made, grouper).groups.empty()) << levels << ": it is refused, or everything of it is read";
    }
  }
}

TEST(Operators, TemplatesAreReadAsDeepAsTreesAre) {
  const auto pod_template = json("{" + pods_of(4, "", R"(,"x":)" + nested(90)) + "}");
  const auto amounts = template_amounts(pod_template.find("template"), grouping::pod_requests);
  ASSERT_TRUE(amounts.contains("cpu"));
  EXPECT_EQ(amounts.at("cpu").text(), "4");
}

// A tree takes many times the memory of its text, and what a server writes into it makes it larger.
TEST(Operators, MemoryIsBoundedAndNotTextAlone) {
  const auto job = [](int pods, const std::string& containers) {
    return workload("batch/v1", "Job",
                    R"({"parallelism":)" + std::to_string(pods) +
                        R"(,"template":{"spec":{"schedulerName":"volcano","containers":[)" + containers + "]}}}");
  };
  const auto many = [](int count, const std::string& one) {
    std::string out = one;
    for (int i = 1; i < count; ++i) out += "," + one;
    return out;
  };
  const auto numbers = expansion(job(20'000, R"({"args":[)" + many(1'000, "0") + "]}"), Grouper::kVolcano);
  ASSERT_FALSE(numbers);
  EXPECT_NE(numbers.error().text().find("MiB of memory together: 256 MiB at most"), std::string::npos) << numbers.error().text();
  const auto defaults = expansion(job(400, many(4'000, "{}")), Grouper::kVolcano);
  ASSERT_FALSE(defaults);
  EXPECT_NE(defaults.error().text().find("more than 64 MiB of text"), std::string::npos) << defaults.error().text();
}

// In the time of this process, so that others on the machine do not count.
double seconds_for(const std::function<void()>& work) {
  const auto begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(Operators, RequestsAreTakenFromManyLimitsInTime) {
  const auto spec_of = [](int limits) {
    Tree spec = json(R"({"containers":[{"name":"c","resources":{"limits":{},"requests":{"r1":"2","r2":null}}}]})");
    auto& all = *(*spec.find("containers")->as_list())[0].at("resources.limits")->as_map();
    for (int i = 0; i < limits; ++i) all.push_back({"r" + std::to_string(i), Tree("1")});
    return spec;
  };
  auto few = spec_of(3);
  default_pod_spec(few);
  EXPECT_EQ((*few.find("containers")->as_list())[0].at("resources.requests")->text(), R"({"r1":"2","r2":"1","r0":"1"})");
  auto some = spec_of(10'000), many = spec_of(40'000);
  const auto least = seconds_for([&] { default_pod_spec(some); });
  EXPECT_LT(seconds_for([&] { default_pod_spec(many); }), 8 * least + 0.05);
}

Result<Expansion> expansion_of_both(const std::string& first, const std::string& second, Grouper grouper) {
  std::vector<UnreadObject> objects;
  for (const auto& text : {first, second}) {
    const auto tree = json(text);
    objects.push_back({std::string(tree.text_at("apiVersion")), std::string(tree.text_at("kind")), text});
  }
  return expand(objects, in_dialect(grouper));
}

TEST(Operators, NamesOfPodGroupsDoNotDependOnTheOrder) {
  const auto deployment = workload("apps/v1", "Deployment", "{" + pods_of(1, "volcano") + "}");
  const auto torch = workload("kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{)" + pods_of(1) + "}}}");
  for (const auto& [first, second] : {std::pair(deployment, torch), std::pair(torch, deployment)}) {
    const auto made = expansion_of_both(first, second, Grouper::kVolcano);
    ASSERT_TRUE(made) << made.error().text();
    auto pods = seen_of(*made, Grouper::kVolcano).pods;
    std::ranges::sort(pods);
    EXPECT_EQ(pods, (std::vector<std::string>{"w-0 in podgroup-new-Deployment-n-w-new", "w-worker-0 in w/worker"}));
    EXPECT_EQ(made->kinds.size(), 2u);
  }
}

TEST(Operators, TwoOperatorsDoNotShareAPodGroup) {
  const auto torch = workload("kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{)" + pods_of(1) + "}}}");
  const auto mpi = workload("kubeflow.org/v2beta1", "MPIJob", R"({"mpiReplicaSpecs":{"Launcher":{)" + pods_of(1) + "}}}");
  const auto made = expansion_of_both(torch, mpi, Grouper::kVolcano);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("MPIJob n/w: metadata.name: its PodGroup would be that of PyTorchJob n/w"), std::string::npos)
      << made.error().text();
}

TEST(Operators, SeveralWorkloadsAreBoundedTogether) {
  const auto large = [](const std::string& name) {
    auto text = workload("kubeflow.org/v1", "PyTorchJob",
                         R"({"pytorchReplicaSpecs":{"Worker":{"replicas":40,)" +
                             pods_of(1, "", R"(,"hostname":")" + std::string(kMebibyte, 'x') + R"(")") + "}}}");
    text.replace(text.find(R"("w")"), 3, '"' + name + '"');
    return text;
  };
  EXPECT_TRUE(expansion(large("a"), Grouper::kVolcano));
  const auto made = expansion_of_both(large("a"), large("b"), Grouper::kVolcano);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("more than 64 MiB of text together"), std::string::npos) << made.error().text();
}

TEST(Operators, OwnersAreNotCopiedWithTheirTemplates) {
  Surroundings kai = in_dialect(Grouper::kKai);
  const auto text = workload(
      "jobset.x-k8s.io/v1alpha2", "JobSet",
      R"({"replicatedJobs":[)" + replicated("a", 2, 0, "kai-scheduler") + "," + replicated("b", 1, 1, "kai-scheduler") + "]}");
  Submitted set{grouping::ObjectKind::of("jobset.x-k8s.io/v1alpha2", "JobSet"), json(text)};
  const auto made = made_pods(set, kai);
  ASSERT_TRUE(made);
  ASSERT_EQ((*made)->owners.size(), 1u);  // none of those that have no pods
  EXPECT_EQ((*made)->owners.front().object.text_at("metadata.name"), "w-b-0");
  EXPECT_EQ((*made)->owners.front().object.find("spec"), nullptr);
}

TEST(Operators, NotesSayWhatWasTakenForGranted) {
  const auto notes = [](const std::string& text, Grouper grouper) {
    const auto made = expansion(text, grouper);
    EXPECT_TRUE(made) << made.error().text();
    std::string out;
    for (const auto& note : made->notes) out += note + "\n";
    return out;
  };
  const auto has = [](const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; };
  const auto job = workload("ray.io/v1", "RayJob", R"({"rayClusterSpec":)" + ray_spec("", R"("replicas":1)") + "}");
  EXPECT_TRUE(has(notes(job, Grouper::kKai), "--batch-scheduler=kai-scheduler"));
  EXPECT_TRUE(has(notes(job, Grouper::kKai), "KubeRay refuses RayJob n/w"));
  EXPECT_TRUE(has(notes(job, Grouper::kVolcano), "--batch-scheduler=volcano"));
  EXPECT_FALSE(has(notes(job, Grouper::kVolcano), "refuses"));
  EXPECT_TRUE(has(notes(job, Grouper::kVolcano), "the pod that submits RayJob n/w is made when its cluster is ready"));
  const auto named = workload("ray.io/v1", "RayCluster", ray_spec("kai-scheduler", R"("replicas":1)"));
  EXPECT_FALSE(has(notes(named, Grouper::kKai), "taken to run"));
  const auto mpi = [](const std::string& least) {
    return workload("kubeflow.org/v2beta1", "MPIJob",
                    R"({"launcherCreationPolicy":"WaitForWorkersReady","runPolicy":{"schedulingPolicy":{)" + least +
                        R"(}},"mpiReplicaSpecs":{"Launcher":{"replicas":1,)" + pods_of(1, "kai-scheduler") +
                        R"(},"Worker":{"replicas":2,)" + pods_of(1, "kai-scheduler") + "}}}");
  };
  const std::string waits = "waits for a launcher that waits for it: set spec.runPolicy.schedulingPolicy.minAvailable to 2";
  EXPECT_TRUE(has(notes(mpi(""), Grouper::kVolcano), waits));
  EXPECT_FALSE(has(notes(mpi(R"("minAvailable":2)"), Grouper::kVolcano), "waits for a launcher"));
  EXPECT_FALSE(has(notes(mpi(""), Grouper::kKai), "waits for a launcher"));
  const auto sets =
      workload("jobset.x-k8s.io/v1alpha2", "JobSet", R"({"replicatedJobs":[)" + replicated("a", 2, 2, "volcano") + "]}");
  EXPECT_TRUE(has(notes(sets, Grouper::kVolcano), "as the 4 pods that its controller would make, and their PodGroups"));
}

}  // namespace
}  // namespace muster::sim
