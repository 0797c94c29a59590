#pragma once

#include "app/explanation.h"
#include "app/kai_run.h"

namespace muster {

// As Explainer, in the KAI dialect.
class KaiExplainer {
 public:
  struct Shared;
  static std::shared_ptr<Shared> shared_by_all(const kai::Cluster& cluster, std::size_t most_ahead);

  static Result<KaiExplainer> find(const kai::Cluster& cluster, const std::string& name);
  static Result<KaiExplainer> find(const kai::Cluster& cluster, const std::string& name, std::shared_ptr<Shared> shared);

  void at_opening(kai::Session& session);
  void after_actions(kai::Session& session, const RefusedBinds& refused = nothing_refused());
  Explanation take(const std::vector<Eviction>& evictions);

 private:
  std::shared_ptr<Shared> shared_;
  Subject subject_;
  const QueueLine* line_ = nullptr;
  Explanation out_;
};

// The same as explain() in the KAI dialect. The rows of queues have quotas as what is deserved, and fair shares beside them.
Result<Explanation> explain_kai(KaiOfflineRun& run, const std::string& name, const Progress& progress);

}  // namespace muster
