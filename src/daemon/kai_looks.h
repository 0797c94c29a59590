#pragma once

#include <string>

#include "app/kai_explanation.h"
#include "daemon/sights.h"

namespace muster::daemon {

// What can be seen of a session of this dialect.
struct KaiLooks {
  using Explainer = muster::KaiExplainer;
  static std::string jobs(kai::Session& session);
  static std::string queues(kai::Session& session);
  static std::string nodes(const kai::Session& session);
};
using KaiSights = SightTaker<kai::Session, KaiLooks>;

}  // namespace muster::daemon
