#pragma once

#include <algorithm>
#include <vector>

#include "model/taint.h"

namespace muster {

// Taints that keep pods away, as opposed to those that only make a node less welcome.
inline bool repels(const Taint& taint) {
  return taint.effect == TaintEffect::kNoSchedule || taint.effect == TaintEffect::kNoExecute;
}

// Whether one of the tolerations accepts the taint, as the schedulers that we stand in for see it: they leave the comparison
// operators switched off, and a toleration with one then accepts nothing.
inline bool accepts(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& toleration) {
    const bool compares = toleration.op == TolerationOp::kLt || toleration.op == TolerationOp::kGt;
    return !compares && toleration.tolerates(taint);
  });
}

// Whether some taint that keeps pods away is not accepted.
inline bool repelled(const std::vector<Toleration>& tolerations, const std::vector<Taint>& taints) {
  return std::any_of(taints.begin(), taints.end(),
                     [&](const Taint& taint) { return repels(taint) && !accepts(tolerations, taint); });
}

}  // namespace muster
