// Groupers of Kubeflow's training jobs: all replicas together, unless the job asks for fewer.

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>

#include "base/split.h"
#include "grouping/kai_defaults.h"

namespace muster::grouping {
namespace {

constexpr std::string_view kMinAvailable = "spec.runPolicy.schedulingPolicy.minAvailable";
constexpr std::string_view kReplicaType = "training.kubeflow.org/replica-type";
constexpr std::string_view kReplicaIndex = "training.kubeflow.org/replica-index";

// All replicas of a job; every kind of them must have some.
Result<std::int64_t> replicas_of(const Object& top, std::string_view specs, std::initializer_list<std::string_view> needed) {
  const auto* replicas = top.at(fmt::format("spec.{}", specs));
  if (replicas == nullptr) return fail(fmt::format("{} {}/{} has no spec.{}", top.kind.kind, top.ns, top.name, specs));
  for (const auto name : needed)
    if (replicas->find(name) == nullptr)
      return fail(fmt::format("{} {}/{}: spec.{} has no {}, which it needs", top.kind.kind, top.ns, top.name, specs, name));
  std::int64_t total = 0;
  for (const auto& [name, spec] : replicas->members) {
    const auto count = json_integer_at(&spec, "replicas").value_or(0);
    if (count == 0) return fail(fmt::format("{} {}/{}: spec.{}.{} has no replicas", top.kind.kind, top.ns, top.name, specs, name));
    total += count;
  }
  if (total <= 0) return fail(fmt::format("{} {}/{} has no replicas", top.kind.kind, top.ns, top.name));
  return total;
}

Result<KaiGroup> replicas_group(const KaiCase& about, const Object& top, std::string_view specs,
                                std::initializer_list<std::string_view> needed) {
  auto out = kai_group_of(about, top);
  if (const auto least = top.integer_at(kMinAvailable)) {
    out.min_member = *least;
    return out;
  }
  const auto total = replicas_of(top, specs, needed);
  if (!total) return fail(total.error());
  out.min_member = *total;
  return out;
}

// Nothing for a job whose workers stay together.
Result<std::optional<std::int64_t>> segment_size(const Object& pod, const Texts& worker_template, const Object& top) {
  if (const auto own = pod.annotation(kSegmentSize); own && !own->empty()) {
    const auto size = annotated_number(kSegmentSize, *own, pod);
    if (!size) return fail(size.error());
    if (*size <= 0) return fail(fmt::format("pod {}/{}: segments of {} pods", pod.ns, pod.name, *size));
    return *size;
  }
  const auto given = text_of(worker_template, kSegmentSize);
  if (!given || given->empty()) return std::nullopt;
  const auto size = annotated_number(kSegmentSize, *given, top);
  if (!size) return fail(size.error());
  if (*size <= 0) return fail(fmt::format("{} {}/{}: segments of {} pods", top.kind.kind, top.ns, top.name, *size));
  return *size;
}

Result<std::optional<std::int64_t>> segment_of(const Object& pod, std::int64_t size) {
  if (pod.label(kReplicaType) != "worker") return std::nullopt;
  const auto label = pod.label(kReplicaIndex);
  const auto index = label ? parse_integer(*label) : std::nullopt;
  if (!index || *index < 0)
    return fail(fmt::format("pod {}/{}: the label {} is no index of a replica", pod.ns, pod.name, kReplicaIndex));
  return *index / size;
}

struct Workers {
  std::int64_t replicas = 0;
  std::int64_t least = 0;  // how many of them must start together
  Texts annotations;       // of their template
};

Result<void> add_segments(const KaiCase& about, const Object& top, const Workers& workers, std::int64_t size, KaiGroup& out) {
  const auto segments = (workers.replicas + size - 1) / size;
  if (segments > kMostSegments)
    return fail(fmt::format("{} {}/{}: {} segments are too many", top.kind.kind, top.ns, top.name, segments));
  const auto own = segment_of(about.pod, size);
  if (!own) return fail(own.error());
  const auto topology = segment_topology(about.pod, workers.annotations, top);
  const auto mandatory = (workers.least + size - 1) / size;
  const auto rest = workers.replicas % size;
  SubGroup parent;
  parent.name = "worker";
  parent.min_sub_group = segments;
  out.sub_groups.push_back(std::move(parent));
  for (std::int64_t i = 0; i < segments; ++i) {
    SubGroup segment;
    segment.name = fmt::format("worker-{}", i);
    segment.parent = "worker";
    segment.topology = topology;
    segment.min_member = size;
    if (i >= mandatory)
      segment.min_member = 0;  // it may come later
    else if (rest != 0 && i == segments - 1)
      segment.min_member = rest;
    if (*own == i) out.pod_sub_group = segment.name;
    out.sub_groups.push_back(std::move(segment));
  }
  return {};
}

Result<void> add_workers(const KaiCase& about, const Object& top, const Workers& workers, KaiGroup& out) {
  const auto size = segment_size(about.pod, workers.annotations, top);
  if (!size) return fail(size.error());
  if (*size && workers.replicas > 0) return add_segments(about, top, workers, **size, out);
  SubGroup group;
  group.name = "worker";
  group.min_member = workers.least;
  out.sub_groups.push_back(std::move(group));
  if (about.pod.label(kReplicaType) == "worker") out.pod_sub_group = "worker";
  return {};
}

}  // namespace

Result<KaiGroup> tensorflow_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  return replicas_group(about, top, "tfReplicaSpecs", {});
}

Result<KaiGroup> jax_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  return replicas_group(about, top, "jaxReplicaSpecs", {"Worker"});
}

Result<KaiGroup> xgboost_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  return replicas_group(about, top, "xgbReplicaSpecs", {"Master", "Worker"});
}

Result<KaiGroup> mpi_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  auto out = replicas_group(about, top, "mpiReplicaSpecs", {"Launcher", "Worker"});
  if (!out || top.text_at("spec.launcherCreationPolicy") != "WaitForWorkersReady") return out;
  // The launcher is made when the workers run, so that they cannot wait for it.
  const bool launched = about.view.has_live_pod(
      top.ns, {{"training.kubeflow.org/job-name", top.name}, {"training.kubeflow.org/job-role", "launcher"}});
  if (launched) return out;
  const auto launchers = top.integer_at("spec.mpiReplicaSpecs.Launcher.replicas").value_or(0);
  if (launchers == 0) return fail(fmt::format("MPIJob {}/{} has no launcher", top.ns, top.name));
  out->min_member -= launchers;
  return out;
}

Result<KaiGroup> pytorch_kai_group(const KaiCase& about, const Object& top, std::span<const Object>) {
  auto out = replicas_group(about, top, "pytorchReplicaSpecs", {});
  if (!out) return out;
  if (const auto least = top.integer_at("spec.elasticPolicy.minReplicas"); least && !top.integer_at(kMinAvailable))
    out->min_member = *least;
  const auto* specs = top.at("spec.pytorchReplicaSpecs");
  if (specs == nullptr) return fail(fmt::format("PyTorchJob {}/{} has no spec.pytorchReplicaSpecs", top.ns, top.name));
  const auto masters = json_integer_at(specs, "Master.replicas").value_or(0);
  if (masters > 0) {
    SubGroup group;
    group.name = "master";
    group.min_member = masters;
    out->sub_groups.push_back(std::move(group));
    if (about.pod.label(kReplicaType) == "master") out->pod_sub_group = "master";
  }
  if (const auto* worker = json_at(specs, "Worker")) {
    const Workers workers{json_integer_at(worker, "replicas").value_or(1), std::max<std::int64_t>(0, out->min_member - masters),
                          json_texts(json_at(worker, "template.metadata.annotations"))};
    if (auto done = add_workers(about, top, workers, *out); !done) return fail(done.error());
  }
  return out;
}

}  // namespace muster::grouping
