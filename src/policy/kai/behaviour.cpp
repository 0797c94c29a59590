#include "policy/kai/behaviour.h"

#include <iterator>

namespace muster::kai {
namespace {

constexpr Difference kDifferences[] = {
    {Quirk::kNeedlessVictims, "needless-victims",
     "evicts everybody whom it collected on the way to enough room, also those without whom there is enough",
     "pods lose their work for nothing", "lets those stay who need not go"},
    {Quirk::kBrokenPromises, "broken-promises",
     "lets an action evict pods that an earlier action of the same cycle bound, moved or promised room",
     "pods are bound and deleted in one breath, pods that never ran are deleted, and what was evicted for them before was evicted "
     "for nothing",
     "who was bound, moved or promised room in a cycle, with the whole job, is no victim in it"},
    {Quirk::kGivenAwayRoom, "given-away-room", "forgets for whom it evicted pods, and whom it moved, when the cycle is over",
     "whoever comes first takes the room, also the pods that had to leave it, and others are evicted for the same job again and "
     "again",
     "in the next cycles the room goes first to those for whom it was made"},
    {Quirk::kForgottenPlans, "forgotten-plans",
     "neither carries out nor takes back a plan of evictions that turns out not to complete its job",
     "for the rest of the cycle pods count as gone that run, and others as placed that wait", "takes it back"},
    {Quirk::kHalfGangs, "half-gangs",
     "takes the pods of a gang that lie on the nodes at hand and may leave others running elsewhere, and makes room for one more "
     "pod "
     "of a gang that it has just evicted",
     "what is left of the gang cannot work and holds its nodes until it is found to be stale",
     "takes what a gang has beyond its minimum, or all of it; pods that leave do not make up a gang"},
    {Quirk::kCountedTwice, "counted-twice",
     "counts and evicts pods twice that were already found to leave for a part of the gang, when it looks for room node by node",
     "plans that are allowed are refused because too much seems to be taken, and others are found in their place that take more",
     "counts everybody once"},
    {Quirk::kIgnoredMinSubGroup, "ignored-min-sub-group",
     "looks at the minimum of every PodSet when it judges whether a gang is stale or a plan completes it, and ignores minSubGroup",
     "a gang that runs with as many subgroups as it asked for is evicted after its grace period, and no room is made for one that "
     "would run like that",
     "goes by minSubGroup"},
    {Quirk::kLostStaleStamps, "lost-stale-stamps",
     "forgets in every cycle since when a gang is stale, if some of its pods wait and too few of them exist",
     "what is left of the gang holds its nodes for ever", "remembers it, so that the grace period ends"},
    {Quirk::kMixedNamespaces, "mixed-namespaces", "knows a PodGroup by its name alone, whatever the namespace",
     "pods of one team join the gang of another, in its queue and with its priority",
     "a pod belongs to the PodGroup of its own namespace"},
    {Quirk::kUnknownHoldsNothing, "unknown-holds-nothing", "counts a pod in phase Unknown as if it held nothing on its node",
     "what it may still use is given to others", "counts what it holds until it is gone"},
    {Quirk::kTwoGpusInOne, "two-gpus-in-one",
     "gives a pod that asks by gpu-memory for exactly twice what a GPU has one GPU, as two portions of it",
     "the pod starts and lacks half of the memory that it asked for", "refuses more memory of one GPU than it has"},
    {Quirk::kSurplusByAge, "surplus-by-age",
     "takes what elastic jobs have beyond their minimum by age, wherever it runs, when it looks for room node by node",
     "to free one node pods leave others, so that more go than have to, or nobody may go and a queue does not get what it is owed",
     "tries first with those on the node alone"},
    {Quirk::kUnansweredWindows, "unanswered-windows",
     "asks Prometheus for tumbling and cron windows of past usage in a way that it cannot answer",
     "what queues used in the past counts for nothing, whatever the configuration says", "asks for the sum since the window began"},
    {Quirk::kMutualReclaim, "mutual-reclaim",
     "lets a job reclaim what the job that has to leave, or another of its queue, may reclaim in return, at once or after a "
     "preemption there",
     "jobs drive each other out for ever", "leaves it to the one who has it"},
    {Quirk::kSplitTopologies, "split-topologies",
     "looks only at the subgroups that it places when a topology requires a domain, not at others of the same job that run",
     "a job that has to run in one domain ends up in two", "places the rest where the job runs"},
    {Quirk::kOvertakenPlans, "overtaken-plans",
     "evicts or moves pods of others for a job while a more urgent one of its queue waits that preempts it as soon as it runs",
     "pods are evicted for a job that is evicted itself a cycle later, with the work that it began",
     "gives the room to the more urgent job at once, or, where that was just given something, waits for what it needs next"},
    {Quirk::kLoneNodes, "lone-nodes",
     "finds no room for a required level of a topology where the nodes in question lie deeper in one domain together, as a single "
     "node does",
     "a job waits for ever for a rack with one node, though it fits there", "looks at the domain of the required level"},
    {Quirk::kLostShares, "lost-shares",
     "does not take back all of a plan in which a pod moves from one shared GPU of its node to another: the pod is counted on its "
     "GPU twice afterwards",
     "for the rest of the cycle the node seems to have a GPU less than it has, and pods are sent elsewhere or wait",
     "takes it back whole"},
    {Quirk::kGuessedGpus, "guessed-gpus",
     "tells by sums over the node whether the GPU that pods share is one of its idle ones: by the label nvidia.com/gpu.count, and "
     "as if pods that wait for the node had their GPUs already",
     "where the label names more GPUs than there are, one is given out twice; and a plan that is taken back may leave the node "
     "with a GPU less for the rest of the cycle, or let a pod start on one that others have not left",
     "counts a GPU as taken as long as a pod has a part of it"},
};
static_assert(std::size(kDifferences) == static_cast<std::size_t>(Quirk::kCount));

}  // namespace

std::span<const Difference> differences() { return kDifferences; }

}  // namespace muster::kai
