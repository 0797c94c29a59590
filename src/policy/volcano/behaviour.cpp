#include "policy/volcano/behaviour.h"

#include <iterator>

namespace muster::volcano {
namespace {

constexpr Difference kDifferences[] = {
    {Quirk::kEventEveryCycle, "event-every-cycle",
     "writes the PodGroup's Unschedulable event in every cycle, for ever, also for a job that it has just placed",
     "thousands of equal events drown the one that matters and load the API server",
     "one event per change of reason, and none for a job that has its places"},
    {Quirk::kGoStructInEvent, "raw-quota-event", "prints quantities of a refused quota as the internals of a Go struct",
     "nobody can read map[memory:{{8589934592 0} {<nil>}  BinarySI}]", "prints them as people write them: memory: 8Gi"},
    {Quirk::kUncheckedBestEffort, "unchecked-best-effort",
     "counts pending pods that ask for nothing as ready without asking whether any node would take them",
     "a gang is bound whose other pods can go nowhere, and holds its nodes for nothing",
     "counts only those that some node would take"},
    {Quirk::kForgottenVictim, "forgotten-victim",
     "after an eviction is only tried and taken back, its filters and scores no longer see the pod for the rest of the cycle, and "
     "a "
     "filter that had nothing to check meanwhile is not asked again",
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
     "whom conformance, gang, cdp or pdb do not give up is never a victim; to reclaim, a job that needs one pod, whichever, is no "
     "gang"},
    {Quirk::kNeedlessVictims, "needless-victims",
     "evicts everybody whom it took on the way to enough room for a pod or a gang, also those without whom there is enough; "
     "gangpreempt and gangreclaim make room for all pods of a job, and take what others have beyond their minimum wherever it is",
     "pods lose their work for nothing, and a queue that may lose little is not asked for the one pod that is needed",
     "lets those stay who need not go: looks at the plan for a gang as a whole, makes room for what the job needs in order to run, "
     "and only where some of it goes"},
    {Quirk::kOverlookedRoom, "overlooked-room",
     "preempt and reclaim make room where they try first, and do not ask whether the pod fits on another node as it is; before "
     "allocate, they promise pods room that is free, and allocate then passes them over",
     "pods are evicted for one that had a place without it, and those that fit are never bound",
     "evicts nobody for a pod that fits without, and leaves jobs that need no eviction to an allocate that follows"},
    {Quirk::kUncheckedReclaim, "unchecked-reclaim",
     "reclaim asks neither the predicates nor the queue's limit again after it has made room, nor looks at topologies; preempt "
     "asks "
     "the predicates that look at other pods as if all of them were still there; gangpreempt and gangreclaim put up with refusals "
     "that evictions could cure, also where nobody leaves who is in the way",
     "pods are evicted for one that cannot run there",
     "makes room only where the pod can then run, and leaves jobs with a topology to gangreclaim"},
    {Quirk::kHalfGangs, "half-gangs",
     "gangpreempt and gangreclaim take those pods of a gang that lie in the domain at hand and leave the others running",
     "what is left of the gang cannot work and holds its nodes for nothing",
     "takes what a gang has beyond its minimum, or all of it where it lies in the domain as a whole"},
    {Quirk::kLostDevicePromises, "lost-device-promises",
     "never takes back the devices that were chosen for a pod which was placed in a cycle but not bound",
     "the claim counts as being allocated for ever, so the pod is refused in every later cycle and its devices stay unused",
     "takes them back at the end of the cycle"},
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
    {Quirk::kBrokenPromises, "broken-promises",
     "lets an action evict pods of a job that an earlier action of the same cycle placed or promised room",
     "what was evicted for that job before was evicted for nothing, and the job runs no better than it did",
     "who was placed or promised room in a cycle, with the whole job, is no victim for others in it"},
    {Quirk::kShuffleUnasked, "shuffle-unasked",
     "shuffle evicts whom a plugin names without asking those that protect pods, also out of gangs that then lack pods",
     "system pods, pods in their cool-down and pods with a disruption budget go, and what is left of a gang holds its nodes for "
     "nothing",
     "asks those that protect, and takes what a gang has beyond its minimum, or all of it if all of it is named"},
    {Quirk::kPdbNamesAll, "pdb-names-all", "pdb tells shuffle to evict every running pod that the budgets allow",
     "with the two of them everything that runs is evicted, cycle after cycle", "pdb protects pods and names none"},
    {Quirk::kUncountedRoles, "uncounted-roles",
     "preempt and reclaim look at how many pods a gang needs, not at how many of each role and sub-group; gangpreempt and "
     "gangreclaim take single pods of a sub-group",
     "a gang loses the one pod that it cannot do without, or half a sub-group runs on for nothing",
     "counts every minimum; a sub-group that can be done without goes as a whole"},
    {Quirk::kBudgetPerQuestion, "budget-per-question",
     "asks disruption budgets for every node and gang anew, as if the cycle had evicted nobody yet",
     "a cycle evicts many times what a budget allows", "counts all evictions of a cycle together"},
    {Quirk::kUnlabelledStay, "unlabelled-stay",
     "with pdb, never evicts pods without labels, and passes over budgets whose selector is empty",
     "pods that no budget speaks of cannot be evicted, and a budget for a whole namespace protects nobody",
     "goes by the selectors as the API server does: an empty one is for every pod of its namespace, a missing one for nobody"},
    {Quirk::kUncheckedDryRun, "unchecked-dry-run", "topology-aware preempt asks inter-pod affinity alone after it has made room",
     "pods are evicted for one that cannot run there", "asks all predicates"},
    {Quirk::kHalfPromises, "half-promises", "preempt makes room for a pod within its own job also when the job cannot run with it",
     "the room is kept for a gang that stays incomplete", "makes it only if the job can then run"},
    {Quirk::kFailedPlansEvict, "failed-plans-evict",
     "gangpreempt and gangreclaim carry out the evictions of a plan that failed along with those of the plan that worked",
     "pods are evicted for a place that nobody takes", "forgets a plan that failed as a whole"},
    {Quirk::kUnclaimedWait, "unclaimed-wait",
     "makes no room for a pod whose ResourceClaims have no devices yet, because it reserves them on the node that the pod was last "
     "bound to, which is none",
     "an urgent pod that lacks only cpu waits for ever, though its devices are free", "reserves them where the pod is to run"},
    {Quirk::kLocksStay, "locks-stay",
     "leaves a node locked for its devices when it takes back the placement for which it locked it",
     "for five minutes nobody gets devices of that node, though nobody took any", "takes the lock back, too"},
    {Quirk::kUnansweredIsIdle, "unanswered-is-idle",
     "counts a node about which the metrics source says nothing, or does not answer, as measured just now and idle",
     "pods are drawn to nodes whose load nobody knows, rescheduling evicts pods for the room that it believes to be there, and a "
     "source that is down looks like an idle cluster",
     "counts it as not measured, so that usage neither refuses nor prefers it and rescheduling leaves it out, and says so"},
    {Quirk::kRefusedAllTheSame, "refused-all-the-same",
     "backfill binds a pod also when a plugin that hands out something, devices or what an extension keeps, has refused it",
     "the pod starts without what it needs", "takes the placement back"},
    {Quirk::kOneResourceIsEnough, "one-resource-is-enough",
     "with capacity, lets a queue take from others as long as any one of the resources that it asks for stays within what the "
     "queue deserves",
     "a queue that holds all the GPUs that it deserves takes more of them because it is short of cpu; its victims' queue takes "
     "them back, cycle after cycle",
     "all that it asks for has to stay within what the queue deserves"},
    {Quirk::kGivenAwayRoom, "given-away-room",
     "forgets in the next cycle for whom it has evicted, and places jobs in the order of the queues",
     "the room goes to somebody else, often of the victim's own queue; the job waits on, and others are evicted for it again",
     "places jobs for which others had to go before all others, as long as there is room for them, and each where room was made "
     "for "
     "it before any of them goes elsewhere"},
    {Quirk::kMovesNowhere, "moves-nowhere",
     "rescheduling evicts pods of busy nodes without asking whether an idle node would take them",
     "pods that are bound to their node, or for which there is no room elsewhere, lose their work and come back to the same node",
     "evicts those alone that an idle node would take"},
    {Quirk::kAllOrNoneTopology, "all-or-none-topology",
     "looks for a domain that has room for all waiting pods of a job with a network topology, also of a soft one",
     "a job that could start with fewer pods never starts as long as there is no room for all of them",
     "places as many as the job needs where there is no room for all, and the others as room comes"},
    {Quirk::kLentBeforeOwed, "lent-before-owed",
     "allocate goes by the order of queues alone, also to jobs for which a queue has to take more than it deserves",
     "free room is lent to one queue, and in the same cycle pods that ran in it are evicted for another that deserves the room",
     "with reclaim or gangreclaim, jobs within what their queues deserve come first, and what is left is lent"},
    {Quirk::kOneFaultStopsAll, "one-fault-stops-all",
     "with capacity and enableHierarchy, lets nobody in and places nobody as long as a job is in a queue that has queues below it, "
     "or "
     "the parent of a queue does not exist",
     "one job or queue that somebody wrote wrongly stops the whole cluster, and nothing says so",
     "only jobs of such a queue, and of those below one without a parent, wait, and a warning is logged"},
};

static_assert(std::size(kDifferences) == static_cast<std::size_t>(Quirk::kCount), "a row for each quirk");

}  // namespace

std::span<const Difference> differences() { return kDifferences; }

}  // namespace muster::volcano
