#pragma once

#include <string>

#include "app/explanation.h"
#include "daemon/sights.h"

namespace muster::daemon {

// What can be seen of a session of this dialect.
struct VolcanoLooks {
  using Explainer = muster::Explainer;
  static std::string queues(volcano::Session& session);
  static std::string nodes(const volcano::Session& session);
  static Result<std::string> node(const volcano::Session& session, const std::string& name);
  static Result<std::string> job_order(volcano::Session& session);
};
using VolcanoSights = SightTaker<volcano::Session, VolcanoLooks>;

}  // namespace muster::daemon
