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
    {Quirk::kVgpuKeepsDiscarded, "vgpu-keeps-discarded",
     "does not give back virtual GPUs when it takes a placement back that it has not bound yet",
     "cards look full for the rest of the cycle, and pods that would fit are left waiting", "gives them back at once"},
    {Quirk::kMigSlotTwice, "mig-slot-twice", "does not mark a MIG instance as taken until the pod that got it is bound",
     "two pods placed on a card in one cycle are given the same instance", "marks it at once"},
    {Quirk::kSpreadScoresNothing, "spread-scores-nothing",
     "scores every node 0 when virtual GPUs are to be spread, because it counts the pod before it asks whether the card is idle",
     "spreading chooses among the cards of a node but never the node with idle cards", "scores 100 for each idle card"},
    {Quirk::kForgetsAssumedDevices, "forgets-assumed-devices",
     "counts a bound pod's devices only when its object has come back with the annotations",
     "until then the next cycle gives the same devices to others", "counts them from the moment of the bind"},
    {Quirk::kRegainsDevicesTwice, "regains-devices-twice", "hands a pod further devices when it takes the pod's eviction back",
     "the cards look fuller than they are for the rest of the cycle", "gives the pod back what it had"},
    {Quirk::kNpuCountsOneContainer, "npu-counts-one-container",
     "reads only the first container's cards from a pod's annotation of HAMi NPUs",
     "cards of the other containers are given out a second time", "counts the cards of all containers"},
    {Quirk::kNpuPolicyUnscored, "npu-policy-unscored",
     "hands out HAMi NPUs by deviceshare.SchedulePolicy only on nodes that it has scored in this cycle, and otherwise without one",
     "which card a pod gets depends on how many nodes were in question", "follows the policy always"},
    {Quirk::kNpuAnywhere, "npu-anywhere", "lets a pod that asks only for memory of a HAMi NPU go to nodes without any",
     "the pod starts there and finds no device", "refuses such nodes"},
    {Quirk::kNumaHoldsPlanned, "numa-holds-planned",
     "keeps CPUs for pods that it planned for a node but did not bind, for as long as the node's Numatopology does not list them",
     "CPUs stay reserved for pods that went elsewhere or nowhere", "keeps CPUs only for pods that it bound"},
};

}  // namespace

std::span<const Difference> differences() { return kDifferences; }

}  // namespace muster::volcano
