"""muster in the place of Volcano's scheduler, on a real control plane."""
import contextlib
import pathlib
import time
from typing import Iterator

from harness import audit, places
from harness.amounts import amount
from harness.api import Object
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.decisions import judge_decisions
from harness.dialects import SHORT_LEASE, VOLCANO
from harness.objects import a_budget, a_claim, a_node, a_pod, a_volcano_gang, creation
from harness.pod_history import PodHistory
from harness.rejected_bindings import allow_bindings, reject_bindings
from harness.scheduler import Scheduler
from harness.wait import wait_until

GROUPS = "/apis/scheduling.volcano.sh/v1beta1"
QUICK = Setup(controllers=False, audited=True)
BLOCKED = 429  # by a disruption budget


@contextlib.contextmanager
def _cluster(nodes: list[Object], setup: Setup = QUICK) -> Iterator[Cluster]:
    with running(setup) as cluster:
        judge_decisions(cluster)
        cluster.install_crds(places.DEPLOY / "crds" / "volcano")
        for namespace in ("volcano-system", "t"):
            cluster.namespace(namespace)
        cluster.add_nodes(nodes)
        yield cluster


def _scheduler(cluster: Cluster, *flags: str, name: str = "scheduler", config: pathlib.Path | None = None) -> Scheduler:
    return Scheduler(cluster, "volcano", config, "scheduler", name, *flags)


def _nodes(count: int, **amounts: str) -> list[Object]:
    return [a_node(f"n-{index}", **amounts) for index in range(count)]


def _bound(cluster: Cluster, prefix: str) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in cluster.pods("t")
            if pod["metadata"]["name"].startswith(prefix) and pod["spec"].get("nodeName")}


def _create(cluster: Cluster, items: list[Object]) -> None:
    cluster.create_all([creation(item) for item in items])


def _phase(cluster: Cluster, group: str) -> str:
    return cluster.admin.get(f"{GROUPS}/namespaces/t/podgroups/{group}").get("status", {}).get("phase", "")


def test_gangs_all_or_nothing() -> None:
    """a gang that fits is bound whole; one that does not stays whole, and says why"""
    with _cluster(_nodes(4, cpu="4")) as cluster, PodHistory(cluster.admin) as history:
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_volcano_gang("t", "fits", 8, {"cpu": "1"}))
        wait_until("the gang is bound", lambda: len(_bound(cluster, "fits-")) == 8)
        _create(cluster, a_volcano_gang("t", "large", 9, {"cpu": "1"}))  # now: either would fit alone
        wait_until("the other one is told why", lambda: _phase(cluster, "large") in ("Pending", "Inqueue"))
        time.sleep(3)
        assert not _bound(cluster, "large-")
        wait_until("it runs", lambda: _phase(cluster, "fits") == "Running")
        conditions = cluster.admin.get(f"{GROUPS}/namespaces/t/podgroups/large")["status"].get("conditions", [])
        assert any(one["type"] == "Unschedulable" for one in conditions), conditions
        pod = cluster.admin.get("/api/v1/namespaces/t/pods/large-0")
        assert any(one["type"] == "PodScheduled" and one["status"] == "False" for one in pod["status"].get("conditions", [])), pod["status"]
        reasons = {event["reason"] for event in cluster.admin.items("/apis/events.k8s.io/v1/namespaces/t/events")}
        assert {"Scheduled", "Unschedulable", "FailedScheduling"} <= reasons, reasons
        VOLCANO.hold(history, cluster, {"t/fits": 8, "t/large": 9})
        assert VOLCANO.holder(cluster)
        assert scheduler.stop() == 0
        assert not VOLCANO.holder(cluster), "the Lease is given back"


def _allocated(cluster: Cluster, queue: str) -> dict[str, float]:
    """What its status says that it has, without what it has nothing of."""
    given = cluster.admin.get(f"{GROUPS}/queues/{queue}").get("status", {}).get("allocated", {})
    return {name: float(amount(text)) for name, text in given.items() if amount(text)}


def test_queue_status() -> None:
    """a queue's status, and that of the one above it, say what its pods have, until they are gone"""
    with _cluster(_nodes(2, cpu="4", nvidia_com__gpu="2")) as cluster:
        _create(cluster, [{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}, "spec": {"weight": 1}}
                          for name in ("mine", "idle")])
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_volcano_gang("t", "mine", 3, {"cpu": "1500m", "memory": "1Gi", "nvidia.com/gpu": "1"}, queue="mine"))
        _create(cluster, a_volcano_gang("t", "other", 2, {"cpu": "500m"}) + a_volcano_gang("t", "large", 9, {"cpu": "1"}, queue="mine"))
        mine, other = {"cpu": 4.5, "memory": 3.0 * 2**30, "nvidia.com/gpu": 3.0, "pods": 3.0}, {"cpu": 1.0, "pods": 2.0}
        for queue, wanted in (("mine", mine), ("default", other), ("root", {**mine, "cpu": 5.5, "pods": 5.0})):
            wait_until(f"{queue} says {wanted}", lambda: _allocated(cluster, queue) == wanted)
        for index in range(3):
            cluster.admin.delete(f"/api/v1/namespaces/t/pods/mine-{index}")
        for queue, wanted in (("mine", {}), ("root", other)):
            wait_until(f"{queue} says {wanted}", lambda: _allocated(cluster, queue) == wanted)
        assert _allocated(cluster, "idle") == {}


def test_nominated_node() -> None:
    """a pod for which another one is evicted is told its node while that one takes its time to go; then it gets it"""
    with _cluster(_nodes(2, cpu="2")) as cluster, PodHistory(cluster.admin) as history:
        config = cluster.plane.folder / "scheduler.conf"
        config.write_text('actions: "enqueue, allocate, preempt"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n'
                          "  - name: conformance\n- plugins:\n  - name: predicates\n  - name: nodeorder\n")
        scheduler = _scheduler(cluster, config=config)
        scheduler.wait_for("all objects are known")
        low = a_volcano_gang("t", "low", 2, {"cpu": "2"})
        low[0]["spec"]["minMember"] = 1
        for pod in low[1:]:
            pod["metadata"].update(finalizers=["e2e.muster/stays"])
            pod["metadata"]["annotations"]["volcano.sh/preemptable"] = "true"
        _create(cluster, low)
        wait_until("it runs", lambda: [pod["status"].get("phase") for pod in cluster.pods("t")] == ["Running", "Running"])
        high = a_volcano_gang("t", "high", 1, {"cpu": "2"})
        high[0]["spec"]["priorityClassName"] = high[1]["spec"]["priorityClassName"] = "high"
        _create(cluster, [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}])
        _create(cluster, high)
        leaving = wait_until("one is evicted", lambda: [pod for pod in cluster.pods("t") if "deletionTimestamp" in pod["metadata"]], seconds=60)
        told = wait_until("it is told a node", lambda: cluster.admin.get("/api/v1/namespaces/t/pods/high-0")["status"].get("nominatedNodeName"))
        time.sleep(3)  # in which it must not think again
        leaving = [pod for pod in cluster.pods("t") if "deletionTimestamp" in pod["metadata"]]
        assert [pod["spec"]["nodeName"] for pod in leaving] == [told], leaving
        assert cluster.admin.get("/api/v1/namespaces/t/pods/high-0")["status"].get("nominatedNodeName") == told
        assert not _bound(cluster, "high-")
        gone = leaving[0]["metadata"]["name"]
        cluster.admin.merge(f"/api/v1/namespaces/t/pods/{gone}", {"metadata": {"finalizers": None}})
        wait_until("it gets the node", lambda: _bound(cluster, "high-") == {"high-0": told})
        VOLCANO.hold(history, cluster, {"t/high": 1}, allowed=(f"t/{gone}",))


def test_foreign_pods_count() -> None:
    """pods of other schedulers take their room and are left alone"""
    with _cluster(_nodes(1, cpu="4")) as cluster, PodHistory(cluster.admin) as history:
        foreign = a_pod("t", "foreign", {"cpu": "3"}, scheduler="somebody-else")
        foreign["spec"]["nodeName"] = "n-0"
        waiting = a_pod("t", "theirs", {"cpu": "1"}, scheduler="somebody-else")
        _create(cluster, [foreign, waiting])
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_volcano_gang("t", "two", 2, {"cpu": "1"}) + a_volcano_gang("t", "one", 1, {"cpu": "1"}))
        wait_until("what fits is bound", lambda: len(_bound(cluster, "one-")) == 1)
        time.sleep(2)
        assert not _bound(cluster, "two-") and not _bound(cluster, "theirs")
        VOLCANO.hold(history, cluster, {"t/one": 1, "t/two": 2})


def test_crds_come_later() -> None:
    """kinds that are not installed yet are waited for"""
    with running(QUICK) as cluster, PodHistory(cluster.admin) as history:
        judge_decisions(cluster)
        for namespace in ("volcano-system", "t"):
            cluster.namespace(namespace)
        cluster.add_nodes(_nodes(2, cpu="4"))
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        cluster.install_crds(places.DEPLOY / "crds" / "volcano")
        _create(cluster, a_volcano_gang("t", "late", 4, {"cpu": "1"}))  # the queue is made by the scheduler
        wait_until("the gang is bound", lambda: len(_bound(cluster, "late-")) == 4, seconds=60)
        VOLCANO.hold(history, cluster, {"t/late": 4})


def test_configuration_reload() -> None:
    """a good new configuration is taken up; a bad one is refused and the old one stays"""
    with _cluster(_nodes(1, cpu="4")) as cluster, PodHistory(cluster.admin) as history:
        config = cluster.plane.folder / "scheduler.conf"
        config.write_text('actions: "enqueue"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n')
        scheduler = _scheduler(cluster, config=config)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_volcano_gang("t", "g", 2, {"cpu": "1"}))
        time.sleep(2)
        assert not _bound(cluster, "g-")
        config.write_text('actions: "enqueue, alocate"\ntiers:\n- plugins:\n  - name: gang\n')
        scheduler.wait_for("the new configuration is no good, the old one stays")
        assert 'did you mean \\"allocate\\"' in scheduler.text()
        config.write_text('actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n')
        scheduler.wait_for("a new configuration is in force")
        wait_until("the gang is bound", lambda: len(_bound(cluster, "g-")) == 2)
        VOLCANO.hold(history, cluster, {"t/g": 2})


def test_leader_killed_within_a_gang() -> None:
    """two replicas; the leader dies in the middle of a gang of 200, and the other one completes it"""
    with _cluster(_nodes(50, cpu="8")) as cluster, PodHistory(cluster.admin) as history:
        flags = (*SHORT_LEASE, "--kube-api-qps=50", "--kube-api-burst=10")  # slow enough to be caught in the act
        first = _scheduler(cluster, *flags, name="first")
        first.wait_for('"leading"')
        second = _scheduler(cluster, *flags, name="second")
        second.wait_for("all objects are known")
        _create(cluster, a_volcano_gang("t", "gang", 200, {"cpu": "1"}))
        wait_until("some are bound", lambda: len(_bound(cluster, "gang-")) > 20, every=0.02)
        first.kill()
        killed = time.monotonic()
        assert len(_bound(cluster, "gang-")) < 200, "killed too late"
        second.wait_for('"leading"')
        leaderless = [(killed, time.monotonic())]
        wait_until("all are bound", lambda: len(_bound(cluster, "gang-")) == 200, seconds=60)
        VOLCANO.hold(history, cluster, {"t/gang": 200}, outages=leaderless)


def test_api_server_restart_under_load() -> None:
    """the API server goes away and comes back while gangs are being bound"""
    with _cluster(_nodes(40, cpu="16")) as cluster, PodHistory(cluster.admin) as history:
        scheduler = _scheduler(cluster, "--kube-api-qps=40", "--kube-api-burst=10")
        scheduler.wait_for("all objects are known")
        for number in range(10):
            _create(cluster, a_volcano_gang("t", f"g{number}", 30, {"cpu": "1"}))
        wait_until("some are bound", lambda: len(_bound(cluster, "g")) > 30, every=0.05)
        start = time.monotonic()
        cluster.kill_api_server()
        time.sleep(2)
        cluster.plane.start_api_server()
        outage = time.monotonic() - start
        wait_until("all are bound", lambda: len(_bound(cluster, "g")) == 300, seconds=90)
        VOLCANO.hold(history, cluster, {f"t/g{number}": 30 for number in range(10)}, outage)


def test_rejected_binds() -> None:
    """binds that admission rejects: the pods are told, others get the room, and later attempts succeed"""
    with _cluster(_nodes(1, cpu="4")) as cluster, PodHistory(cluster.admin) as history:
        reject_bindings(cluster, "bad-")
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_volcano_gang("t", "bad", 4, {"cpu": "1"}))
        wait_until("the pods are told", lambda: "failed to bind to node n-0" in _condition(cluster, "bad-0").get("message", ""))
        assert _condition(cluster, "bad-0")["reason"] == "SchedulerError"
        _create(cluster, a_volcano_gang("t", "good", 4, {"cpu": "1"}))
        wait_until("the other gang is bound", lambda: len(_bound(cluster, "good-")) == 4)
        assert not _bound(cluster, "bad-")
        assert scheduler.text().count("a bind failed") < 40, "held for longer and longer"
        allow_bindings(cluster)
        for index in range(4):
            cluster.admin.delete(f"/api/v1/namespaces/t/pods/good-{index}")
        wait_until("the gang is bound after all", lambda: len(_bound(cluster, "bad-")) == 4, seconds=90)
        VOLCANO.hold(history, cluster, {"t/bad": 4}, allowed=("t/bad-probe", *(f"t/good-{index}" for index in range(4))))


def _told(cluster: Cluster, reason: str) -> list[str]:
    """Of which objects events with this reason tell."""
    events = cluster.admin.items("/apis/events.k8s.io/v1/namespaces/t/events")
    return [event["regarding"]["name"] for event in events if event["reason"] == reason]


def test_blocked_evictions() -> None:
    """nobody is evicted past a disruption budget; when it allows one, the pod for which it is needed gets the room"""
    with _cluster(_nodes(1, cpu="4")) as cluster, PodHistory(cluster.admin) as history:
        config = cluster.plane.folder / "scheduler.conf"
        config.write_text('actions: "enqueue, allocate, preempt"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n'
                          "  - name: conformance\n- plugins:\n  - name: predicates\n  - name: nodeorder\n")
        scheduler = _scheduler(cluster, config=config)
        scheduler.wait_for("all objects are known")
        low = a_volcano_gang("t", "low", 2, {"cpu": "2"})
        low[0]["spec"]["minMember"] = 1
        for pod in low[1:]:
            pod["metadata"]["annotations"]["volcano.sh/preemptable"] = "true"
            pod["metadata"]["labels"]["app"] = "low"
        _create(cluster, [a_budget("t", "low"), *low])
        cluster.allow_disruptions("t", "low", 0)
        wait_until("the cluster is full", lambda: len(_bound(cluster, "low-")) == 2)
        wait_until("it runs", lambda: _phase(cluster, "low") == "Running")
        high = a_volcano_gang("t", "high", 1, {"cpu": "2"})
        high[0]["spec"]["priorityClassName"] = high[1]["spec"]["priorityClassName"] = "high"
        _create(cluster, [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}])
        _create(cluster, high)
        wait_until("an eviction is tried and refused", lambda: audit.answers(cluster, "pods/eviction") == {BLOCKED}, seconds=60)
        time.sleep(8)
        assert len(_bound(cluster, "low-")) == 2 and not _bound(cluster, "high-")
        assert audit.answers(cluster, "pods/eviction") == {BLOCKED}
        blocked = _told(cluster, "EvictionBlocked")
        assert blocked and len(set(blocked)) == len(blocked), blocked
        assert not _told(cluster, "Evict"), "of an eviction that has not happened"
        cluster.allow_disruptions("t", "low", 1)
        wait_until("it has the room", lambda: len(_bound(cluster, "high-")) == 1, seconds=60)
        assert len(_bound(cluster, "low-")) == 1
        wait_until("it is told", lambda: _told(cluster, "Evict"))
        evicted = ({"t/low-0", "t/low-1"} - {f"t/{name}" for name in _bound(cluster, "low-")})
        VOLCANO.hold(history, cluster, {"t/high": 1}, allowed=tuple(evicted))


def test_unbound_volume_claims() -> None:
    """a pod whose volume claim others have to bind waits and is told why; when the claim is bound, it is placed"""
    with _cluster(_nodes(1, cpu="4")) as cluster:
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        size = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
        gang, other = a_volcano_gang("t", "reader", 1, {"cpu": "1"}), a_pod("t", "other", {"cpu": "1"}, scheduler="another")
        for pod in (gang[1], other):
            pod["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        _create(cluster, [a_claim("t", "data"), other, *gang])
        wait_until("it is told", lambda: "had no pv name and storageClass name" in _condition(cluster, "reader-0").get("message", ""))
        _create(cluster, a_volcano_gang("t", "plain", 1, {"cpu": "1"}))
        wait_until("others go on", lambda: len(_bound(cluster, "plain-")) == 1)
        assert not _bound(cluster, "reader-")
        assert not _condition(cluster, "other"), "pods of other schedulers are told nothing"
        _bind_claim(cluster, "data", {**size, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/none"}})
        wait_until("it is placed", lambda: len(_bound(cluster, "reader-")) == 1)


def _bind_claim(cluster: Cluster, name: str, volume: Object) -> None:
    """As the volume controller would, which does not run here."""
    claims = "/api/v1/namespaces/t/persistentvolumeclaims"
    uid = cluster.admin.get(f"{claims}/{name}")["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "t", "name": name, "uid": uid}
    cluster.admin.create("/api/v1/persistentvolumes", {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"},
                                                       "spec": {**volume, "claimRef": owner}})
    cluster.admin.merge("/api/v1/persistentvolumes/disk/status", {"status": {"phase": "Bound"}})
    bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}}
    cluster.admin.merge(f"{claims}/{name}", {"metadata": bound, "spec": {"volumeName": "disk"}})
    cluster.admin.merge(f"{claims}/{name}/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}})


def _condition(cluster: Cluster, pod: str) -> Object:
    """Whether it is scheduled, as its status says."""
    conditions = cluster.admin.get(f"/api/v1/namespaces/t/pods/{pod}")["status"].get("conditions", [])
    return next((one for one in conditions if one["type"] == "PodScheduled"), {})
