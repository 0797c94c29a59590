"""What queues, priorities and topologies promise, kept on a real control plane in both dialects."""
import re
import time
from typing import Callable

from harness.api import Object
from harness.cluster import Cluster
from harness.dialects import KAI, KAI_REQUESTS, VOLCANO, Dialect, bound, create, scheduled
from harness.objects import a_node, a_pod
from harness.pod_history import PodHistory
from harness.wait import wait_until

SHARES = ("tiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: conformance\n"
          "- plugins:\n  - name: proportion\n  - name: predicates\n  - name: nodeorder\n")
PREEMPTING = ("tiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: conformance\n"
              "- plugins:\n  - name: predicates\n  - name: nodeorder\n")
TOPOLOGY = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: network-topology-aware\n'
RACK = "example.com/rack"


def _queues(dialect: Dialect, cpus: dict[str, int]) -> list[Object]:
    """Queues that deserve so many processors."""
    if dialect is VOLCANO:
        return [{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
                 "spec": {"weight": count, "reclaimable": True}} for name, count in cpus.items()]
    free = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    return [{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name},
             "spec": {"parentQueue": "department", "resources": {"cpu": {**free, "quota": 1000 * count}, "gpu": free, "memory": free}}}
            for name, count in cpus.items()]


def _singles(dialect: Dialect, name: str, count: int, queue: str) -> list[Object]:
    """So many jobs of one pod, which may be evicted."""
    items = [item for number in range(count) for item in dialect.gang("t", f"{name}{number}", 1, {"cpu": "1"}, queue=queue)]
    for item in items:
        if item["kind"] == "Pod":
            item["metadata"]["annotations"]["volcano.sh/preemptable"] = "true"
    return items


def _fairness(dialect: Dialect) -> None:
    nodes = [a_node(f"n-{index}", cpu="4") for index in range(4)]
    with dialect.cluster(nodes) as cluster, PodHistory(cluster.admin) as history:
        create(cluster, _queues(dialect, {"small": 4, "large": 12}))
        create(cluster, _singles(dialect, "s", 16, "small") + _singles(dialect, "l", 16, "large"))
        dialect.scheduler(cluster, config='actions: "enqueue, allocate"\n' + SHARES if dialect is VOLCANO else "")
        wait_until("the cluster is full", lambda: len(bound(cluster)) == 16)
        time.sleep(2)
        assert (len(bound(cluster, "s")), len(bound(cluster, "l"))) == (4, 12), bound(cluster)
        dialect.hold(history, cluster, {})


def _reclaim(dialect: Dialect) -> None:
    nodes = [a_node(f"n-{index}", cpu="4") for index in range(4)]
    with dialect.cluster(nodes) as cluster, PodHistory(cluster.admin) as history:
        create(cluster, _queues(dialect, {"first": 8, "second": 8}))
        scheduler = dialect.scheduler(cluster, config='actions: "enqueue, allocate, reclaim"\n' + SHARES if dialect is VOLCANO else "")
        scheduler.wait_for("all objects are known")
        create(cluster, _singles(dialect, "f", 16, "first"))
        wait_until("the first has everything", lambda: len(bound(cluster, "f")) == 16)
        wait_until("it runs", lambda: all(pod["status"].get("phase") == "Running" for pod in cluster.pods("t")))
        create(cluster, _singles(dialect, "s", 12, "second"))
        wait_until("the second has what it deserves", lambda: len(bound(cluster, "s")) == 8, seconds=60)
        time.sleep(3)
        assert (len(bound(cluster, "f")), len(bound(cluster, "s"))) == (8, 8), bound(cluster)
        dialect.hold(history, cluster, {}, allowed=tuple(f"t/f{number}-0" for number in range(16)))


def _preemption(dialect: Dialect) -> None:
    nodes = [a_node("n-0", cpu="4")]
    with dialect.cluster(nodes) as cluster, PodHistory(cluster.admin) as history:
        for name, value in (("train", 50), ("urgent", 90)):
            create(cluster, [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}])
        scheduler = dialect.scheduler(cluster, config='actions: "enqueue, allocate, preempt"\n' + PREEMPTING if dialect is VOLCANO else "")
        scheduler.wait_for("all objects are known")
        low, high = dialect.gang("t", "low", 4, {"cpu": "1"}), dialect.gang("t", "high", 2, {"cpu": "1"})
        low[0]["spec"]["minMember"] = 1
        for gang, name in ((low, "train"), (high, "urgent")):
            for item in gang:
                item["spec"]["priorityClassName"] = name
        for pod in low[1:]:
            pod["metadata"]["annotations"]["volcano.sh/preemptable"] = "true"
        create(cluster, low)
        wait_until("the cluster is full", lambda: len(bound(cluster, "low-")) == 4)
        wait_until("it runs", lambda: all(pod["status"].get("phase") == "Running" for pod in cluster.pods("t")))
        create(cluster, high)
        wait_until("it has the room", lambda: len(bound(cluster, "high-")) == 2, seconds=60)
        assert len(bound(cluster, "low-")) == 2, "no more than needed"
        dialect.hold(history, cluster, {"t/high": 2}, allowed=tuple(f"t/low-{index}" for index in range(4)))


def _topology(dialect: Dialect) -> None:
    nodes = [a_node(f"n-{index}", cpu="4", labels={RACK: "ab"[index // 2]}) for index in range(4)]
    with dialect.cluster(nodes) as cluster, PodHistory(cluster.admin) as history:
        create(cluster, _racks(dialect))
        for number, node in enumerate(("n-0", "n-2")):
            taken = a_pod("t", f"taken-{number}", {"cpu": "1"}, scheduler="somebody-else")
            taken["spec"]["nodeName"] = node
            create(cluster, [taken])
        scheduler = dialect.scheduler(cluster, config=TOPOLOGY if dialect is VOLCANO else "")
        scheduler.wait_for("all objects are known")
        gang = dialect.gang("t", "g", 2, {"cpu": "4"})
        gang[0]["spec"].update({"networkTopology": {"mode": "hard", "highestTierAllowed": 1}} if dialect is VOLCANO else
                               {"topologyConstraint": {"topology": "site", "requiredTopologyLevel": RACK}})
        create(cluster, gang)
        wait_until("it is told", lambda: scheduled(cluster, "g-0").get("status") == "False")
        assert not bound(cluster, "g-"), "n-1 and n-3 are in different racks"
        cluster.admin.delete("/api/v1/namespaces/t/pods/taken-1")
        wait_until("it is bound", lambda: len(bound(cluster, "g-")) == 2)
        assert set(bound(cluster, "g-").values()) == {"n-2", "n-3"}
        dialect.hold(history, cluster, {"t/g": 2}, allowed=("t/taken-1",))


def _racks(dialect: Dialect) -> list[Object]:
    if dialect.name == "kai":
        return [{"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "site"},
                 "spec": {"levels": [{"nodeLabel": RACK}, {"nodeLabel": "kubernetes.io/hostname"}]}}]
    return [{"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": f"rack-{rack}"},
             "spec": {"tier": 1, "members": [{"type": "Node", "selector": {"exactMatch": {"name": f"n-{index}"}}} for index in members]}}
            for rack, members in (("a", (0, 1)), ("b", (2, 3)))]


def _best_effort(dialect: Dialect) -> None:
    nodes = [a_node("n-0", cpu="4")]
    with dialect.cluster(nodes) as cluster, PodHistory(cluster.admin) as history:
        foreign = a_pod("t", "foreign", {"cpu": "4"}, scheduler="somebody-else")
        foreign["spec"]["nodeName"] = "n-0"
        create(cluster, [foreign, a_pod("t", "theirs", {}, scheduler="somebody-else")])
        scheduler = dialect.scheduler(cluster)
        scheduler.wait_for("all objects are known")
        create(cluster, dialect.gang("t", "free", 2, {}) + dialect.gang("t", "paid", 1, {"cpu": "1"}))
        wait_until("what asks for nothing is bound", lambda: len(bound(cluster, "free-")) == 2)
        wait_until("the other one is told", lambda: scheduled(cluster, "paid-0").get("status") == "False")
        time.sleep(1)
        assert not bound(cluster, "paid-") and not bound(cluster, "theirs")
        assert not scheduled(cluster, "theirs"), "pods of other schedulers are told nothing"
        dialect.hold(history, cluster, {"t/free": 2})


GROUPS = {"volcano": "podgroups.scheduling.volcano.sh", "kai": "podgroups.scheduling.run.ai"}  # Kubernetes has some of its own
NO_ROOM = {"volcano": "0/2 nodes are unavailable: 2 Insufficient cpu.",
           "kai": "no nodes with enough resources were found: 2 node(s) didn't have enough resources: CPU cores."}
FOUND = "PodSchedulingErrors: Resources were found for 1 pods while 2 are required for gang scheduling. Additional pods cannot be scheduled due to: "
TOLD = {  # the original's words: of a pod that is bound, of one that found room in vain, and of the gang
    "volcano": ("Successfully assigned t/fits-0 to NODE", "Pod t/POD can possibly be assigned to NODE, once minAvailable is satisfied",
                "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable; Pending: 1 Schedulable, 1 Unschedulable. "
                f"Origin reason is POD: {NO_ROOM['volcano']}"),
    "kai": ("Successfully assigned pod t/fits-0 to node NODE at node-pool default", f"{FOUND}{NO_ROOM['kai']}.", f"{FOUND}{NO_ROOM['kai']}."),
}


def _kubectl(dialect: Dialect) -> None:
    """Two nodes with two free cores each: fits takes one, then there is room for one pod of large, which has two. Which one is chance."""
    others = [a_pod("t", f"other-{index}", {"cpu": "2"}, scheduler="somebody-else") for index in range(2)]
    for index, pod in enumerate(others):
        pod["spec"]["nodeName"] = f"n-{index}"
    with dialect.cluster([a_node("n-0", cpu="4"), a_node("n-1", cpu="4")]) as cluster, PodHistory(cluster.admin) as history:
        create(cluster, others)
        scheduler = dialect.scheduler(cluster)
        scheduler.wait_for("all objects are known")
        create(cluster, dialect.gang("t", "fits", 1, {"cpu": "1"}))
        wait_until("it is bound", lambda: len(bound(cluster, "fits-")) == 1)
        create(cluster, dialect.gang("t", "large", 2, {"cpu": "1500m"}))
        placed, found, gang = TOLD[dialect.name]
        _wait_to_be_told(lambda: _described(cluster, "pod", "fits-0"), ("Scheduled", placed))
        _wait_to_be_told(lambda: _described(cluster, GROUPS[dialect.name], "large"), ("Unschedulable", gang))
        for text in (found, NO_ROOM[dialect.name]):
            _wait_to_be_told(lambda: _described(cluster, "pod", "large-0") | _described(cluster, "pod", "large-1"), (dialect.waits, text))
        conditions = "jsonpath={range .items[*].status.conditions[?(@.type=='PodScheduled')]}{.reason}{'\\t'}{.message}{'\\n'}{end}"

        def told() -> set[tuple[str, str]]:
            lines = cluster.kubectl("get", "pods", "-n", "t", "--field-selector=spec.nodeName=", "-o", conditions).stdout.splitlines()
            return {(reason, _without_names(message)) for reason, _, message in (line.partition("\t") for line in lines)}
        # Volcano says Schedulable of the members that would have room.
        wanted = {("Schedulable" if dialect is VOLCANO else "Unschedulable", found), ("Unschedulable", NO_ROOM[dialect.name])}
        wait_until(f"kubectl get says {wanted}", lambda: told() == wanted)
        dialect.hold(history, cluster, {"t/fits": 1, "t/large": 2})


def _wait_to_be_told(events: Callable[[], set[tuple[str, str]]], wanted: tuple[str, str]) -> None:
    try:
        wait_until("", lambda: wanted in events())
    except AssertionError:
        raise AssertionError(f"kubectl describe does not show {wanted}, but {events()}") from None


def _described(cluster: Cluster, kind: str, name: str) -> set[tuple[str, str]]:
    """Reason and text of the events, where nodes and pods that are chosen by chance have no names."""
    lines = cluster.kubectl("describe", kind, name, "-n", "t").stdout.partition("Events:")[2].splitlines()
    rows = [re.split(r"\s{2,}", line.strip(), maxsplit=4) for line in lines]
    return {(row[1], _without_names(row[4])) for row in rows if len(row) == 5}


def _without_names(text: str) -> str:
    return re.sub(r"\blarge-\d", "POD", re.sub(r"\bn-\d", "NODE", text))


def test_volcano_fairness() -> None:
    """queues of weights 1 and 3 share a cluster that is too small for them as 1 and 3"""
    _fairness(VOLCANO)


def test_kai_fairness() -> None:
    """queues with quotas of 4 and 12 processors share a cluster that is too small for them so"""
    _fairness(KAI)


def test_kai_requests_fairness() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _fairness(KAI_REQUESTS)


def test_volcano_reclaim() -> None:
    """a queue takes what it deserves back from another one, and no more"""
    _reclaim(VOLCANO)


def test_kai_reclaim() -> None:
    """a queue takes its quota back from another one, and no more"""
    _reclaim(KAI)


def test_kai_requests_reclaim() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _reclaim(KAI_REQUESTS)


def test_volcano_preemption() -> None:
    """a gang of higher priority gets the room of pods of a lower one, and no more than it needs"""
    _preemption(VOLCANO)


def test_kai_preemption() -> None:
    """a gang of higher priority gets the room of pods of a lower one, and no more than it needs"""
    _preemption(KAI)


def test_kai_requests_preemption() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _preemption(KAI_REQUESTS)


def test_volcano_topology() -> None:
    """a gang that must be in one rack waits until one has room, though two together would have it"""
    _topology(VOLCANO)


def test_kai_topology() -> None:
    """a gang that must be in one rack waits until one has room, though two together would have it"""
    _topology(KAI)


def test_kai_requests_topology() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _topology(KAI_REQUESTS)


def test_volcano_best_effort() -> None:
    """pods that ask for nothing are placed on a node that is full; those of other schedulers are left alone"""
    _best_effort(VOLCANO)


def test_kai_best_effort() -> None:
    """pods that ask for nothing are placed on a node that is full; those of other schedulers are left alone"""
    _best_effort(KAI)


def test_kai_requests_best_effort() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _best_effort(KAI_REQUESTS)


def test_volcano_kubectl() -> None:
    """what people see by kubectl: events, and why a pod waits"""
    _kubectl(VOLCANO)


def test_kai_kubectl() -> None:
    """what people see by kubectl: events, and why a pod waits"""
    _kubectl(KAI)


def test_kai_requests_kubectl() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _kubectl(KAI_REQUESTS)
