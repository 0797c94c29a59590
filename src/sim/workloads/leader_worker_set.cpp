// LeaderWorkerSets: groups of a leader and its workers. One StatefulSet makes the leaders, and one for each leader its workers.

#include <fmt/format.h>

#include "grouping/pod_usage.h"
#include "grouping/volcano.h"
#include "sim/fields.h"
#include "sim/workloads/operator_group.h"
#include "sim/workloads/operator_pods.h"
#include "sim/workloads/operators.h"
#include "sim/workloads/question_room.h"
#include "sim/workloads/replicas.h"

namespace muster::sim {
namespace {

constexpr std::string_view kRevision = "new";
constexpr std::string_view kSetName = "leaderworkerset.sigs.k8s.io/name";
constexpr std::string_view kIndexOfGroup = "leaderworkerset.sigs.k8s.io/group-index";
constexpr std::string_view kIndexOfWorker = "leaderworkerset.sigs.k8s.io/worker-index";
const grouping::ObjectKind kPodOwner{"", "v1", "Pod"};

struct SetParts {
  std::string name;
  std::int64_t replicas = 1;
  std::int64_t size = 1;
  const Tree* leader = nullptr;
  const Tree* worker = nullptr;
  bool leader_first = false;  // workers are made when it is ready
};

// What the API server writes where it is left out; groupers look for it.
void default_set(Tree& set) {
  const auto write = [&](std::string_view path, Tree value) {
    if (auto& own = set.make(path); own.is_null()) own = std::move(value);
  };
  write("spec.replicas", Tree(std::int64_t{1}));
  write("spec.startupPolicy", Tree("LeaderCreated"));
  write("spec.leaderWorkerTemplate.size", Tree(std::int64_t{1}));
}

Result<SetParts> set_parts(const Submitted& workload) {
  const auto& set = workload.object;
  for (const std::string_view key : {"exclusive-topology", "subgroup-exclusive-topology"})
    if (!annotation_of(set, fmt::format("leaderworkerset.sigs.k8s.io/{}", key)).empty())
      return fail(refused_workload(workload, "metadata.annotations",
                                   fmt::format("{} is not known here: workers are made when their leaders have nodes", key)));
  SetParts out{std::string(set.text_at("metadata.name"))};
  out.worker = set.at("spec.leaderWorkerTemplate.workerTemplate");
  if (out.worker == nullptr || !out.worker->is_map())
    return fail(refused_workload(workload, "spec.leaderWorkerTemplate.workerTemplate",
                                 "it is missing: workers have a template, and leaders without their own have it too"));
  out.leader = set.at("spec.leaderWorkerTemplate.leaderTemplate");
  if (out.leader == nullptr || !out.leader->is_map()) out.leader = out.worker;
  const auto replicas = asked_count(workload, "spec.replicas", 1);
  const auto size = asked_count(workload, "spec.leaderWorkerTemplate.size", 1);
  const auto segment = asked_count(workload, "spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize", 0);
  for (const auto* count : {&replicas, &size, &segment})
    if (!*count) return fail(count->error());
  out.replicas = *replicas;
  out.size = *size;
  out.leader_first = set.text_at("spec.startupPolicy") == "LeaderReady";
  if (out.size == 0) return fail(refused_workload(workload, "spec.leaderWorkerTemplate.size", "it asks for no pods"));
  return out;
}

Submitted stateful_set(const Submitted& workload, std::string_view name, const Submitted& owner) {
  auto out = owned_object(workload, kStatefulSet, name, owner);
  if (const auto* annotations = workload.object.at("metadata.annotations")) out.object["metadata"]["annotations"] = *annotations;
  return out;
}

Tree member_pod(const SetParts& set, const Tree* pod_template, const Submitted& owner, std::int64_t group, std::int64_t worker) {
  const auto leader = fmt::format("{}-{}", set.name, group);
  auto pod = named_pod(pod_template, owner, worker == 0 ? leader : fmt::format("{}-{}", leader, worker));
  add_labels(pod, {{kSetName, set.name},
                   {kIndexOfGroup, fmt::format("{}", group)},
                   {kIndexOfWorker, fmt::format("{}", worker)},
                   // A hash of this stands there, by which pods of one group find each other.
                   {"leaderworkerset.sigs.k8s.io/group-key", leader},
                   {"leaderworkerset.sigs.k8s.io/template-revision-hash", std::string(kRevision)}});
  pod["metadata"]["annotations"]["leaderworkerset.sigs.k8s.io/size"] = Tree(fmt::format("{}", set.size));
  if (worker > 0) pod["metadata"]["annotations"]["leaderworkerset.sigs.k8s.io/leader-name"] = Tree(leader);
  return pod;
}

void add_group_of_set(const Submitted& workload, const SetParts& set, const Submitted& leaders, std::int64_t group, MadePods& out) {
  auto leader = member_pod(set, set.leader, leaders, group, 0);
  const std::string name(leader.text_at("metadata.name"));
  out.pods.push_back({leader, name});
  if (set.leader_first || set.size == 1) return;
  // Whoever asks who owns a worker comes by its leader.
  leader["metadata"]["namespace"] = Tree(workload.object.text_at("metadata.namespace"));
  leader["metadata"]["uid"] = Tree(made_uid(workload, name));
  leader.erase("spec");
  out.owners.push_back({kPodOwner, std::move(leader)});
  auto workers = stateful_set(workload, name, out.owners.back());
  for (std::int64_t i = 1; i < set.size; ++i) out.pods.push_back({member_pod(set, set.worker, workers, group, i), name});
  out.owners.push_back(std::move(workers));
}

// The PodGroups that are made for Volcano: one for each leader with its workers.
void make_set_groups(const Submitted& workload, const SetParts& set, MadePods& out) {
  auto amounts = template_amounts(set.leader, grouping::pod_requests);
  grouping::add_to(amounts, grouping::times(template_amounts(set.worker, grouping::pod_requests), set.size - 1));
  for (std::int64_t i = 0; i < set.replicas; ++i) {
    const OperatorGroup group{.name = fmt::format("{}-{}-{}", set.name, i, kRevision),
                              .min_member = set.leader_first ? 1 : set.size,
                              .queue = std::string(annotation_of(workload.object, "scheduling.volcano.sh/queue-name")),
                              .min_resources = resources_of(amounts)};
    auto object = group.object_for(workload);
    for (const auto& [key, value] : texts_of(workload.object.at("metadata.annotations")))
      if (key.starts_with("volcano.sh/")) object["metadata"]["annotations"][key] = Tree(value);
    out.groups.push_back({std::move(object), fmt::format("{}-{}", set.name, i)});
  }
  for (auto& pod : out.pods)
    pod.object["metadata"]["annotations"][grouping::kVolcanoGroupName] = Tree(fmt::format("{}-{}", pod.group, kRevision));
  out.notes.push_back(
      fmt::format("the controller of {} is taken to run with schedulerProvider: volcano, so that it makes a PodGroup for "
                  "each leader with its workers",
                  shown(workload)));
}

}  // namespace

Result<MadePods> pods_of_leader_worker_set(Submitted& workload, const Surroundings& surroundings) {
  default_set(workload.object);
  const auto set = set_parts(workload);
  if (!set) return fail(set.error());
  const auto workers = set->leader_first ? 0 : set->replicas * (set->size - 1);
  auto out = room_for(workload, "spec.replicas", {{set->replicas, set->leader}, {workers, set->worker}});
  if (!out) return out;
  auto leaders = stateful_set(workload, set->name, workload);
  for (std::int64_t i = 0; i < set->replicas; ++i) add_group_of_set(workload, *set, leaders, i, *out);
  out->owners.push_back(std::move(leaders));
  if (surroundings.grouper == Grouper::kVolcano) make_set_groups(workload, *set, *out);
  if (set->leader_first && set->size > 1)
    out->notes.push_back(
        fmt::format("the workers of {} are made when their leader is ready, and are not asked about", shown(workload)));
  return out;
}

}  // namespace muster::sim
