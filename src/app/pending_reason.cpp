#include "app/pending_reason.h"

#include <array>
#include <cstddef>

namespace muster {
namespace {

using enum PendingReason;

constexpr std::array kReasons = {
    PendingReasonText{kNone, "none", "nothing is missing", ""},
    PendingReasonText{kNoPodGroup, "no-pod-group", "the pods name a PodGroup that does not exist",
                      "create the PodGroup, or correct the annotation scheduling.k8s.io/group-name of the pods"},
    PendingReasonText{kNoQueue, "no-queue", "the PodGroup names a queue that does not exist",
                      "create the queue, or name another one in spec.queue"},
    PendingReasonText{kNoClaim, "no-claim", "pods name a ResourceClaim that does not exist, and without them the job cannot start",
                      "create the ResourceClaim, or name another one in spec.resourceClaims of the pods"},
    PendingReasonText{kNotSupported, "not-supported", "the job uses a feature that muster does not have yet",
                      "leave the job to the original scheduler, or do without the feature"},
    PendingReasonText{kTooFewPods, "too-few-pods", "fewer pods exist than have to start together",
                      "create the missing pods, or lower spec.minMember"},
    PendingReasonText{kPodsLeaving, "pods-leaving", "too few pods are left because others are being deleted",
                      "wait until they have gone and their controller has created new ones"},
    PendingReasonText{kTooFewOfRole, "too-few-of-role", "fewer pods of one role exist than have to start together",
                      "create the missing pods, or lower that role's entry in spec.minTaskMember"},
    PendingReasonText{
        kQueueTree, "queue-tree",
        "the tree of queues is broken above the queue; without a queue root, and as in Volcano with --behaviour exact, "
        "wherever it is broken, nobody is placed",
        "give every queue a parent that exists, and move jobs to queues without children"},
    PendingReasonText{kInnerQueue, "inner-queue", "the PodGroup names a queue that has queues below it, and only leaves take jobs",
                      "name a leaf in spec.queue"},
    PendingReasonText{kTooFewSubGroups, "too-few-sub-groups", "fewer sub-groups of one policy exist than have to be complete",
                      "create the missing pods, check their labels, or lower minSubGroups of that policy"},
    PendingReasonText{kQueueClosed, "queue-closed", "the queue is closed and lets nothing in",
                      "open the queue, or use another one"},
    PendingReasonText{kMinimumTooLarge, "minimum-too-large", "the job's minimum asks for more than all nodes together have",
                      "lower spec.minMember or spec.minResources, or add nodes"},
    PendingReasonText{kQueueLimit, "queue-limit", "not let in: the job's minimum would take the queue past its limit",
                      "wait for jobs of this queue to end, raise the queue's capability, or ask for less in spec.minResources"},
    PendingReasonText{kClusterPromised, "cluster-promised",
                      "not let in: more is promised to waiting jobs already than the cluster has",
                      "wait for jobs to end, add nodes, or raise overcommit-factor if many waiting jobs do no harm"},
    PendingReasonText{kResourceQuota, "resource-quota", "not let in: the namespace's resource quota does not allow it",
                      "raise the ResourceQuota, or wait for pods of this namespace to end"},
    PendingReasonText{kNotLetIn, "not-let-in", "not let in yet, and no plugin said why",
                      "look at the plugins of this configuration that vote on letting jobs in"},
    PendingReasonText{kNoPods, "no-pods", "the PodGroup has no pods: they have ended and were deleted, or were not created yet",
                      "nothing where they have ended; otherwise look at the controller that should create them: the scheduler has "
                      "nothing to place"},
    PendingReasonText{kNoNodes, "no-nodes", "the cluster has no nodes", "add nodes, or check --node-selector"},
    PendingReasonText{kGated, "gated", "scheduling gates hold too many of the pods back",
                      "whoever set the gates in spec.schedulingGates has to remove them"},
    PendingReasonText{kBindRefused, "bind-refused",
                      "the bind of a pod came to nothing, and it is held back for a while, at most two minutes",
                      "see to what the answer in the reason names; the pod is tried again by itself"},
    PendingReasonText{kWaitsForRelease, "waits-for-release", "it has been given room that others are leaving",
                      "nothing: it starts when the pods that are being deleted have gone"},
    PendingReasonText{kTooLarge, "too-large", "a pod asks for more than any node has, even an empty one",
                      "ask for less per pod, or add a larger kind of node"},
    PendingReasonText{kExtenderFailed, "extender-failed", "the HTTP extender could not be asked, and nothing is placed without it",
                      "start the extender, correct extender.urlPrefix, or set extender.ignorable to do without its answers"},
    PendingReasonText{kBrokenTopology, "broken-topology", "HyperNodes contradict each other, and jobs with a network topology wait",
                      "give each HyperNode one parent at most, and no cycle of parents"},
    PendingReasonText{kDomainTooSmall, "domain-too-small",
                      "no HyperNode of a tier that its network topology allows is large enough for it, even an empty one",
                      "ask for less, allow a higher tier in highestTierAllowed, or use the mode soft"},
    PendingReasonText{kAllAtOnce, "all-at-once",
                      "as in Volcano, a job with a network topology needs room for all its waiting pods at once, not for its "
                      "minimum alone",
                      "wait for room for all of them, ask for fewer pods, or use --behaviour safe, which places the minimum"},
    PendingReasonText{kNoDomain, "no-domain", "no HyperNode of a tier that its network topology allows has room for it",
                      "wait for room, allow a higher tier in highestTierAllowed, or use the mode soft"},
    PendingReasonText{kNoNodeFits, "no-node-fits", "no node can take any of the pods now",
                      "the nodes by reason tell what is in the way: wait for room, or relax the pod's selectors and tolerations"},
    PendingReasonText{kGangIncomplete, "gang-incomplete", "some pods find a node, but not all that have to start together",
                      "wait for room for the rest, lower spec.minMember, or ask for less per pod"},
    PendingReasonText{kClusterFull, "cluster-full", "all nodes together have too little free",
                      "wait for jobs to end, add nodes, or ask for less"},
    PendingReasonText{kQueueShare, "queue-share", "the queue holds all that it deserves at present",
                      "wait for jobs of this queue to end, or raise the queue's weight or capability"},
    PendingReasonText{kQueueFull, "queue-full", "the queue, or one above it, holds all that it may",
                      "wait for jobs of that queue to end, or raise its capability"},
    PendingReasonText{kNotTried, "not-tried", "no action of this configuration tries to place it",
                      "check the actions of the configuration: pods that ask for nothing need backfill, all others allocate"},
};
static_assert(kReasons.size() == static_cast<std::size_t>(kNotTried) + 1);

}  // namespace

std::span<const PendingReasonText> pending_reasons() { return kReasons; }

const PendingReasonText& text_of(PendingReason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

}  // namespace muster
