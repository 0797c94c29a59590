#include "app/between_cycles.h"

namespace muster {

Result<Between> parse_between(std::string_view text) {
  if (text.empty() || text == "none") return Between::kNothing;
  if (text == "bound-pods-run") return Between::kBoundPodsRun;
  if (text == "bound-pods-run-evicted-linger") return Between::kBoundPodsRunEvictedLinger;
  return fail("unknown value of \"between\": \"" + std::string(text) +
              "\" (known: none, bound-pods-run, bound-pods-run-evicted-linger)");
}

void BetweenCycles::play(volcano::Cluster& cluster, const Outbox& decisions) {
  if (mode_ == Between::kNothing) return;
  for (const auto pod : std::exchange(lingering_, {})) cluster.remove_pod(pod);
  for (const auto& decision : decisions) {
    if (decision.kind == Decision::Kind::kBind) {
      if (cluster.books().pod(decision.pod).state == PodState::kBinding) cluster.pod_runs(decision.pod);
    } else if (mode_ == Between::kBoundPodsRun) {
      cluster.remove_pod(decision.pod);
    } else {
      cluster.pod_terminates(decision.pod);
      lingering_.push_back(decision.pod);
    }
  }
}

}  // namespace muster
