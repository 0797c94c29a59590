#include "policy/volcano/behaviour.h"

namespace muster::volcano {
namespace {

constexpr Difference kDifferences[] = {
    {Quirk::kEventEveryCycle, "event-every-cycle", "writes the PodGroup's Unschedulable event in every cycle, for ever",
     "thousands of equal events drown the one that matters and load the API server", "one event per change of reason"},
    {Quirk::kGoStructInEvent, "raw-quota-event", "prints quantities of a refused quota as the internals of a Go struct",
     "nobody can read map[memory:{{8589934592 0} {<nil>}  BinarySI}]", "prints them as people write them: memory: 8Gi"},
    {Quirk::kUncheckedBestEffort, "unchecked-best-effort",
     "counts pending pods that ask for nothing as ready without asking whether any node would take them",
     "a gang is bound whose other pods can go nowhere, and holds its nodes for nothing",
     "counts only those that some node would take"},
    {Quirk::kForgottenVictim, "forgotten-victim",
     "after an eviction is only tried and taken back, its filters and scores no longer see the pod for the rest of the cycle",
     "pods are placed beside one that they must not meet, or on a port that is taken", "sees it where it still runs"},
};

}  // namespace

std::span<const Difference> differences() { return kDifferences; }

}  // namespace muster::volcano
