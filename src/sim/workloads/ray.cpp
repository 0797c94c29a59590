// KubeRay: a head and groups of workers, that a RayCluster owns, which may be made for a RayJob or a RayService.

#include <algorithm>
#include <fmt/format.h>

#include "grouping/pod_usage.h"
#include "sim/fields.h"
#include "sim/workloads/operator_group.h"
#include "sim/workloads/operator_pods.h"
#include "sim/workloads/operators.h"
#include "sim/workloads/question_room.h"

namespace muster::sim {
namespace {

constexpr std::string_view kOwnRayController = "ray.io/kuberay-operator";
constexpr std::string_view kHead = "headgroup";
constexpr std::string_view kSubmission = "spec.submissionMode";

Tree container_asking(std::string_view name, std::string_view cpu, std::string_view memory) {
  Tree out = Tree::map();
  out["name"] = Tree(name);
  out["resources"]["requests"]["cpu"] = Tree(cpu);
  out["resources"]["requests"]["memory"] = Tree(memory);
  return out;
}

// What submits a job where nothing else is said: a pod of its own, or a container of the head.
Tree usual_submitter() { return container_asking("ray-job-submitter", "500m", "200Mi"); }

struct WorkerGroup {
  const Tree* spec;
  std::string name;
  std::int64_t pods = 0;   // there are so many at first
  std::int64_t asked = 0;  // by replicas alone
  std::int64_t least = 0;  // that an autoscaler leaves
};

Result<WorkerGroup> worker_group(const Submitted& workload, std::string_view where, const Tree& spec) {
  WorkerGroup out{&spec, std::string(spec.text_at("groupName"))};
  if (out.name.empty())
    return fail(refused_workload(workload, fmt::format("{}.groupName", where), "it is missing: every group of workers has a name"));
  const auto count = [&](std::string_view field, std::int64_t usual) { return asked_count(workload, spec, where, field, usual); };
  const auto hosts = count("numOfHosts", 1);
  const auto replicas = count("replicas", 0);
  const auto least = count("minReplicas", 0);
  const auto most = count("maxReplicas", kMostAmount);
  for (const auto* one : {&hosts, &replicas, &least, &most})
    if (!*one) return fail(one->error());
  if (spec.true_at("suspend")) return out;
  const auto each = std::max<std::int64_t>(1, *hosts);
  out.pods = std::clamp(*replicas, *least, std::max(*least, *most)) * each;
  out.asked = *replicas * each;
  out.least = *least * each;
  return out;
}

// The cluster as it stands in the API: of a RayJob or RayService it has their labels and annotations.
struct RayParts {
  Submitted cluster;
  bool head_submits = false;  // a job, by a container of its own
  std::vector<WorkerGroup> groups = {};

  const Tree* head_template() const { return cluster.object.at("spec.headGroupSpec.template"); }
  bool scales_itself() const { return cluster.object.true_at("spec.enableInTreeAutoscaling"); }
};

Result<MadePods> read_groups(const Submitted& workload, std::string_view where, RayParts& parts) {
  const auto field = [&](std::string_view rest) { return fmt::format("{}.{}", where, rest); };
  if (parts.head_template() == nullptr)
    return fail(refused_workload(workload, field("headGroupSpec.template"), "it is missing: a Ray cluster has a head"));
  std::vector<PodsAsked> asked = {{1, parts.head_template()}};
  const auto* specs = parts.cluster.object.at("spec.workerGroupSpecs");
  if (specs != nullptr && specs->is_list())
    for (const auto& spec : *specs->as_list()) {
      auto group = worker_group(workload, field("workerGroupSpecs"), spec);
      if (!group) return fail(std::move(group.error()));
      asked.push_back({group->pods, &spec});
      parts.groups.push_back(std::move(*group));
    }
  return room_for(workload, field("workerGroupSpecs"), asked);
}

Tree ray_pod(const Submitted& cluster, const Tree* pod_template, std::string_view type, std::string_view group,
             const std::string& name) {
  auto pod = named_pod(pod_template, cluster, name);
  const std::string cluster_name(cluster.object.text_at("metadata.name"));
  add_labels(pod, {{"ray.io/is-ray-node", "yes"},
                   {"ray.io/cluster", cluster_name},
                   {"ray.io/node-type", std::string(type)},
                   {"ray.io/group", std::string(group)},
                   {"ray.io/identifier", fmt::format("{}-{}", cluster_name, type)}});
  return pod;
}

Tree autoscaler_of(const RayParts& parts) {
  auto out = container_asking("autoscaler", "500m", "512Mi");
  if (const auto* own = parts.cluster.object.at("spec.autoscalerOptions.resources"); own != nullptr && own->is_map())
    out["resources"] = *own;
  return out;
}

// The template's containers, and those that KubeRay adds to it.
Tree head_of(const RayParts& parts) {
  auto pod = ray_pod(parts.cluster, parts.head_template(), "head", kHead,
                     fmt::format("{}-head", parts.cluster.object.text_at("metadata.name")));
  const auto* own = pod.at("spec.containers");
  if (own == nullptr || !own->is_list() || own->as_list()->empty()) return pod;  // such a pod is refused
  if (parts.head_submits) pod["spec"]["containers"].push_back(usual_submitter());
  if (parts.scales_itself()) pod["spec"]["containers"].push_back(autoscaler_of(parts));
  return pod;
}

void make_ray_pods(const RayParts& parts, MadePods& out) {
  out.pods.push_back({head_of(parts)});
  for (const auto& group : parts.groups)
    for (std::int64_t i = 0; i < group.pods; ++i)
      out.pods.push_back({ray_pod(parts.cluster, group.spec->find("template"), "worker", group.name,
                                  fmt::format("{}-{}-worker-{}", parts.cluster.object.text_at("metadata.name"), group.name, i))});
}

// With an autoscaler the least of each group starts together, otherwise all.
OperatorGroup ray_group_of(const RayParts& parts) {
  OperatorGroup out{.name = {}, .min_member = 1};
  auto amounts = container_amounts(parts.head_template(), LimitsCount::kForEachLeftOut);
  for (const auto& group : parts.groups) {
    out.min_member += parts.scales_itself() ? group.least : group.pods;
    const auto each = container_amounts(group.spec->find("template"), LimitsCount::kForEachLeftOut);
    grouping::add_to(amounts, grouping::times(each, parts.scales_itself() ? group.least : group.asked));
  }
  out.min_resources = resources_of(amounts);
  return out;
}

// A pod that submits comes later and is not waited for, but room is kept for it, as for the head's container that does.
void add_submitter(const Tree& job, OperatorGroup& group) {
  const auto mode = job.text_at(kSubmission);
  auto amounts = amounts_of(&group.min_resources);
  const auto* own = job.at("spec.submitterPodTemplate");
  const bool by_pod = mode.empty() || mode == "K8sJobMode";
  Tree usual = Tree::map();
  usual["spec"]["containers"].push_back(usual_submitter());
  if (by_pod || mode == "SidecarMode")
    grouping::add_to(amounts, container_amounts(by_pod && own != nullptr ? own : &usual, LimitsCount::kForEachLeftOut));
  group.min_resources = resources_of(amounts);
}

Result<void> add_topology(const Submitted& owner, Tree& group) {
  const auto* labels = owner.object.at("metadata.labels");
  const auto* mode = labels == nullptr ? nullptr : labels->find("volcano.sh/network-topology-mode");
  if (mode == nullptr) return {};
  auto& topology = group["spec"]["networkTopology"];
  topology["mode"] = *mode;
  constexpr std::string_view key = "volcano.sh/network-topology-highest-tier-allowed";
  const auto* tier = labels->find(key);
  if (tier == nullptr) return {};
  const auto number = Tree(Tree::Number{tier->scalar_text()}).as_integer();
  if (!number) return fail(refused_workload(owner, "metadata.labels", fmt::format("{} is no number", key)));
  topology["highestTierAllowed"] = Tree(*number);
  return {};
}

// The PodGroup that KubeRay makes for Volcano, of a job or else of a cluster.
Result<void> make_ray_group(const Submitted& owner, const RayParts& parts, MadePods& out) {
  auto group = ray_group_of(parts);
  group.name = fmt::format("ray-{}-pg", owner.object.text_at("metadata.name"));
  if (owner.kind.kind == "RayJob") add_submitter(owner.object, group);
  for (const auto& [key, value] : texts_of(owner.object.at("metadata.labels"))) {
    if (key == "volcano.sh/queue-name") group.queue = value;
    if (key == "ray.io/priority-class-name") group.priority_class = value;
  }
  auto object = group.object_for(owner);
  for (const auto& [key, value] : texts_of(owner.object.at("metadata.annotations")))
    object["metadata"]["annotations"][key] = Tree(value);
  if (auto added = add_topology(owner, object); !added) return added;
  out.groups.push_back({std::move(object)});
  for (auto& pod : out.pods) {
    put_into_group(pod.object, group.name, NamesScheduler::kOverwrites);
    pod.object["metadata"]["annotations"][kTaskOfVolcano] = *pod.object.at("metadata.labels")->find("ray.io/group");
  }
  return {};
}

// KubeRay names the scheduler of all pods if it is told to. In KAI's dialect nobody need tell it where all templates name one.
void note_ray_scheduler(const Submitted& workload, const Surroundings& surroundings, MadePods& out) {
  const bool is_kai = surroundings.grouper == Grouper::kKai;
  const auto names_none = [](const MadePod& pod) { return pod.object.text_at("spec.schedulerName").empty(); };
  if (is_kai && std::none_of(out.pods.begin(), out.pods.end(), names_none)) return;
  const auto name = is_kai ? kKaiScheduler : kVolcanoScheduler;
  for (auto& pod : out.pods) pod.object["spec"]["schedulerName"] = Tree(name);
  out.notes.push_back(fmt::format("KubeRay is taken to run with --batch-scheduler={}, so that it {} of {}", name,
                                  is_kai ? "names the scheduler of the pods" : "makes the PodGroup", shown(workload)));
  const auto mode = workload.object.text_at(kSubmission);
  if (is_kai && workload.kind.kind == "RayJob" && (mode.empty() || mode == "K8sJobMode"))
    out.notes.push_back(
        fmt::format("with this setting KubeRay refuses {}, whose spec.submissionMode is K8sJobMode: it takes "
                    "SidecarMode, or a template that names the scheduler itself",
                    shown(workload)));
}

// A cluster that is made for something else, and is called like it: what KubeRay adds to the name nobody knows yet.
Submitted cluster_for(const Submitted& workload, const Tree& spec) {
  auto out = owned_object(workload, {workload.kind.group, workload.kind.version, "RayCluster"},
                          workload.object.text_at("metadata.name"), workload);
  for (const std::string_view field : {"labels", "annotations"})
    for (const auto& [key, value] : texts_of(workload.object.at(fmt::format("metadata.{}", field))))
      out.object["metadata"][field][key] = Tree(value);
  out.object["spec"] = spec;
  return out;
}

Result<MadePods> made_of_ray(const Submitted& workload, std::string_view where, RayParts parts, const Surroundings& surroundings) {
  auto out = read_groups(workload, where, parts);
  if (!out) return out;
  make_ray_pods(parts, *out);
  note_ray_scheduler(workload, surroundings, *out);
  const auto& owner = workload.kind.kind == "RayJob" ? workload : parts.cluster;
  if (surroundings.grouper == Grouper::kVolcano)
    if (auto made = make_ray_group(owner, parts, *out); !made) return fail(std::move(made.error()));
  if (workload.kind.kind != "RayCluster") out->owners.push_back(std::move(parts.cluster));
  return out;
}

}  // namespace

Result<MadePods> pods_of_ray_cluster(Submitted& workload, const Surroundings& surroundings) {
  if (auto run = refuse_if_not_run(workload, "spec.suspend", "spec.managedBy", kOwnRayController); !run)
    return fail(std::move(run.error()));
  return made_of_ray(workload, "spec", {.cluster = workload}, surroundings);
}

Result<MadePods> pods_of_ray_job(Submitted& workload, const Surroundings& surroundings) {
  if (auto run = refuse_if_not_run(workload, "spec.suspend", "spec.managedBy", kOwnRayController); !run)
    return fail(std::move(run.error()));
  const auto* selector = workload.object.at("spec.clusterSelector");
  if (selector != nullptr && selector->is_map() && !selector->as_map()->empty())
    return fail(refused_workload(workload, "spec.clusterSelector",
                                 "it runs in a RayCluster that is there already, and makes no pods that could be asked about"));
  const auto* spec = workload.object.at("spec.rayClusterSpec");
  if (spec == nullptr || !spec->is_map())
    return fail(refused_workload(workload, "spec.rayClusterSpec", "it is missing: a RayJob says what cluster is made for it"));
  auto cluster = cluster_for(workload, *spec);
  const auto mode = std::string(workload.object.text_at(kSubmission));
  workload.object["status"]["rayClusterName"] = Tree(cluster.object.text_at("metadata.name"));
  auto out = made_of_ray(workload, "spec.rayClusterSpec", {.cluster = std::move(cluster), .head_submits = mode == "SidecarMode"},
                         surroundings);
  if (out && (mode.empty() || mode == "K8sJobMode"))
    out->notes.push_back(
        fmt::format("the pod that submits {} is made when its cluster is ready, and is not asked about", shown(workload)));
  return out;
}

Result<MadePods> pods_of_ray_service(Submitted& workload, const Surroundings& surroundings) {
  if (auto run = refuse_if_not_run(workload, "spec.suspend", "spec.managedBy", kOwnRayController); !run)
    return fail(std::move(run.error()));
  const auto* spec = workload.object.at("spec.rayClusterConfig");
  if (spec == nullptr || !spec->is_map())
    return fail(
        refused_workload(workload, "spec.rayClusterConfig", "it is missing: a RayService says what cluster is made for it"));
  auto cluster = cluster_for(workload, *spec);
  workload.object["status"]["pendingServiceStatus"]["rayClusterName"] = Tree(cluster.object.text_at("metadata.name"));
  return made_of_ray(workload, "spec.rayClusterConfig", {.cluster = std::move(cluster)}, surroundings);
}

}  // namespace muster::sim
