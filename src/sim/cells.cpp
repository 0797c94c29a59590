#include "sim/cells.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/age.h"
#include "sim/conditions.h"
#include "sim/fields.h"
#include "sim/selectors.h"

namespace muster::sim {
namespace {

constexpr std::string_view kNone = "<none>";

const Tree::List& items_at(const Tree& object, std::string_view path) {
  static const Tree::List kEmpty;
  const auto* found = object.at(path);
  return found == nullptr || !found->is_list() ? kEmpty : *found->as_list();
}

std::int64_t count_at(const Tree& object, std::string_view path) { return bounded_at(object, path).value_or(0); }

Tree or_none(std::string text) { return text.empty() ? Tree(kNone) : Tree(std::move(text)); }

// What a container that is not simply running says of itself.
std::string container_reason(const Tree& status) {
  if (const auto reason = status.text_at("state.waiting.reason"); !reason.empty()) return std::string(reason);
  const auto* ended = status.at("state.terminated");
  if (ended == nullptr) return {};
  if (const auto reason = ended->text_at("reason"); !reason.empty()) return std::string(reason);
  if (const auto signal = ended->integer_at("signal"); signal && *signal != 0) return fmt::format("Signal:{}", *signal);
  return fmt::format("ExitCode:{}", count_at(*ended, "exitCode"));
}

// With commas: the texts themselves, or what stands in a field of each.
std::string with_commas(const Tree::List& items, std::string_view field = {}) {
  std::string out;
  for (const auto& item : items)
    out.append(out.empty() ? "" : ",").append(field.empty() ? item.scalar_text() : item.text_at(field));
  return out;
}

std::string node_address(const Tree& node, std::string_view type) {
  for (const auto& address : items_at(node, "status.addresses"))
    if (address.text_at("type") == type) return std::string(address.text_at("address"));
  return std::string(kNone);
}

const Tree::List& containers_made_by(const Tree& workload) {
  const auto* of_jobs = workload.at("spec.jobTemplate");
  return items_at(of_jobs == nullptr ? workload : *of_jobs, "spec.template.spec.containers");
}

std::string subjects_of(const Tree& binding, std::string_view kind) {
  std::string out;
  for (const auto& subject : items_at(binding, "subjects")) {
    if (subject.text_at("kind") != kind) continue;
    out += out.empty() ? "" : ", ";
    if (kind == "ServiceAccount") out += fmt::format("{}/", subject.text_at("namespace"));
    out += subject.text_at("name");
  }
  return out;
}

std::string access_modes(const Tree::List& modes) {
  std::string out;
  for (const auto& mode : modes) {
    const auto text = mode.scalar_text();
    const std::string_view brief = text == "ReadWriteOnce"   ? "RWO"
                                   : text == "ReadOnlyMany"  ? "ROX"
                                   : text == "ReadWriteMany" ? "RWX"
                                                             : "RWOP";
    out.append(out.empty() ? "" : ",").append(brief);
  }
  return out;
}

}  // namespace

Tree age_cell(const Tree& object, Timestamp now) { return Tree(age_text(object.text_at("metadata.creationTimestamp"), now)); }

Tree data_count_cell(const Tree& object, Timestamp) {
  std::int64_t count = 0;
  for (const std::string_view field : {"data", "binaryData"})
    if (const auto* data = object.find(field); data != nullptr && data->is_map())
      count += static_cast<std::int64_t>(data->as_map()->size());
  return Tree(count);
}

Tree pod_ready_cell(const Tree& pod, Timestamp) {
  const auto& statuses = items_at(pod, "status.containerStatuses");
  const auto ready = std::count_if(statuses.begin(), statuses.end(), [](const Tree& one) { return one.true_at("ready"); });
  return Tree(fmt::format("{}/{}", ready, items_at(pod, "spec.containers").size()));
}

Tree pod_status_cell(const Tree& pod, Timestamp) {
  std::string out(pod.text_at("status.phase"));
  if (const auto reason = pod.text_at("status.reason"); !reason.empty()) out = reason;
  if (const auto* gates = status_condition(pod, "PodScheduled"); gates != nullptr && gates->text_at("reason") == "SchedulingGated")
    out = "SchedulingGated";
  for (const auto& status : items_at(pod, "status.containerStatuses"))
    if (auto reason = container_reason(status); !reason.empty()) out = std::move(reason);
  if (pod.at("metadata.deletionTimestamp") != nullptr) {
    const auto phase = pod.text_at("status.phase");
    if (pod.text_at("status.reason") == "NodeLost")
      out = "Unknown";
    else if (phase != "Succeeded" && phase != "Failed")
      out = "Terminating";
  }
  return Tree(std::move(out));
}

Tree pod_restarts_cell(const Tree& pod, Timestamp) {
  std::int64_t out = 0;
  for (const auto& status : items_at(pod, "status.containerStatuses")) out += count_at(status, "restartCount");
  return Tree(std::to_string(out));
}

Tree pod_gates_cell(const Tree& pod, Timestamp) {
  const auto& gates = items_at(pod, "spec.readinessGates");
  if (gates.empty()) return Tree(kNone);
  const auto passed = std::count_if(gates.begin(), gates.end(),
                                    [&](const Tree& gate) { return has_true_condition(pod, gate.text_at("conditionType")); });
  return Tree(fmt::format("{}/{}", passed, gates.size()));
}

Tree node_status_cell(const Tree& node, Timestamp) {
  const auto* ready = status_condition(node, "Ready");
  std::string out = ready == nullptr ? "Unknown" : ready->text_at("status") == "True" ? "Ready" : "NotReady";
  if (node.true_at("spec.unschedulable")) out += ",SchedulingDisabled";
  return Tree(std::move(out));
}

Tree node_roles_cell(const Tree& node, Timestamp) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const auto& [key, value] : texts_of(node.at("metadata.labels"))) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) roles.push_back(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role" && !value.empty()) roles.push_back(value);
  }
  std::sort(roles.begin(), roles.end());
  return or_none(fmt::format("{}", fmt::join(roles, ",")));
}

Tree node_internal_address_cell(const Tree& node, Timestamp) { return Tree(node_address(node, "InternalIP")); }
Tree node_external_address_cell(const Tree& node, Timestamp) { return Tree(node_address(node, "ExternalIP")); }

Tree node_kernel_cell(const Tree& node, Timestamp) {
  std::string out(node.text_at("status.nodeInfo.kernelVersion"));
  if (out.empty()) out = "<unknown>";
  if (const auto machine = node.text_at("status.nodeInfo.architecture"); !machine.empty()) out += fmt::format(" ({})", machine);
  return Tree(std::move(out));
}

Tree service_external_address_cell(const Tree& service, Timestamp) {
  const auto type = service.text_at("spec.type");
  if (type == "ExternalName") return Tree(service.text_at("spec.externalName"));
  auto own = with_commas(items_at(service, "spec.externalIPs"));
  if (type == "LoadBalancer" && own.empty()) return Tree("<pending>");
  return or_none(std::move(own));
}

Tree service_ports_cell(const Tree& service, Timestamp) {
  std::string out;
  for (const auto& port : items_at(service, "spec.ports")) {
    const auto protocol = port.text_at("protocol");
    out += fmt::format("{}{}/{}", out.empty() ? "" : ",", count_at(port, "port"), protocol.empty() ? "TCP" : protocol);
  }
  return or_none(std::move(out));
}

Tree containers_cell(const Tree& workload, Timestamp) { return Tree(with_commas(containers_made_by(workload), "name")); }
Tree images_cell(const Tree& workload, Timestamp) { return Tree(with_commas(containers_made_by(workload), "image")); }

Tree selector_cell(const Tree& workload, Timestamp) {
  const auto* of_jobs = workload.at("spec.jobTemplate");
  return or_none(label_selector_text(of_jobs == nullptr ? workload.at("spec.selector") : of_jobs->at("spec.selector")));
}

Tree plain_selector_cell(const Tree& object, Timestamp) { return or_none(labels_text(object.at("spec.selector"))); }

Tree template_node_selector_cell(const Tree& workload, Timestamp) {
  return or_none(labels_text(workload.at("spec.template.spec.nodeSelector")));
}

Tree replicas_ready_cell(const Tree& workload, Timestamp) {
  return Tree(fmt::format("{}/{}", count_at(workload, "status.readyReplicas"), count_at(workload, "spec.replicas")));
}

Tree job_status_cell(const Tree& job, Timestamp) {
  for (const std::string_view type : {"Complete", "Failed"})
    if (has_true_condition(job, type)) return Tree(type);
  if (job.at("metadata.deletionTimestamp") != nullptr) return Tree("Terminating");
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
    if (has_true_condition(job, type)) return Tree(type);
  return Tree("Running");
}

Tree job_completions_cell(const Tree& job, Timestamp) {
  const auto done = count_at(job, "status.succeeded");
  if (const auto wanted = job.integer_at("spec.completions")) return Tree(fmt::format("{}/{}", done, *wanted));
  const auto parallel = count_at(job, "spec.parallelism");
  return Tree(parallel > 1 ? fmt::format("{}/1 of {}", done, parallel) : fmt::format("{}/1", done));
}

Tree job_duration_cell(const Tree& job, Timestamp now) {
  const auto begin = Timestamp::parse_rfc3339(job.text_at("status.startTime"));
  if (!begin) return Tree("");
  const auto end = Timestamp::parse_rfc3339(job.text_at("status.completionTime"));
  return Tree(duration_text((end ? end->seconds : now.seconds) - begin->seconds));
}

Tree cron_job_active_cell(const Tree& job, Timestamp) {
  return Tree(static_cast<std::int64_t>(items_at(job, "status.active").size()));
}

Tree cron_job_last_cell(const Tree& job, Timestamp now) {
  const auto time = job.text_at("status.lastScheduleTime");
  return time.empty() ? Tree(kNone) : Tree(age_text(time, now));
}

Tree event_last_seen_cell(const Tree& event, Timestamp now) {
  for (const std::string_view field : {"series.lastObservedTime", "lastTimestamp", "eventTime", "firstTimestamp"})
    if (const auto time = event.text_at(field); !time.empty()) return Tree(age_text(time, now));
  return Tree("<unknown>");
}

Tree event_first_seen_cell(const Tree& event, Timestamp now) {
  for (const std::string_view field : {"firstTimestamp", "eventTime"})
    if (const auto time = event.text_at(field); !time.empty()) return Tree(age_text(time, now));
  return Tree("<unknown>");
}

Tree event_object_cell(const Tree& event, Timestamp) {
  std::string kind(event.text_at("involvedObject.kind"));
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto name = event.text_at("involvedObject.name");
  return Tree(name.empty() ? kind : fmt::format("{}/{}", kind, name));
}

Tree event_source_cell(const Tree& event, Timestamp) {
  auto component = event.text_at("source.component");
  auto host = event.text_at("source.host");
  if (component.empty()) component = event.text_at("reportingComponent");
  if (host.empty()) host = event.text_at("reportingInstance");
  return Tree(host.empty() ? std::string(component) : fmt::format("{}, {}", component, host));
}

// One that was seen once need not say so.
Tree event_count_cell(const Tree& event, Timestamp) {
  const auto count = count_at(event, event.at("series") == nullptr ? "count" : "series.count");
  return Tree(std::max(count, std::int64_t{1}));
}

Tree bound_role_cell(const Tree& binding, Timestamp) {
  return Tree(fmt::format("{}/{}", binding.text_at("roleRef.kind"), binding.text_at("roleRef.name")));
}

Tree bound_users_cell(const Tree& binding, Timestamp) { return Tree(subjects_of(binding, "User")); }
Tree bound_groups_cell(const Tree& binding, Timestamp) { return Tree(subjects_of(binding, "Group")); }
Tree bound_accounts_cell(const Tree& binding, Timestamp) { return Tree(subjects_of(binding, "ServiceAccount")); }

Tree drivers_count_cell(const Tree& node, Timestamp) {
  return Tree(static_cast<std::int64_t>(items_at(node, "spec.drivers").size()));
}

Tree volume_phase_cell(const Tree& volume, Timestamp) {
  return Tree(volume.at("metadata.deletionTimestamp") != nullptr ? "Terminating" : volume.text_at("status.phase"));
}

Tree access_modes_cell(const Tree& volume, Timestamp) { return Tree(access_modes(items_at(volume, "spec.accessModes"))); }

Tree claim_modes_cell(const Tree& claim, Timestamp) {
  return Tree(claim.text_at("spec.volumeName").empty() ? "" : access_modes(items_at(claim, "status.accessModes")));
}

Tree claim_capacity_cell(const Tree& claim, Timestamp) {
  const auto* amount = claim.at("status.capacity.storage");
  return Tree(claim.text_at("spec.volumeName").empty() ? "" : amount == nullptr ? "0" : amount->scalar_text());
}

Tree volume_claim_cell(const Tree& volume, Timestamp) {
  const auto* claim = volume.at("spec.claimRef");
  return claim == nullptr ? Tree("") : Tree(fmt::format("{}/{}", claim->text_at("namespace"), claim->text_at("name")));
}

Tree claim_state_cell(const Tree& claim, Timestamp) {
  const bool is_deleting = claim.at("metadata.deletionTimestamp") != nullptr;
  if (claim.at("status.allocation") == nullptr) return Tree(is_deleting ? "deleted" : "pending");
  std::string out = is_deleting ? "deleted,allocated" : "allocated";
  if (!items_at(claim, "status.reservedFor").empty()) out += ",reserved";
  return Tree(std::move(out));
}

}  // namespace muster::sim
