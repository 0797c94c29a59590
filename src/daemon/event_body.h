#pragma once

#include <cstdint>
#include <string>

#include "daemon/effects.h"
#include "model/time.h"

namespace muster::daemon {

// An events.k8s.io/v1 Event. Its name is made from the time and a number, so that no two of one process are equal.
std::string event_body(const Event& event, const std::string& controller, const std::string& instance, const Timestamp& now,
                       std::uint64_t number);

}  // namespace muster::daemon
