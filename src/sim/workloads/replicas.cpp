#include "sim/workloads/replicas.h"

#include <fmt/format.h>

#include "sim/finalizers.h"

namespace muster::sim {
namespace {

Tree generated(const Tree& owner, const grouping::ObjectKind& kind) {
  auto pod = pod_from(owner.at("spec.template"), kind, owner);
  pod["metadata"]["generateName"] = Tree(fmt::format("{}-", owner.text_at("metadata.name")));
  return pod;
}

}  // namespace

bool is_indexed(const Tree& job) { return job.text_at("spec.completionMode") == "Indexed"; }

Tree job_pod(const Tree& job, std::optional<std::int64_t> index) {
  auto pod = generated(job, kBatchJob);
  add_finalizer(pod, kJobTracking);
  if (!index) return pod;
  const auto name = fmt::format("{}-{}", job.text_at("metadata.name"), *index);
  pod["metadata"]["generateName"] = Tree(name + "-");
  pod["metadata"]["annotations"][kCompletionIndex] = Tree(fmt::format("{}", *index));
  pod["metadata"]["labels"][kCompletionIndex] = Tree(fmt::format("{}", *index));
  pod["spec"]["hostname"] = Tree(name);
  return pod;
}

Tree replica_pod(const Tree& set) { return generated(set, kReplicaSet); }

Tree stateful_pod(const Tree& set, std::int64_t ordinal, const std::string& revision) {
  auto pod = pod_from(set.at("spec.template"), kStatefulSet, set);
  const auto name = fmt::format("{}-{}", set.text_at("metadata.name"), ordinal);
  pod["metadata"]["name"] = Tree(name);
  auto& labels = pod["metadata"]["labels"];
  labels["statefulset.kubernetes.io/pod-name"] = Tree(name);
  labels["apps.kubernetes.io/pod-index"] = Tree(fmt::format("{}", ordinal));
  labels[kRevisionHash] = Tree(revision);
  pod["spec"]["hostname"] = Tree(name);
  if (const auto service = set.text_at("spec.serviceName"); !service.empty()) pod["spec"]["subdomain"] = Tree(service);
  return pod;
}

Tree replica_set_of(const Tree& deployment, const std::string& hash, std::int64_t number) {
  const auto copied = [&](std::string_view path) {
    const auto* found = deployment.at(path);
    return found == nullptr ? Tree::map() : *found;
  };
  Tree set = Tree::map();
  set["apiVersion"] = Tree(kReplicaSet.api_version());
  set["kind"] = Tree(kReplicaSet.kind);
  set["metadata"]["name"] = Tree(fmt::format("{}-{}", deployment.text_at("metadata.name"), hash));
  if (const auto* labels = deployment.at("spec.template.metadata.labels")) set["metadata"]["labels"] = *labels;
  set["metadata"]["labels"][kTemplateHash] = Tree(hash);
  set["metadata"]["annotations"][kDeploymentRevision] = Tree(fmt::format("{}", number));
  // The queue, the size of its gang and the like are said of a Deployment, and read from its ReplicaSets.
  for (const auto& [key, value] : texts_of(deployment.at("metadata.annotations")))
    if (key != kDeploymentRevision && key != "kubectl.kubernetes.io/last-applied-configuration")
      set["metadata"]["annotations"][key] = Tree(value);
  set["metadata"]["ownerReferences"].push_back(controller_reference(kDeployment, deployment));
  auto& spec = set["spec"];
  spec["replicas"] = Tree(std::int64_t{0});
  spec["selector"] = copied("spec.selector");
  spec["selector"]["matchLabels"][kTemplateHash] = Tree(hash);
  spec["template"] = copied("spec.template");
  spec["template"]["metadata"]["labels"][kTemplateHash] = Tree(hash);
  return set;
}

}  // namespace muster::sim
