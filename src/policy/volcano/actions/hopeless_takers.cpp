#include "policy/volcano/actions/hopeless_takers.h"

#include <algorithm>

#include "policy/volcano/actions/eviction_nodes.h"

namespace muster::volcano {

HopelessTakers::HopelessTakers(Session& session, Point point) : session_(session) {
  const auto& behaviour = session.behaviour();
  const auto& plugins = session.chain(point);
  applies_ = session.looks_ahead() && session.undoes_cleanly() && !behaviour.keeps(Quirk::kForgottenVictim) &&
             !behaviour.keeps(Quirk::kOverlookedRoom) && !behaviour.keeps(Quirk::kUncheckedReclaim) &&
             std::all_of(plugins.begin(), plugins.end(), [](const Plugin* plugin) { return judges_alike(*plugin); });
}

// What a job holds or was promised already counts for its share, and its own pods may be told from others.
bool HopelessTakers::can_tell(const Job& job, PodId pod, const Statement& plan) const {
  if (!applies_ || !plan.empty() || session_.filter_dependence(pod) > Dependence::kNode) return false;
  const auto counts = session_.counts(job);
  return counts.holding() == 0 && counts.waiting() == 0;
}

HopelessTakers::Key HopelessTakers::key_of(const Job& job, PodId pod) {
  return {job.queue, session_.rules().class_of(pod), job.priority, session_.books().pod(pod).priority,
          session_.cluster().task(pod).preemptable};
}

bool HopelessTakers::contains(const Job& job, PodId pod, const Statement& plan) {
  return !known_.empty() && can_tell(job, pod, plan) && known_.contains(key_of(job, pod));
}

void HopelessTakers::add(const Job& job, PodId pod, const Statement& plan) {
  if (can_tell(job, pod, plan)) known_.insert(key_of(job, pod));
}

}  // namespace muster::volcano
