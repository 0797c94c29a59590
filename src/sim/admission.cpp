#include "sim/admission.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/custom_admission.h"
#include "sim/pod_admission.h"
#include "sim/selectors.h"
#include "sim/service_admission.h"

namespace muster::sim {
namespace {

void set_default(Tree& object, std::string_view path, Tree value) {
  auto& field = object.make(path);
  if (field.is_null()) field = std::move(value);
}

void default_template(Tree& object, std::string_view restart_policy) {
  auto* pod_spec = object.at("spec.template.spec");
  if (pod_spec == nullptr || !pod_spec->is_map()) return;
  if (!restart_policy.empty() && pod_spec->find("restartPolicy") == nullptr) (*pod_spec)["restartPolicy"] = Tree(restart_policy);
  default_pod_spec(*pod_spec);
}

// By labels that no other Job has.
void select_own_pods(Tree& job) {
  const std::string uid(job.text_at("metadata.uid"));
  const std::string name(job.text_at("metadata.name"));
  auto& spec = job["spec"];
  spec["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"] = Tree(uid);
  auto& labels = spec["template"]["metadata"]["labels"];
  labels["batch.kubernetes.io/controller-uid"] = Tree(uid);
  labels["batch.kubernetes.io/job-name"] = Tree(name);
  labels["controller-uid"] = Tree(uid);
  labels["job-name"] = Tree(name);
}

// A Job without labels has those of its pods.
void label_like_template(Tree& job) {
  const auto* own = job.at("metadata.labels");
  if (own != nullptr && own->is_map() && !own->as_map()->empty()) return;
  Tree labels = Tree::map();
  for (auto& [key, value] : texts_of(job.at("spec.template.metadata.labels")))
    labels.as_map()->push_back({std::move(key), Tree(std::move(value))});
  if (!labels.as_map()->empty()) job["metadata"]["labels"] = std::move(labels);
}

void default_job(Tree& object) {
  auto& spec = object["spec"];
  if (spec.find("completions") == nullptr && spec.find("parallelism") == nullptr) spec["completions"] = Tree(std::int64_t{1});
  set_default(spec, "parallelism", Tree(std::int64_t{1}));
  set_default(spec, "backoffLimit", Tree(std::int64_t{6}));
  set_default(spec, "completionMode", Tree("NonIndexed"));
  set_default(spec, "suspend", Tree(false));
  set_default(spec, "podReplacementPolicy", Tree("TerminatingOrFailed"));
  set_default(spec, "manualSelector", Tree(false));
  if (!spec.true_at("manualSelector")) select_own_pods(object);
  label_like_template(object);
}

void default_deployment(Tree& object) {
  auto& spec = object["spec"];
  set_default(spec, "progressDeadlineSeconds", Tree(std::int64_t{600}));
  set_default(spec, "revisionHistoryLimit", Tree(std::int64_t{10}));
  set_default(spec, "strategy.type", Tree("RollingUpdate"));
  if (spec.text_at("strategy.type") != "RollingUpdate") return;
  set_default(spec, "strategy.rollingUpdate.maxSurge", Tree("25%"));
  set_default(spec, "strategy.rollingUpdate.maxUnavailable", Tree("25%"));
}

void default_node(Tree& object) {
  const auto* capacity = object.at("status.capacity");
  if (capacity == nullptr) return;
  auto copy = *capacity;
  set_default(object, "status.allocatable", std::move(copy));
}

// Of the kinds that the API server has types for. Run on every write, so that what a change leaves out comes back.
void set_defaults(const Kind& kind, Tree& object) {
  if (kind.kind == "Pod") return default_pod(object);
  if (kind.kind == "Job") {
    default_job(object);
    return default_template(object, {});
  }
  if (kind.kind == "Node") return default_node(object);
  if (kind.subresources.scale) set_default(object, "spec.replicas", Tree(std::int64_t{1}));
  if (kind.kind == "Deployment") default_deployment(object);
  if (kind.group == "apps" || kind.kind == "ReplicationController") return default_template(object, "Always");
  if (kind.kind == "Service") return default_service(object);
  if (kind.kind == "Secret") {
    set_default(object, "type", Tree("Opaque"));
  } else if (kind.kind == "PersistentVolumeClaim") {
    set_default(object, "spec.volumeMode", Tree("Filesystem"));
  } else if (kind.kind == "PersistentVolume") {
    set_default(object, "spec.persistentVolumeReclaimPolicy", Tree("Retain"));
    set_default(object, "spec.volumeMode", Tree("Filesystem"));
  } else if (kind.kind == "StorageClass") {
    set_default(object, "reclaimPolicy", Tree("Delete"));
    set_default(object, "volumeBindingMode", Tree("Immediate"));
  } else if (kind.kind == "PriorityClass") {
    set_default(object, "preemptionPolicy", Tree("PreemptLowerPriority"));
  } else if (kind.kind == "Namespace") {
    object["metadata"]["labels"]["kubernetes.io/metadata.name"] = Tree(object.text_at("metadata.name"));
  } else if (kind.kind == "CronJob") {
    set_default(object, "spec.concurrencyPolicy", Tree("Allow"));
    set_default(object, "spec.suspend", Tree(false));
    set_default(object, "spec.successfulJobsHistoryLimit", Tree(std::int64_t{3}));
    set_default(object, "spec.failedJobsHistoryLimit", Tree(std::int64_t{1}));
  }
}

// A new object has no history, whatever its manifest says.
void reset_status(const Kind& kind, Tree& object) {
  if (!kind.subresources.status || kind.kind == "Node" || kind.kind == "VolumeAttachment") return;
  object.erase("status");
  if (kind.is_custom) return;
  auto& status = object["status"];
  status = Tree::map();
  if (kind.kind == "Namespace") status["phase"] = Tree("Active");
  if (kind.kind == "PersistentVolumeClaim" || kind.kind == "PersistentVolume") status["phase"] = Tree("Pending");
  if (kind.kind == "Pod") {
    status["phase"] = Tree("Pending");
    status["qosClass"] = Tree(quality_of(object));
  }
}

// A workload must select its own pods.
void check_selector(const Kind& kind, const Tree& object, std::vector<Cause>& wrong) {
  const auto* selector = object.at("spec.selector");
  if (kind.group != "apps" || selector == nullptr) return;
  const auto* labels = object.at("spec.template.metadata.labels");
  if (!label_selector_matches(selector, StringMap(texts_of(labels))))
    wrong.push_back(invalid_field("spec.template.metadata.labels", labels == nullptr ? "null" : labels->text(),
                                  "`selector` does not match template `labels`"));
}

// How many there shall be.
void check_counts(const Kind& kind, const Tree& object, std::vector<Cause>& wrong) {
  if (kind.group != "apps" && kind.group != "batch" && kind.kind != "ReplicationController") return;
  for (const std::string_view field : {"spec.replicas", "spec.parallelism", "spec.completions"})
    if (const auto count = object.integer_at(field); count && *count < 0)
      wrong.push_back(invalid_field(std::string(field), fmt::format("{}", *count), "must be greater than or equal to 0"));
}

Answered<void> check_new_workload(const Kind& kind, const Tree& object) {
  std::vector<Cause> wrong;
  if (kind.group == "apps" && object.at("spec.selector") == nullptr) wrong.push_back(required_field("spec.selector"));
  check_selector(kind, object, wrong);
  check_counts(kind, object, wrong);
  if (kind.kind == "Job") {
    const auto policy = object.text_at("spec.template.spec.restartPolicy");
    if (policy != "Never" && policy != "OnFailure")
      wrong.push_back(required_field("spec.template.spec.restartPolicy", "valid values: \"OnFailure\", \"Never\""));
  }
  if (const auto* pod_spec = object.at("spec.template.spec"); kind.group == "apps" || kind.kind == "Job")
    check_containers(pod_spec, "spec.template.spec", wrong);
  if (kind.kind == "PriorityClass" && !object.integer_at("value")) wrong.push_back(required_field("value"));
  if (!wrong.empty()) return refuse(invalid(kind.subject(object.text_at("metadata.name")), std::move(wrong)));
  return {};
}

Answered<void> check_immutable(const Kind& kind, const Tree& before, const Tree& after) {
  std::vector<Cause> wrong;
  const auto same = [&](std::string_view path) {
    const auto* old = before.at(path);
    const auto* now = after.at(path);
    return old == nullptr || old->is_null() || (now != nullptr && *old == *now);
  };
  check_selector(kind, after, wrong);
  check_counts(kind, after, wrong);
  if (kind.group == "apps" && !same("spec.selector"))
    wrong.push_back(invalid_field("spec.selector", after.at("spec.selector") ? after.at("spec.selector")->text() : "null",
                                  "field is immutable"));
  if (kind.group == "batch" && kind.kind == "Job" && !same("spec.completions") &&
      before.text_at("spec.completionMode") != "Indexed")
    wrong.push_back(invalid_field("spec.completions", after.at("spec.completions") ? after.at("spec.completions")->text() : "null",
                                  "field is immutable"));
  if (kind.kind == "PriorityClass" && !same("value")) wrong.push_back(forbidden_field("value", "may not be changed in an update."));
  if (!wrong.empty()) return refuse(invalid(kind.subject(after.text_at("metadata.name")), std::move(wrong)));
  return {};
}

bool has_only_name_characters(std::string_view name, bool with_dots) {
  const auto is_end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto allowed = [&](char c) { return is_end(c) || c == '-' || (with_dots && c == '.'); };
  return !name.empty() && is_end(name.front()) && is_end(name.back()) && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace

Answered<void> admit_new(const Kind& kind, Tree& object, const Store& store) {
  reset_status(kind, object);
  if (kind.is_custom) return admit_new_custom(kind, object);
  set_defaults(kind, object);
  if (kind.kind == "Pod") return admit_new_pod(object, store);
  return check_new_workload(kind, object);
}

Answered<void> admit_change(const Kind& kind, const Tree& before, Tree& after) {
  if (kind.is_custom) return admit_custom_change(kind, before, after);
  set_defaults(kind, after);
  if (kind.kind == "Pod") return check_pod_change(before, after);
  return check_immutable(kind, before, after);
}

bool has_generations(const Kind& kind) {
  return kind.is_custom || kind.group == "apps" || kind.group == "batch" || kind.group == "policy" || kind.kind == "Pod" ||
         kind.kind == "ReplicationController" || kind.kind == "PriorityClass";
}

bool is_object_name(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  return name.size() <= kLongest && has_only_name_characters(name, true) && name.find("..") == std::string_view::npos;
}

bool is_label_name(std::string_view name) {
  constexpr std::size_t kLongest = 63;
  return name.size() <= kLongest && has_only_name_characters(name, false);
}

}  // namespace muster::sim
