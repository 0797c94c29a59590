// The jobs of Kubeflow's training operator: pods by roles, each with so many replicas.

#include <algorithm>
#include <fmt/format.h>

#include "base/lower_case.h"
#include "grouping/pod_usage.h"
#include "sim/workloads/operator_group.h"
#include "sim/workloads/operator_pods.h"
#include "sim/workloads/operators.h"
#include "sim/workloads/priority_classes.h"
#include "sim/workloads/question_room.h"

namespace muster::sim {
namespace {

constexpr std::string_view kOwnController = "kubeflow.org/training-operator";
constexpr std::string_view kPolicy = "spec.runPolicy.schedulingPolicy";

struct TrainingKind {
  std::string_view kind;
  std::string_view specs;
  std::string_view operator_name;
  std::vector<std::string_view> roles;  // those who lead first
  enum class Leader { kOfRole, kElseFirstWorker } leader = Leader::kOfRole;
};
const TrainingKind kTrainingKinds[] = {
    {"JAXJob", "jaxReplicaSpecs", "jaxjob-controller", {"Worker"}, TrainingKind::Leader::kElseFirstWorker},
    {"MPIJob", "mpiReplicaSpecs", "mpijob-controller", {"Launcher", "Worker"}},
    {"PaddleJob", "paddleReplicaSpecs", "paddlejob-controller", {"Master", "Worker"}},
    {"PyTorchJob", "pytorchReplicaSpecs", "pytorchjob-controller", {"Master", "Worker"}, TrainingKind::Leader::kElseFirstWorker},
    {"TFJob",
     "tfReplicaSpecs",
     "tfjob-controller",
     {"Chief", "Master", "PS", "Worker", "Evaluator"},
     TrainingKind::Leader::kElseFirstWorker},
    {"XGBoostJob", "xgbReplicaSpecs", "xgboostjob-controller", {"Master", "Worker"}},
};

struct Role {
  std::string name;  // in lower case, as in names and labels
  std::int64_t replicas = 1;
  const Tree* spec = nullptr;
};

std::string joined(const std::vector<std::string_view>& names) {
  std::string out;
  for (const auto name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

// The operator takes the names of roles in whatever case.
Result<std::vector<Role>> roles_of(const Submitted& workload, const TrainingKind& known) {
  const auto field = fmt::format("spec.{}", known.specs);
  const auto* specs = workload.object.at(field);
  if (specs == nullptr || !specs->is_map() || specs->as_map()->empty())
    return fail(refused_workload(workload, field, fmt::format("it is missing: give the replicas of {}", joined(known.roles))));
  std::vector<Role> out;
  const bool is_mpi = known.kind == "MPIJob";
  for (const auto role : known.roles)
    for (const auto& [name, spec] : *specs->as_map())
      if (lower_case(name) == lower_case(role)) {
        const std::int64_t usual = is_mpi && role == "Worker" ? 0 : 1;
        if (!out.empty() && out.back().name == lower_case(role))
          return fail(refused_workload(workload, field, fmt::format("{} is given twice", role)));
        auto replicas = asked_count(workload, spec, fmt::format("{}.{}", field, name), "replicas", usual);
        if (!replicas) return fail(std::move(replicas.error()));
        if (is_mpi && role == "Launcher") *replicas = 1;  // of whatever it says
        out.push_back({lower_case(role), *replicas, &spec});
      }
  for (const auto& [name, spec] : *specs->as_map())
    if (std::none_of(out.begin(), out.end(), [&](const Role& role) { return role.name == lower_case(name); }))
      return fail(refused_workload(workload, field,
                                   fmt::format("{} is no role of a {}: it has {}", name, known.kind, joined(known.roles))));
  return out;
}

// Whether a pod leads the others: of a role that leads, or the first worker where there is none.
bool is_master(const TrainingKind& known, const std::vector<Role>& roles, const Role& role, std::int64_t index) {
  const auto leads = [](const Role& one) { return one.name == "master" || one.name == "chief" || one.name == "launcher"; };
  if (std::any_of(roles.begin(), roles.end(), leads)) return leads(role);
  return role.name == "worker" && index == 0 && known.leader == TrainingKind::Leader::kElseFirstWorker;
}

Tree replica_of(const Submitted& workload, const TrainingKind& known, const Role& role, std::int64_t index) {
  const auto job = workload.object.text_at("metadata.name");
  const bool is_launcher = role.name == "launcher";
  auto pod = named_pod(role.spec->find("template"), workload,
                       is_launcher ? fmt::format("{}-launcher", job) : fmt::format("{}-{}-{}", job, role.name, index));
  add_labels(pod, {{"training.kubeflow.org/job-name", std::string(job)},
                   {"training.kubeflow.org/operator-name", std::string(known.operator_name)},
                   {"training.kubeflow.org/replica-type", role.name}});
  if (known.kind != "MPIJob") add_labels(pod, {{"training.kubeflow.org/replica-index", fmt::format("{}", index)}});
  return pod;
}

// What the first of them need, those with the highest priority before others.
ResourceList first_amounts(const std::vector<Role>& roles, std::int64_t count, const Surroundings& surroundings) {
  struct Ranked {
    const Role* role;
    std::int64_t priority;
  };
  std::vector<Ranked> ranked;
  for (const auto& role : roles)
    ranked.push_back({&role, named_priority(surroundings, role.spec->text_at("template.spec.priorityClassName"))});
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.priority > b.priority; });
  ResourceList out;
  for (const auto& [role, priority] : ranked) {
    const auto taken = std::clamp<std::int64_t>(role->replicas, 0, count);
    const auto each = container_amounts(role->spec->find("template"), LimitsCount::kWithoutRequests);
    grouping::add_to(out, grouping::times(each, taken));
    count -= taken;
  }
  return out;
}

void make_volcano_group(const Submitted& workload, const std::vector<Role>& roles, std::int64_t least_pods,
                        const Surroundings& surroundings, MadePods& out) {
  const auto* policy = workload.object.at(kPolicy);
  OperatorGroup group{.name = std::string(workload.object.text_at("metadata.name")), .min_member = least_pods, .queue = "default"};
  if (policy != nullptr) {
    if (const auto queue = policy->text_at("queue"); !queue.empty()) group.queue = queue;
    group.priority_class = policy->text_at("priorityClass");
  }
  const auto* least = policy == nullptr ? nullptr : policy->at("minResources");
  group.min_resources =
      least != nullptr && least->is_map() ? *least : resources_of(first_amounts(roles, group.min_member, surroundings));
  auto object = group.object_for(workload);
  for (const auto& [key, value] : texts_of(workload.object.at("metadata.annotations")))
    object["metadata"]["annotations"][key] = Tree(value);
  out.groups.push_back({std::move(object)});
  for (auto& pod : out.pods) put_into_group(pod.object, group.name, NamesScheduler::kFillsIn);
  out.notes.push_back(
      fmt::format("the training operator is taken to run with --gang-scheduler-name=volcano, so that it makes the PodGroup of {}: "
                  "all its pods, or spec.runPolicy.schedulingPolicy.minAvailable of them, start together",
                  shown(workload)));
}

}  // namespace

Result<MadePods> pods_of_training_job(Submitted& workload, const Surroundings& surroundings) {
  if (auto run = refuse_if_not_run(workload, "spec.runPolicy.suspend", "spec.runPolicy.managedBy", kOwnController); !run)
    return fail(std::move(run.error()));
  const auto& known = *std::find_if(std::begin(kTrainingKinds), std::end(kTrainingKinds),
                                    [&](const TrainingKind& one) { return one.kind == workload.kind.kind; });
  const auto roles = roles_of(workload, known);
  if (!roles) return fail(roles.error());
  std::int64_t total = 0;
  std::vector<PodsAsked> asked;
  for (const auto& role : *roles) {
    total += role.replicas;
    asked.push_back({role.replicas, role.spec});
  }
  const auto least = asked_count(workload, fmt::format("{}.minAvailable", kPolicy), total);
  if (!least) return fail(least.error());
  if (auto elastic = asked_count(workload, "spec.elasticPolicy.minReplicas", 0); !elastic) return fail(std::move(elastic.error()));
  auto out = room_for(workload, fmt::format("spec.{}", known.specs), asked);
  if (!out) return out;
  for (const auto& role : *roles)
    for (std::int64_t i = 0; i < role.replicas; ++i) {
      auto pod = replica_of(workload, known, role, i);
      if (is_master(known, *roles, role, i)) add_labels(pod, {{"training.kubeflow.org/job-role", "master"}});
      if (surroundings.grouper == Grouper::kVolcano) pod["metadata"]["annotations"][kTaskOfVolcano] = Tree(role.name);
      out->pods.push_back({std::move(pod)});
    }
  if (surroundings.grouper == Grouper::kVolcano) make_volcano_group(workload, *roles, *least, surroundings, *out);
  return out;
}

}  // namespace muster::sim
