#include "app/kai_reason.h"

#include <array>
#include <cstddef>

namespace muster {
namespace {

using enum KaiReason;

constexpr std::array kReasons = {
    KaiReasonText{kNone, "none", "nothing is missing", ""},
    KaiReasonText{kNoPodGroup, "no-pod-group", "the pods name a PodGroup that does not exist",
                  "create the PodGroup, or correct the annotation pod-group-name of the pods"},
    KaiReasonText{kOtherShard, "other-shard", "its node-pool label says that it belongs to another shard",
                  "ask the scheduler of that shard: --partition-label-value"},
    KaiReasonText{kBackoff, "backoff", "it found no room once and backs off, as its spec.schedulingBackoff asks",
                  "move it to another node pool, or set spec.schedulingBackoff to -1"},
    KaiReasonText{kNoQueue, "no-queue", "the PodGroup names a queue that does not exist, or whose parent does not",
                  "create the queue, or name another one in spec.queue"},
    KaiReasonText{kInnerQueue, "inner-queue", "the PodGroup names a queue that has queues below it, and only leaves take jobs",
                  "name a leaf in spec.queue"},
    KaiReasonText{kNoPods, "no-pods", "the PodGroup has no pods: they have ended and were deleted, or were not created yet",
                  "nothing where they have ended; otherwise look at the controller that should create them: the scheduler has "
                  "nothing to place"},
    KaiReasonText{kEvicted, "evicted", "its pods were evicted in this cycle",
                  "nothing: when its pods have been created anew, it waits for room like others"},
    KaiReasonText{kNoSubGroup, "no-sub-group", "pods name a sub-group that the PodGroup does not have, and are left out",
                  "correct the label kai.scheduler/subgroup-name of the pods, or spec.subGroups, of which none counts where a name "
                  "stands twice, a parent is unknown, or they form a ring"},
    KaiReasonText{kNeedsBinder, "needs-binder",
                  "pods ask for a share of a GPU, which only KAI's binder can reserve, and with --bind=direct there is none",
                  "ask for whole GPUs, or start the scheduler with --bind=request beside KAI's binder"},
    KaiReasonText{kGated, "gated", "scheduling gates hold too many of the pods back",
                  "whoever set the gates in spec.schedulingGates has to remove them"},
    KaiReasonText{kBindRefused, "bind-refused",
                  "the bind of a pod came to nothing, and it is held back for a while, at most two minutes",
                  "see to what the answer in the reason names; the pod is tried again by itself"},
    KaiReasonText{kTooFewPods, "too-few-pods", "fewer pods exist than have to start together",
                  "create the missing pods, or lower minMember"},
    KaiReasonText{kStale, "stale", "it runs with fewer pods than have to run together",
                  "create the missing pods before it is evicted, or lower minMember"},
    KaiReasonText{kWaitsForRelease, "waits-for-release", "it has been given room that others are leaving",
                  "nothing: it starts when the pods that are being deleted have gone"},
    KaiReasonText{kQueueLimit, "queue-limit", "it would take its queue, or one above, past a limit",
                  "wait for jobs of that queue to end, or raise its spec.resources limit; -1 is no limit, 0 is nothing"},
    KaiReasonText{kQueueQuota, "queue-quota",
                  "it cannot be preempted, and jobs that cannot may not take their queue, or one above, past its quota",
                  "wait for such jobs to end, raise the quota in spec.resources, or make the job preemptible"},
    KaiReasonText{kNoTopology, "no-topology", "its topology constraint names a topology or a level that does not exist",
                  "create the Topology, or correct spec.topologyConstraint"},
    KaiReasonText{kNoLabels, "no-labels", "no node has the labels of all levels of its topology, so that has no domains",
                  "label the nodes, or correct the levels of the Topology"},
    KaiReasonText{kNoNodes, "no-nodes", "the shard has no nodes",
                  "add nodes, or check --partition-label-value and --restrict-node-scheduling"},
    KaiReasonText{kTooLarge, "too-large", "a pod asks for more than any node has, even an empty one",
                  "ask for less per pod, or add a larger kind of node"},
    KaiReasonText{kImpossible, "impossible", "something that a pod needs is missing, whatever the node",
                  "create what is missing; the reason names it"},
    KaiReasonText{kSmallDomains, "small-domains",
                  "no domain of the level that its topology constraint requires could hold it, even an empty one",
                  "require a wider level, prefer the level instead of requiring it, lower minMember, or ask for less per pod"},
    KaiReasonText{kNoDomain, "no-domain", "no domain of the level that its topology constraint requires has room for it",
                  "wait for room, require a wider level, or prefer the level instead of requiring it"},
    KaiReasonText{kNoNodeFits, "no-node-fits", "no node can take any of the pods now",
                  "the nodes by reason tell what is in the way: wait for room, or relax the pod's selectors and tolerations"},
    KaiReasonText{kGangIncomplete, "gang-incomplete", "some pods find a node, but not all that have to start together",
                  "wait for room for the rest, lower minMember, or ask for less per pod"},
    KaiReasonText{kPreemptionDelay, "preemption-delay", "no room is free, and it may not make others leave yet",
                  "wait until its spec.preemptionDelay has passed, or shorten it"},
    KaiReasonText{
        kNotTried, "not-tried", "no action of this configuration has tried to place it",
        "check the actions of the configuration, and queueDepthPerAction: jobs far behind in their queue are not looked at"},
};
static_assert(kReasons.size() == static_cast<std::size_t>(kNotTried) + 1);

}  // namespace

std::span<const KaiReasonText> kai_reasons() { return kReasons; }

const KaiReasonText& text_of(KaiReason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

}  // namespace muster
