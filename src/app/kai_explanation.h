#pragma once

#include "app/explanation.h"
#include "app/kai_run.h"

namespace muster {

// As Explainer, in the KAI dialect.
class KaiExplainer {
 public:
  static Result<KaiExplainer> find(const kai::Cluster& cluster, const std::string& name);

  void at_opening(kai::Session& session);
  void after_actions(kai::Session& session);
  Explanation take(const std::vector<Eviction>& evictions);

 private:
  Subject subject_;
  std::vector<GroupId> line_;
  Explanation out_;
};

// The same as explain() in the KAI dialect. The rows of queues have quotas as what is deserved, and fair shares beside them.
Result<Explanation> explain_kai(KaiOfflineRun& run, const std::string& name, const Progress& progress);

}  // namespace muster
