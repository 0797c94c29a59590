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
    {Quirk::kBareEvictEvent, "bare-evict-event", "writes only the action's name into the event of an eviction",
     "the owner of the evicted pod cannot learn for whom it had to go", "names the pod or gang that takes the place"},
    {Quirk::kShuffleTakesAll, "shuffle-takes-all", "shuffle evicts pods that are marked volcano.sh/preemptable: \"false\", too",
     "what must not be interrupted is, though nobody needs its place", "leaves them alone"},
    {Quirk::kVictimByName, "victim-by-name",
     "rescheduling knows the pods of an overloaded node by name alone, whatever the namespace",
     "a pod of the same name elsewhere is evicted, and the node keeps its load", "evicts pods of that node only"},
    {Quirk::kTwins, "twins",
     "after gangpreempt or gangreclaim has made room for a gang, allocate places the same pods once more, beside the places that "
     "they were promised",
     "a gang takes double the room for a cycle, others wait for nothing, and queues seem to hold what nobody has",
     "places each pod once; what was promised to it is left to it"},
    {Quirk::kBypassedProtection, "bypassed-protection",
     "lets the next tier of plugins decide alone when one that protects pods gives up nobody",
     "system pods, pods in their cool-down, pods with a disruption budget and the last pods of a gang are evicted by way of the "
     "tiers, and gangs that make room never ask cool-down and budgets",
     "whom conformance, gang, cdp or pdb do not give up is never a victim"},
    {Quirk::kNeedlessVictims, "needless-victims",
     "evicts everybody whom it took on the way to enough room, also those without whom there is enough",
     "pods lose their work for nothing", "lets those stay who need not go"},
    {Quirk::kUncheckedReclaim, "unchecked-reclaim",
     "reclaim asks neither the predicates nor the queue's limit again after it has made room",
     "pods are evicted for one that cannot run there", "makes room only where the pod can then run"},
    {Quirk::kHalfGangs, "half-gangs",
     "gangpreempt and gangreclaim take those pods of a gang that lie in the domain at hand and leave the others running",
     "what is left of the gang cannot work and holds its nodes for nothing",
     "takes what a gang has beyond its minimum, or all of it"},
    {Quirk::kLostDevicePromises, "lost-device-promises",
     "never takes back the devices that were chosen for a pod which was placed in a cycle but not bound",
     "the claim counts as being allocated for ever, so the pod is refused in every later cycle and its devices stay unused",
     "takes them back at the end of the cycle"},
};

}  // namespace

std::span<const Difference> differences() { return kDifferences; }

}  // namespace muster::volcano
