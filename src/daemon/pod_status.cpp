#include "daemon/pod_status.h"

namespace muster::daemon {

Patch pod_status_patch(const kube::Identity& pod, const std::function<void(JsonWriter&)>& write_fields) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("metadata").begin_object().member("uid", pod.uid).end_object().key("status").begin_object();
  write_fields(json);
  json.end_object().end_object();
  return {{.api_version = "v1", .plural = "pods", .ns = pod.ns, .name = pod.name, .subresource = "status"},
          kube::PatchType::kStrategic,
          std::move(body),
          true};
}

void write_unscheduled(JsonWriter& json, std::string_view reason, std::string_view message, const Timestamp& now) {
  json.key("conditions").begin_array().begin_object();
  json.member("type", "PodScheduled").member("status", "False").member("reason", reason);
  json.member("message", message).member("lastTransitionTime", now.rfc3339()).end_object().end_array();
}

void tell_unscheduled(const kube::Identity& pod, Unscheduled why, const Timestamp& now, Effects& effects) {
  auto patch = pod_status_patch(pod, [&](JsonWriter& json) { write_unscheduled(json, why.condition, why.note, now); });
  patch.can_wait = false;
  effects.patches.push_back(std::move(patch));
  effects.events.push_back(
      {.about = pod, .type = "Warning", .reason = std::string(why.event), .action = "Scheduling", .note = std::move(why.note)});
}

}  // namespace muster::daemon
