#pragma once

#include <optional>
#include <string>

#include "base/bitset.h"
#include "engine/fit.h"
#include "engine/ids.h"

namespace muster {

// What the answer of a filter or scorer about a pod and a node depends on, and so how long it may be remembered.
enum class Dependence : std::uint8_t {
  kNothing,     // this pod passes everywhere (a scorer: adds nothing anywhere)
  kNode,        // the pod's class and that one node: kept until the node changes
  kCandidates,  // scorers: the whole set of candidates, because it normalises over them
  kOthers,      // pods elsewhere or the state of the attempt: asked anew for every pod
  kHistory,     // who asked before: every node is asked, in order, and nothing may be left out
};

// A rule that says whether a pod may go to a node.
//
// prepare() is called before a pod is checked, in the state in which it will be checked; check() then answers for single nodes.
// A filter whose dependence on a pod is kNode must answer alike for all pods of one class and must need no preparation.
class NodeFilter {
 public:
  virtual ~NodeFilter() = default;

  virtual Dependence dependence(PodId pod) const = 0;

  enum class Preparation : std::uint8_t { kCheck, kSkip };  // kSkip: nothing to check for this pod
  struct Prepared {
    Preparation outcome = Preparation::kCheck;
    std::optional<FitStatus> refusal;  // set: the pod can go nowhere, whatever the node
  };
  virtual Prepared prepare(PodId) { return {}; }

  virtual FitStatus check(PodId pod, NodeId node) const = 0;

  // Removes from `nodes` those that check() refuses. Filters that know better than asking node by node override it.
  virtual void restrict(PodId pod, Bitset& nodes) const {
    const Bitset before = nodes;
    before.for_each([&](std::size_t n) {
      if (!check(pod, NodeId(n)).ok()) nodes.reset(n);
    });
  }
};

}  // namespace muster
