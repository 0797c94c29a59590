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
    {Quirk::kLostDevicePromises, "lost-device-promises",
     "never takes back the devices that were chosen for a pod which was placed in a cycle but not bound",
     "the claim counts as being allocated for ever, so the pod is refused in every later cycle and its devices stay unused",
     "takes them back at the end of the cycle"},
};

}  // namespace

std::span<const Difference> differences() { return kDifferences; }

}  // namespace muster::volcano
