#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "codec/json_writer.h"
#include "daemon/effects.h"
#include "model/time.h"

namespace muster::daemon {

// A change of a pod's status that can wait. Its uid keeps the change from another pod of the same name.
Patch pod_status_patch(const kube::Identity& pod, const std::function<void(JsonWriter&)>& write_fields);

// The conditions of a status: that the pod has no node.
void write_unscheduled(JsonWriter& json, std::string_view reason, std::string_view message, const Timestamp& now);

// Tells a pod at once why it has no node: the next attempt may be long in coming.
struct Unscheduled {
  std::string_view condition;  // reasons
  std::string_view event;
  std::string note;
};
void tell_unscheduled(const kube::Identity& pod, Unscheduled why, const Timestamp& now, Effects& effects);

}  // namespace muster::daemon
