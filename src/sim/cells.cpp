#include "sim/cells.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/age.h"
#include "sim/conditions.h"
#include "sim/fields.h"

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

Tree node_address_cell(const Tree& node, Timestamp) {
  for (const auto& address : items_at(node, "status.addresses"))
    if (address.text_at("type") == "InternalIP") return Tree(address.text_at("address"));
  return Tree(kNone);
}

Tree service_ports_cell(const Tree& service, Timestamp) {
  std::string out;
  for (const auto& port : items_at(service, "spec.ports")) {
    const auto protocol = port.text_at("protocol");
    out += fmt::format("{}{}/{}", out.empty() ? "" : ",", count_at(port, "port"), protocol.empty() ? "TCP" : protocol);
  }
  return or_none(std::move(out));
}

Tree replicas_ready_cell(const Tree& workload, Timestamp) {
  return Tree(fmt::format("{}/{}", count_at(workload, "status.readyReplicas"), count_at(workload, "spec.replicas")));
}

Tree job_status_cell(const Tree& job, Timestamp) {
  if (job.at("metadata.deletionTimestamp") != nullptr) return Tree("Terminating");
  for (const std::string_view type : {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"})
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
  return Tree(fmt::format("{}/{}", kind, event.text_at("involvedObject.name")));
}

Tree event_source_cell(const Tree& event, Timestamp) {
  auto component = event.text_at("source.component");
  auto host = event.text_at("source.host");
  if (component.empty()) component = event.text_at("reportingComponent");
  if (host.empty()) host = event.text_at("reportingInstance");
  return Tree(host.empty() ? std::string(component) : fmt::format("{}, {}", component, host));
}

Tree access_modes_cell(const Tree& volume, Timestamp) {
  std::string out;
  for (const auto& mode : items_at(volume, "spec.accessModes")) {
    const auto text = mode.scalar_text();
    const std::string_view brief = text == "ReadWriteOnce"   ? "RWO"
                                   : text == "ReadOnlyMany"  ? "ROX"
                                   : text == "ReadWriteMany" ? "RWX"
                                                             : "RWOP";
    out.append(out.empty() ? "" : ",").append(brief);
  }
  return Tree(std::move(out));
}

Tree volume_claim_cell(const Tree& volume, Timestamp) {
  const auto* claim = volume.at("spec.claimRef");
  return claim == nullptr ? Tree("") : Tree(fmt::format("{}/{}", claim->text_at("namespace"), claim->text_at("name")));
}

Tree claim_state_cell(const Tree& claim, Timestamp) {
  std::string out = claim.at("status.allocation") == nullptr ? "pending" : "allocated";
  if (!items_at(claim, "status.reservedFor").empty()) out += ",reserved";
  if (claim.at("metadata.deletionTimestamp") != nullptr) out = "deleted," + out;
  return Tree(std::move(out));
}

}  // namespace muster::sim
