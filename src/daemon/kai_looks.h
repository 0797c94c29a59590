#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/kai_explanation.h"
#include "daemon/sights.h"

namespace muster::daemon {

// What can be seen of a session of this dialect.
class KaiLooks {
 public:
  using Explainer = muster::KaiExplainer;
  static std::string queues(kai::Session& session);
  std::string nodes(const kai::Session& session) const;
  Result<std::string> node(const kai::Session& session, const std::string& name) const;
  static Result<std::string> job_order(kai::Session& session);

  // Of several topologies the first by name says where nodes stand.
  void set_topology(const KaiTopology& topology);
  void forget_topology(const std::string& name) { levels_.erase(name); }

 private:
  std::map<std::string, std::vector<std::string>> levels_;  // labels of nodes from the widest to the narrowest
};
using KaiSights = SightTaker<kai::Session, KaiLooks>;

}  // namespace muster::daemon
