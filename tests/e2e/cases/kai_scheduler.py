"""muster in the place of KAI's scheduler, on a real control plane."""
import contextlib
import json
import pathlib
import subprocess
import time
import urllib.error
import urllib.request
from typing import Iterator

from harness import audit, control_plane, kills, places
from harness.api import Object
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.decisions import judge_decisions
from harness.dialects import CALM_LEASE, KAI, KAI_REQUESTS, SHORT_LEASE, SHORTEST_LEASE, requested
from harness.kai_binder import REQUESTS, RESERVATIONS, KaiBinder
from harness.objects import a_budget, a_claim, a_kai_gang, a_node, a_pod, creation, kai_queues
from harness.pod_history import PodHistory
from harness.scheduler import MUSTER, Scheduler
from harness.wait import wait_until

GROUPS = "/apis/scheduling.run.ai/v2alpha2"
QUICK = Setup(controllers=False, audited=True)
QUIET = "--listen-address=127.0.0.1:0"
BLOCKED = 429  # by a disruption budget


@contextlib.contextmanager
def _cluster(nodes: list[Object], setup: Setup = QUICK) -> Iterator[Cluster]:
    with running(setup) as cluster:
        judge_decisions(cluster)
        cluster.install_crds(places.DEPLOY / "crds" / "kai")
        for namespace in ("kai-scheduler", RESERVATIONS, "t"):
            cluster.namespace(namespace)
        cluster.add_nodes(nodes)
        _create(cluster, kai_queues())
        yield cluster


def _scheduler(cluster: Cluster, *flags: str, name: str = "scheduler") -> Scheduler:
    return Scheduler(cluster, "kai", None, "scheduler", name, QUIET, *flags)


def _nodes(count: int, **amounts: str) -> list[Object]:
    return [a_node(f"n-{index}", **amounts) for index in range(count)]


def _create(cluster: Cluster, items: list[Object]) -> None:
    cluster.create_all([creation(item) for item in items])


def _bound(cluster: Cluster, prefix: str) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in cluster.pods("t")
            if pod["metadata"]["name"].startswith(prefix) and pod["spec"].get("nodeName")}


def _group(cluster: Cluster, name: str) -> Object:
    return cluster.admin.get(f"{GROUPS}/namespaces/t/podgroups/{name}")


def _scheduled(cluster: Cluster, pod: str) -> Object:
    """Whether it is scheduled, as its status says."""
    conditions = cluster.admin.get(f"/api/v1/namespaces/t/pods/{pod}")["status"].get("conditions", [])
    return next((one for one in conditions if one["type"] == "PodScheduled"), {})


def _reasons(cluster: Cluster) -> set[tuple[str, str]]:
    return {(event["regarding"]["kind"], event["reason"]) for event in cluster.admin.items("/apis/events.k8s.io/v1/namespaces/t/events")}


def test_gangs_all_or_nothing() -> None:
    """a gang that fits is bound whole by way of BindRequests; one that does not stays whole, and says why"""
    with _cluster(_nodes(4, cpu="4")) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin) as binder:
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_kai_gang("t", "fits", 8, {"cpu": "1"}) + a_kai_gang("t", "large", 17, {"cpu": "1"}))
        wait_until("the gang is bound", lambda: len(_bound(cluster, "fits-")) == 8)
        wait_until("its requests say so", lambda: binder.bound == 8)
        wait_until("the pods of the other one are told", lambda: _scheduled(cluster, "large-0").get("reason") == "Unschedulable")
        time.sleep(2)
        condition = _group(cluster, "large")["status"]["schedulingConditions"][-1]
        assert condition["type"] == "UnschedulableOnNodePool" and condition["nodePool"] == "default", condition
        assert [one["reason"] for one in condition["reasons"]] == ["PodSchedulingErrors"], condition
        time.sleep(2)
        assert _group(cluster, "large")["status"]["schedulingConditions"][-1] == condition, "said once"
        assert not _bound(cluster, "large-")
        assert "kai.scheduler/last-start-timestamp" in _group(cluster, "fits")["metadata"]["annotations"]
        wait_until("events", lambda: {("Pod", "Scheduled"), ("Pod", "Unschedulable"), ("PodGroup", "Unschedulable")} <= _reasons(cluster))
        KAI_REQUESTS.hold(history, cluster, {"t/fits": 8, "t/large": 17})
        assert KAI_REQUESTS.holder(cluster)
        assert scheduler.stop() == 0
        assert not KAI_REQUESTS.holder(cluster), "the Lease is given back"


def test_shared_gpus() -> None:
    """pods with half a GPU each share GPUs, by the groups of their BindRequests"""
    with _cluster(_nodes(1, cpu="8", nvidia_com__gpu="2")) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin):
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_kai_gang("t", "half", 4, {"cpu": "1"}, annotations={"gpu-fraction": "0.5"}))
        wait_until("all are bound", lambda: len(_bound(cluster, "half-")) == 4)
        groups = [pod["metadata"]["labels"]["runai-gpu-group"] for pod in cluster.pods("t")]
        assert sorted(groups.count(group) for group in set(groups)) == [2, 2], groups
        assert len(cluster.pods(RESERVATIONS)) == 2
        _create(cluster, a_kai_gang("t", "more", 1, {"cpu": "1"}, annotations={"gpu-fraction": "0.1"}))
        wait_until("no GPU has room for more", lambda: _scheduled(cluster, "more-0").get("reason") == "Unschedulable")
        KAI_REQUESTS.hold(history, cluster, {"t/half": 4})


def test_direct() -> None:
    """without KAI's binder muster binds itself; pods with a share of a GPU are told that it cannot, others' are not, and a claim that is not bound is waited for"""
    with _cluster(_nodes(2, cpu="4", nvidia_com__gpu="2")) as cluster, PodHistory(cluster.admin) as history:
        scheduler = _scheduler(cluster, "--bind=direct")
        scheduler.wait_for("all objects are known")
        _create(cluster, a_kai_gang("t", "whole", 4, {"cpu": "1", "nvidia.com/gpu": "1"}))
        _create(cluster, a_kai_gang("t", "half", 1, {"cpu": "1"}, annotations={"gpu-fraction": "0.5"}))
        reader, other = a_kai_gang("t", "reader", 1, {"cpu": "1"}), a_pod("t", "other", {"cpu": "1"}, scheduler="another")
        for pod in (reader[1], other):
            pod["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        _create(cluster, [a_claim("t", "data"), other, *reader])
        wait_until("the gang is bound", lambda: len(_bound(cluster, "whole-")) == 4)
        wait_until("the other one is told", lambda: "a share of a GPU" in _scheduled(cluster, "half-0").get("message", ""))
        wait_until("who waits for a claim, too", lambda: "unbound immediate" in _scheduled(cluster, "reader-0").get("message", ""))
        assert not _scheduled(cluster, "other"), "pods of other schedulers are told nothing"
        assert not cluster.admin.items(f"{REQUESTS}/bindrequests")
        pod = cluster.admin.get("/api/v1/namespaces/t/pods/whole-0")
        assert pod["metadata"]["annotations"]["received-resource-type"] == "Regular"
        KAI.hold(history, cluster, {"t/whole": 4, "t/half": 1})


def test_failing_binder() -> None:
    """binds that the binder cannot carry out: the requests go, others get the room, and later attempts succeed"""
    with _cluster(_nodes(1, cpu="4")) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin, failing="bad-") as binder:
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_kai_gang("t", "bad", 4, {"cpu": "1"}))
        wait_until("it was tried", lambda: binder.failed >= 4)
        _create(cluster, a_kai_gang("t", "good", 4, {"cpu": "1"}))
        wait_until("the other gang is bound", lambda: len(_bound(cluster, "good-")) == 4)
        wait_until("the requests are gone", lambda: not [name for name in requested(cluster) if name.startswith("bad-")])
        assert scheduler.text().count("a bind failed") < 40, "held for longer and longer"
        binder.failing = "\0"
        for index in range(4):
            cluster.admin.delete(f"/api/v1/namespaces/t/pods/good-{index}")
        wait_until("the gang is bound after all", lambda: len(_bound(cluster, "bad-")) == 4, seconds=90)
        KAI_REQUESTS.hold(history, cluster, {"t/bad": 4}, allowed=tuple(f"t/good-{index}" for index in range(4)))


def test_pods_of_the_same_name() -> None:
    """the BindRequest of a pod that is gone does not bind a new one of its name, and is replaced"""
    with _cluster(_nodes(1, cpu="2")) as cluster, KaiBinder(cluster.admin) as binder:
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        gang = a_kai_gang("t", "again", 1, {"cpu": "1"})
        _create(cluster, gang)
        wait_until("it is bound", lambda: len(_bound(cluster, "again-")) == 1)
        cluster.admin.delete("/api/v1/namespaces/t/pods/again-0")  # no garbage collector runs here: its request stays
        wait_until("it is gone", lambda: not cluster.pods("t"))
        _create(cluster, gang[1:])
        wait_until("the new one is bound", lambda: len(_bound(cluster, "again-")) == 1)
        wait_until("by a request of its own", lambda: binder.bound == 2)


def test_preemption() -> None:
    """a job of higher priority gets the room of a lower one of its queue, whose pods and group are told"""
    with _cluster(_nodes(1, cpu="4")) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin):
        scheduler = _scheduler(cluster, "--update-pod-eviction-condition")
        scheduler.wait_for("all objects are known")
        for name, value in (("train", 50), ("urgent", 90)):
            _create(cluster, [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}])
        low, high = a_kai_gang("t", "low", 4, {"cpu": "1"}), a_kai_gang("t", "high", 2, {"cpu": "1"})
        low[0]["spec"]["priorityClassName"], high[0]["spec"]["priorityClassName"] = "train", "urgent"
        _create(cluster, low)
        wait_until("the cluster is full", lambda: len(_bound(cluster, "low-")) == 4)
        wait_until("it runs", lambda: all(pod["status"].get("phase") == "Running" for pod in cluster.pods("t")))
        _create(cluster, high)
        wait_until("it has the room", lambda: len(_bound(cluster, "high-")) == 2, seconds=60)
        wait_until("it is told", lambda: ("PodGroup", "Evict") in _reasons(cluster))
        evicted = next(event for event in cluster.admin.items("/apis/events.k8s.io/v1/namespaces/t/events") if event["reason"] == "Evict")
        assert evicted["metadata"]["annotations"]["evictor-pod-group-name"] == "high", evicted
        announced = [sight for sight in history.sights() for one in sight.pod["status"].get("conditions", [])
                     if one["type"] == "DisruptionTarget" and one["reason"] == "PreemptionByScheduler"]
        assert announced
        KAI_REQUESTS.hold(history, cluster, {"t/high": 2}, allowed=tuple(f"t/low-{index}" for index in range(4)))


def _told(cluster: Cluster, reason: str) -> list[str]:
    """Of which objects events with this reason tell."""
    events = cluster.admin.items("/apis/events.k8s.io/v1/namespaces/t/events")
    return [event["regarding"]["name"] for event in events if event["reason"] == reason]


def test_blocked_evictions() -> None:
    """nobody is evicted past a disruption budget; when it allows one, the pod for which it is needed gets the room"""
    with _cluster(_nodes(1, cpu="4")) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin):
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        for name, value in (("train", 50), ("urgent", 90)):
            _create(cluster, [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}])
        low, high = a_kai_gang("t", "low", 2, {"cpu": "2"}), a_kai_gang("t", "high", 1, {"cpu": "2"})
        low[0]["spec"].update(minMember=1, priorityClassName="train")
        high[0]["spec"]["priorityClassName"] = "urgent"
        for pod in low[1:]:
            pod["metadata"]["labels"]["app"] = "low"
        _create(cluster, [a_budget("t", "low"), *low])
        cluster.allow_disruptions("t", "low", 0)
        wait_until("the cluster is full", lambda: len(_bound(cluster, "low-")) == 2)
        wait_until("it runs", lambda: all(pod["status"].get("phase") == "Running" for pod in cluster.pods("t")))
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
        KAI_REQUESTS.hold(history, cluster, {"t/high": 1}, allowed=tuple({"t/low-0", "t/low-1"} - {f"t/{name}" for name in _bound(cluster, "low-")}))


def test_node_deleted_under_a_request() -> None:
    """a request for a node that goes before anybody carries it out is replaced by one for another node"""
    with _cluster(_nodes(2, cpu="2")) as cluster:
        scheduler = _scheduler(cluster)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_kai_gang("t", "g", 1, {"cpu": "1"}))
        gone = wait_until("a request is made", lambda: requested(cluster).get("g-0"))
        cluster.admin.delete(f"/api/v1/nodes/{gone}")
        left = {"n-0": "n-1", "n-1": "n-0"}[gone]
        wait_until("it is replaced", lambda: requested(cluster).get("g-0") == left)
        with KaiBinder(cluster.admin):
            wait_until("it is carried out", lambda: _bound(cluster, "g-") == {"g-0": left})


def test_configuration_reload() -> None:
    """a good new configuration is taken up; a bad one is refused and the old one stays"""
    with _cluster(_nodes(1, cpu="4")) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin):
        config = cluster.plane.folder / "scheduler.conf"
        config.write_text("actions: stalegangeviction\ntiers:\n- plugins:\n  - name: predicates\n")
        scheduler = Scheduler(cluster, "kai", config, "scheduler", "scheduler", QUIET)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_kai_gang("t", "g", 2, {"cpu": "1"}))
        time.sleep(2)
        assert not _bound(cluster, "g-")
        config.write_text("actions: alocate\ntiers:\n- plugins:\n  - name: predicates\n")
        scheduler.wait_for("the new configuration is no good, the old one stays")
        config.write_text("actions: allocate\ntiers:\n- plugins:\n  - name: predicates\n  - name: proportion\n")
        scheduler.wait_for("a new configuration is in force")
        wait_until("the gang is bound", lambda: len(_bound(cluster, "g-")) == 2)
        KAI_REQUESTS.hold(history, cluster, {"t/g": 2})


def test_shards() -> None:
    """a scheduler of a shard places its PodGroups on its nodes, and labels requests and pods"""
    pool = {"kai.scheduler/node-pool": "blue"}
    with _cluster([a_node("plain", cpu="4"), a_node("blue", cpu="4", labels=pool)]) as cluster, KaiBinder(cluster.admin):
        queues = kai_queues()
        for queue in queues:
            queue["metadata"] = {"name": "blue-" + queue["metadata"]["name"], "labels": pool}
        queues[1]["spec"]["parentQueue"] = "blue-department"
        _create(cluster, queues)
        scheduler = _scheduler(cluster, "--partition-label-value=blue")
        scheduler.wait_for("all objects are known")
        ours, theirs = a_kai_gang("t", "ours", 2, {"cpu": "1"}, queue="blue-team"), a_kai_gang("t", "theirs", 2, {"cpu": "1"})
        ours[0]["metadata"]["labels"] = pool
        _create(cluster, ours + theirs)
        wait_until("ours are bound", lambda: len(_bound(cluster, "ours-")) == 2)
        assert set(_bound(cluster, "ours-").values()) == {"blue"}
        assert not _bound(cluster, "theirs-")
        request = cluster.admin.get(f"{REQUESTS}/namespaces/t/bindrequests/ours-0")
        assert request["metadata"]["labels"] == {"selected-node": "blue", **pool}, request
        wait_until("the pods carry the label", lambda: cluster.admin.get("/api/v1/namespaces/t/pods/ours-0")["metadata"]["labels"].get(
            "kai.scheduler/node-pool") == "blue")
        lease = cluster.admin.get("/apis/coordination.k8s.io/v1/namespaces/kai-scheduler/leases/kai-scheduler-blue")
        assert lease["spec"]["holderIdentity"]


def test_metrics() -> None:
    """KAI's metrics are served under their names"""
    with _cluster(_nodes(1, cpu="4")) as cluster, KaiBinder(cluster.admin):
        scheduler = _scheduler(cluster, "--metrics-namespace=pool")
        _create(cluster, a_kai_gang("t", "g", 1, {"cpu": "1"}))
        wait_until("it is bound", lambda: len(_bound(cluster, "g-")) == 1)
        text = scheduler.metrics()
        for name in ("pool_e2e_scheduling_latency_milliseconds ", 'pool_podgroups_scheduled_by_action{action="allocate"} 1',
                     'pool_queue_fair_share_cpu_cores{', "pool_task_scheduling_latency_milliseconds_count 1", "muster_cycles_total "):
            assert name in text, f"{name}: {text}"


def test_snapshot_and_job_order() -> None:
    """what plugins serve: the order of jobs, and a snapshot of which `muster schedule` decides what the scheduler was not allowed to"""
    with _cluster(_nodes(2, cpu="4")) as cluster, KaiBinder(cluster.admin):
        for name, value in (("train", 50), ("urgent", 90)):
            _create(cluster, [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}])
        first, second, large = a_kai_gang("t", "first", 2, {"cpu": "1"}), a_kai_gang("t", "second", 4, {"cpu": "1"}), a_kai_gang("t", "large", 9, {"cpu": "1"})
        for gang, name in ((first, "train"), (second, "urgent"), (large, "train")):
            gang[0]["spec"]["priorityClassName"] = name
        config = cluster.plane.folder / "scheduler.conf"
        config.write_text("actions: stalegangeviction\ntiers:\n- plugins:\n  - name: predicates\n  - name: proportion\n  - name: priority\n")
        port = control_plane.free_port()
        scheduler = Scheduler(cluster, "kai", config, "scheduler", "scheduler", QUIET, f"--plugin-server-port={port}")
        scheduler.wait_for("all objects are known")
        _create(cluster, first + second + large)
        order = wait_until("all jobs are in line", lambda: _in_line(port, 3))
        assert order["global_order"][0] == {"id": "second", "priority": 90}, order
        assert {one["id"] for one in order["global_order"][1:]} == {"first", "large"} and order["queue_order"]["team"] == order["global_order"], order
        snapshot = cluster.plane.folder / "snapshot.zip"
        snapshot.write_bytes(_served(port, "/get-snapshot"))
        full = cluster.plane.folder / "full.conf"
        full.write_text("actions: allocate\ntiers:\n- plugins:\n  - name: predicates\n  - name: proportion\n  - name: priority\n")
        assert _decided(snapshot) == {}, "its configuration is in the snapshot"
        assert {pod.rpartition("-")[0] for pod in _decided(snapshot, f"--config={full}")} == {"t/first", "t/second"}
        assert not _bound(cluster, ""), "and nothing came of it"
        config.write_text(full.read_text())
        wait_until("the scheduler may do so, too", lambda: len(_bound(cluster, "")) == 6)
        left = wait_until("one job is left", lambda: _in_line(port, 1))
        assert [one["id"] for one in left["global_order"]] == ["large"], left


def _served(port: int, path: str) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        return answer.read()


def _in_line(port: int, count: int) -> Object | None:
    """The order of jobs, when so many of them wait."""
    try:
        order = json.loads(_served(port, "/get-job-order"))
    except urllib.error.HTTPError:  # nobody decides yet
        return None
    return order if len(order["global_order"]) == count else None


def _decided(snapshot: pathlib.Path, *options: str) -> dict[str, str]:
    """Nodes by pod, as `muster schedule` gives them."""
    done = subprocess.run([MUSTER, "schedule", "--dialect=kai", "-f", snapshot, "-o", "json", *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["binds"]


def test_leader_killed_within_a_gang() -> None:
    """two replicas; the leader dies in the middle of a gang of 200, and the other one completes it"""
    with _cluster(_nodes(50, cpu="8")) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin):
        flags = (*SHORT_LEASE, "--qps=50", "--burst=10")  # slow enough to be caught in the act
        first = _scheduler(cluster, *flags, name="first")
        first.wait_for('"leading"')
        second = _scheduler(cluster, *flags, name="second")
        second.wait_for("all objects are known")
        _create(cluster, a_kai_gang("t", "gang", 200, {"cpu": "1"}))
        wait_until("some are requested", lambda: len(requested(cluster)) > 20, every=0.02)
        first.kill()
        killed = time.monotonic()
        assert len(requested(cluster)) < 200, "killed too late"
        second.wait_for('"leading"')
        leaderless = [(killed, time.monotonic())]
        KAI_REQUESTS.hold(history, cluster, {"t/gang": 200}, outage=KAI_REQUESTS.wait_until_bound(cluster, 200), outages=leaderless)


def test_killed_again_and_again(times: int = 100) -> None:
    """killed at moments of their leadership: every gang ends whole, no node takes too much, no pod is requested twice"""
    with _cluster(kills.room(times)) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin):
        series = kills.Kills()
        rate = (f"--qps={kills.WRITES}", f"--burst={kills.BURST}")
        for number in range(times):
            series.life(lambda: _scheduler(cluster, *SHORTEST_LEASE, *rate, name=f"round-{number}"),
                        lambda name: _create(cluster, a_kai_gang("t", name, series.size, {"cpu": "1"})), lambda: requested(cluster))
        series.check(times)
        _scheduler(cluster, *CALM_LEASE, name="last")
        wait_until("all are bound", lambda: len(_bound(cluster, "g")) == series.size * series.gangs, seconds=120, every=1)
        KAI_REQUESTS.hold(history, cluster, {f"t/g{number}": series.size for number in range(series.gangs)}, outages=series.leaderless)


def test_api_server_restart_under_load() -> None:
    """the API server goes away and comes back while gangs are being bound"""
    with _cluster(_nodes(40, cpu="16")) as cluster, PodHistory(cluster.admin) as history, KaiBinder(cluster.admin):
        scheduler = _scheduler(cluster, "--qps=40", "--burst=10")
        scheduler.wait_for("all objects are known")
        for number in range(10):
            _create(cluster, a_kai_gang("t", f"g{number}", 30, {"cpu": "1"}))
        wait_until("some are bound", lambda: len(_bound(cluster, "g")) > 30, every=0.05)
        start = time.monotonic()
        cluster.kill_api_server()
        time.sleep(2)
        cluster.plane.start_api_server()
        outage = time.monotonic() - start
        outage += KAI_REQUESTS.wait_until_bound(cluster, 300)
        KAI_REQUESTS.hold(history, cluster, {f"t/g{number}": 30 for number in range(10)}, outage)
