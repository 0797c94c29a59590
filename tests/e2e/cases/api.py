"""The JSON API of a running scheduler, on a real control plane."""
import contextlib
from typing import Iterator

from harness import places
from harness.api import Object
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.kai_binder import RESERVATIONS, KaiBinder
from harness.objects import a_kai_gang, a_node, a_volcano_gang, creation, kai_queues
from harness.scheduler import Scheduler
from harness.wait import wait_until

ANYWHERE = "--listen-address=127.0.0.1:0"


@contextlib.contextmanager
def _cluster(dialect: str, namespaces: tuple[str, ...]) -> Iterator[Cluster]:
    with running(Setup(controllers=False)) as cluster:
        cluster.install_crds(places.DEPLOY / "crds" / dialect)
        for namespace in (*namespaces, "t"):
            cluster.namespace(namespace)
        cluster.add_nodes([a_node("n-0", cpu="4"), a_node("n-1", cpu="4")])
        yield cluster


def _create(cluster: Cluster, items: list[Object]) -> None:
    cluster.create_all([creation(item) for item in items])


def _is_bound(cluster: Cluster, gang: str, count: int) -> bool:
    return sum(pod["metadata"]["name"].startswith(f"{gang}-") and "nodeName" in pod["spec"] for pod in cluster.pods("t")) == count


def _get(scheduler: Scheduler, path: str) -> Object:
    status, answer = scheduler.ask(path)
    assert status == 200, f"{path}: {status} {answer}"
    return answer


def _by_name(rows: list[Object], member: str) -> dict[str, Object]:
    return {row[member]: row for row in rows}


def _check(cluster: Cluster, scheduler: Scheduler, dialect: str, queue: str) -> None:
    """Two nodes of four cores; t/fits has four pods of a core on them, t/large waits for nine."""
    state = _get(scheduler, "/api/v1/state")
    assert state["dialect"] == dialect and state["synced"] and state["leading"] and not state["evictions_stopped"], state
    assert (state["nodes"], state["pods"], state["jobs"]) == (2, 13, 2), state
    jobs = wait_until("the first one runs", lambda: _running(_by_name(_get(scheduler, "/api/v1/jobs")["jobs"], "job")))
    assert jobs["t/fits"]["queue"] == queue and jobs["t/large"]["state"] == "waiting" and jobs["t/large"]["reason"]["text"], jobs
    nodes = _by_name(_get(scheduler, "/api/v1/nodes")["nodes"], "node")
    assert sum(node["resources"]["cpu"]["used"] for node in nodes.values()) == 4, nodes
    queues = _by_name(_get(scheduler, "/api/v1/queues")["queues"], "queue")
    assert queues[queue]["resources"]["cpu"]["allocated"] == 4, queues
    waiting = _get(scheduler, "/api/v1/jobs/t/large")
    assert waiting["job"] == "t/large" and waiting["state"] == "waiting", waiting
    assert waiting["reason"]["code"] == jobs["t/large"]["reason"]["code"], waiting
    assert _get(scheduler, "/api/v1/jobs/t/fits")["state"] == "running"
    decisions = _get(scheduler, "/api/v1/decisions")["decisions"]
    assert {(one["kind"], one["job"], one["rule"]) for one in decisions} == {("bind", "t/fits", "allocate")}, decisions
    nodes_of = {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in cluster.pods("t")}
    assert all(nodes_of[one["pod"].partition("/")[2]] == one["node"] for one in decisions) and len(decisions) == 4, decisions
    status, answer = scheduler.ask("/api/v1/jobs/t/nobody")
    assert status == 404 and "nobody" in answer["error"], answer
    wait_until("the audit compares", lambda: _audited(scheduler) > 20)


def _running(jobs: dict[str, Object]) -> dict[str, Object] | None:
    return jobs if jobs.get("t/fits", {}).get("state") == "running" else None


def _audited(scheduler: Scheduler) -> float:
    text = scheduler.metrics()
    assert "muster_audit_mismatches_total{" not in text and "\nmuster_evictions_stopped 0\n" in text, text
    return float(text.partition("\nmuster_audit_checked_total ")[2].splitlines()[0])


def test_volcano() -> None:
    """a running and a waiting job, its explanation, queues, nodes and decisions; the audit finds nothing wrong"""
    with _cluster("volcano", ("volcano-system",)) as cluster:
        scheduler = Scheduler(cluster, "volcano", None, "admin", "scheduler", "--enable-metrics", ANYWHERE)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_volcano_gang("t", "fits", 4, {"cpu": "1"}) + a_volcano_gang("t", "large", 9, {"cpu": "1"}))
        wait_until("one is bound", lambda: _is_bound(cluster, "fits", 4))
        _check(cluster, scheduler, "volcano", "default")


def test_kai() -> None:
    """the same of KAI's dialect, with BindRequests"""
    with _cluster("kai", ("kai-scheduler", RESERVATIONS)) as cluster, KaiBinder(cluster.admin):
        _create(cluster, kai_queues())
        scheduler = Scheduler(cluster, "kai", None, "admin", "scheduler", ANYWHERE)
        scheduler.wait_for("all objects are known")
        _create(cluster, a_kai_gang("t", "fits", 4, {"cpu": "1"}) + a_kai_gang("t", "large", 9, {"cpu": "1"}))
        wait_until("one is bound", lambda: _is_bound(cluster, "fits", 4))
        _check(cluster, scheduler, "kai", "team")


def test_follower() -> None:
    """who does not lead says so, and who leads"""
    with _cluster("volcano", ("volcano-system",)) as cluster:
        flags = ("--enable-metrics", ANYWHERE)
        first = Scheduler(cluster, "volcano", None, "admin", "first", *flags)
        first.wait_for('"leading"')
        second = Scheduler(cluster, "volcano", None, "admin", "second", *flags)
        second.wait_for("all objects are known")
        leader = wait_until("the second knows the leader", lambda: _get(second, "/api/v1/state")["leader"])
        assert leader == _get(first, "/api/v1/state")["leader"] and not _get(second, "/api/v1/state")["leading"]
        status, answer = second.ask("/api/v1/jobs")
        assert status == 503 and "does not lead" in answer["error"], answer
