"""What goes wrong on real clusters, in both dialects: gangs stay whole, nodes within their room, no pod is lost or bound twice."""
import functools
import signal
import time
from typing import Callable, ContextManager

from harness import audit, kills, places
from harness.api import ApiError
from harness.binding_webhook import DENIES, SILENT, TOO_BUSY, Refusal, webhook_in_force
from harness.cluster import Cluster
from harness.control_plane import Setup
from harness.dialects import CALM_LEASE, KAI, KAI_REQUESTS, SHORTEST_LEASE, VOLCANO, Dialect, bound, create, scheduled
from harness.objects import a_node
from harness.pod_history import PodHistory
from harness.rejected_bindings import allow_bindings, policy_in_force, reject_bindings
from harness.wait import wait_until

QUICK_COMPACTION = Setup(controllers=False, audited=True, audit_policy=places.AUDIT_OF_RIGHTS, api_flags=("--etcd-compaction-interval=5s",))
CONFLICT = 409
Rejecting = Callable[[Cluster, str], ContextManager[Callable[[], None]]]  # bindings of pods whose names begin so, until it is called


def _killed(dialect: Dialect, times: int = 100) -> None:
    with dialect.cluster(kills.room(times)) as cluster, PodHistory(cluster.admin) as history:
        series = kills.Kills()
        rate = dialect.at_most(kills.WRITES, kills.BURST)
        for number in range(times):
            series.life(lambda: dialect.scheduler(cluster, *SHORTEST_LEASE, *rate, name=f"round-{number}"),
                        lambda name: create(cluster, dialect.gang("t", name, series.size, {"cpu": "1"})), lambda: dialect.decided(cluster))
        series.check(times)
        dialect.scheduler(cluster, *CALM_LEASE, name="last")
        wait_until("all are bound", lambda: len(bound(cluster)) == series.size * series.gangs, seconds=120, every=1)
        dialect.hold(history, cluster, {f"t/g{number}": series.size for number in range(series.gangs)}, outages=series.leaderless)


def _compaction(dialect: Dialect) -> None:
    nodes = [a_node("n-0", cpu="4")]
    with dialect.cluster(nodes, QUICK_COMPACTION) as cluster, PodHistory(cluster.admin) as history:
        scheduler = dialect.scheduler(cluster, *SHORTEST_LEASE)
        scheduler.wait_for("all objects are known")
        create(cluster, dialect.gang("t", "before", 4, {"cpu": "1"}))
        wait_until("it is bound", lambda: len(bound(cluster, "before-")) == 4)
        scheduler.child.send(signal.SIGSTOP)  # it hears nothing of what follows
        for index in range(4):
            cluster.admin.delete(f"/api/v1/namespaces/t/pods/before-{index}")
        create(cluster, dialect.gang("t", "after", 4, {"cpu": "1"}))
        _wait_for_compaction(cluster)
        start = time.monotonic()
        cluster.kill_api_server()
        cluster.plane.start_api_server()
        outage = time.monotonic() - start
        scheduler.child.send(signal.SIGCONT)
        wait_until("the other gang has the room", lambda: len(bound(cluster, "after-")) == 4, seconds=60)
        _check_expiry(cluster)
        dialect.hold(history, cluster, {"t/after": 4}, outage, allowed=tuple(f"t/before-{index}" for index in range(4)))


def _check_expiry(cluster: Cluster) -> None:
    """After the restart, the scheduler went on where it was; that version has expired, as anybody is told; so it listed again."""
    asked = [query for came, query in audit.followed(cluster, "pods") if came > cluster.cuts[-1]]
    versions = [query["resourceVersion"] for query in asked if "sendInitialEvents" not in query]
    assert versions, asked
    told = next(cluster.admin.watch("/api/v1/pods", versions[0], seconds=10))
    assert told["type"] == "ERROR" and told["object"]["code"] == 410, told
    assert any("sendInitialEvents" in query for query in asked[1:]), asked


def _wait_for_compaction(cluster: Cluster) -> None:
    """Until the server knows no more what the first resource versions were."""
    pods = "/api/v1/namespaces/t/pods"
    old = cluster.admin.get(pods)["metadata"]["resourceVersion"]

    def is_compacted() -> bool:
        cluster.admin.merge("/api/v1/namespaces/t", {"metadata": {"annotations": {"now": str(time.time())}}})
        try:
            cluster.admin.get(pods, resourceVersion=old, resourceVersionMatch="Exact")
            return False
        except ApiError as error:
            return error.status == 410
    wait_until("the past is compacted", is_compacted, seconds=90, every=1)


def _node_lost(dialect: Dialect, size: int = 60) -> None:
    nodes = [a_node(f"n-{index}", cpu="8") for index in range(12)]
    with dialect.cluster(nodes) as cluster, PodHistory(cluster.admin) as history:
        scheduler = dialect.scheduler(cluster, *dialect.slow)
        scheduler.wait_for("all objects are known")
        gang = dialect.gang("t", "g", size, {"cpu": "1"})
        start = time.monotonic()
        create(cluster, gang)
        lost = next(iter(wait_until("some are bound", lambda: len(bound(cluster)) > 10 and bound(cluster), every=0.02).values()))
        cluster.admin.delete(f"/api/v1/nodes/{lost}")
        until_loss = time.monotonic() - start  # from the loss on, the gang has as long to be whole as any other
        gone: set[str] = set()

        def all_are_elsewhere() -> bool:
            """As the controllers would: pods of a node that is gone go, and others take their place."""
            for name, node in bound(cluster).items():
                if node == lost:
                    cluster.admin.delete(f"/api/v1/namespaces/t/pods/{name}", gracePeriodSeconds="0")
                    create(cluster, [pod for pod in gang[1:] if pod["metadata"]["name"] == name])
                    gone.add(f"t/{name}")
            return len([node for node in bound(cluster).values() if node != lost]) == size
        wait_until("all are bound to nodes that exist", all_are_elsewhere, seconds=90)
        dialect.hold(history, cluster, {"t/g": size}, outage=until_loss)
        print(f"      {len(gone)} of {size} pods were bound to the node that was lost", flush=True)


def _rejected(dialect: Dialect) -> None:
    nodes = [a_node("n-0", cpu="4")]
    with dialect.cluster(nodes) as cluster, PodHistory(cluster.admin) as history:
        reject_bindings(cluster, "bad-")
        scheduler = dialect.scheduler(cluster)
        scheduler.wait_for("all objects are known")
        create(cluster, dialect.gang("t", "bad", 4, {"cpu": "1"}))
        wait_until("the pods are told", lambda: "not this one" in scheduled(cluster, "bad-0").get("message", ""))
        create(cluster, dialect.gang("t", "good", 4, {"cpu": "1"}))
        wait_until("the other gang is bound", lambda: len(bound(cluster, "good-")) == 4)
        assert not bound(cluster, "bad-")
        allow_bindings(cluster)
        for index in range(4):
            cluster.admin.delete(f"/api/v1/namespaces/t/pods/good-{index}")
        wait_until("the gang is bound after all", lambda: len(bound(cluster, "bad-")) == 4, seconds=90)
        dialect.hold(history, cluster, {"t/bad": 4}, allowed=("t/bad-probe", *(f"t/good-{index}" for index in range(4))))


def _definitions_come_later(dialect: Dialect) -> None:
    nodes = [a_node("n-0", cpu="4")]
    with dialect.cluster(nodes, crds=False) as cluster, PodHistory(cluster.admin) as history:
        scheduler = dialect.scheduler(cluster)
        scheduler.wait_for("all objects are known")
        dialect.install(cluster)
        create(cluster, dialect.gang("t", "late", 4, {"cpu": "1"}))
        wait_until("the gang is bound", lambda: len(bound(cluster, "late-")) == 4, seconds=60)
        dialect.hold(history, cluster, {"t/late": 4})


def test_volcano_killed_a_hundred_times() -> None:
    """killed at random moments under load, with a short lease"""
    _killed(VOLCANO)


def test_kai_killed_a_hundred_times() -> None:
    """killed at random moments under load, with a short lease; binds are muster's own"""
    _killed(KAI)


def test_volcano_compaction() -> None:
    """the past is compacted while the scheduler hears nothing (410): what is gone is noticed all the same"""
    _compaction(VOLCANO)


def test_kai_compaction() -> None:
    """the past is compacted while the scheduler hears nothing (410): what is gone is noticed all the same"""
    _compaction(KAI)


def test_kai_requests_compaction() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _compaction(KAI_REQUESTS)


def test_volcano_node_lost() -> None:
    """a node goes while a gang is being bound: the pods that take the place of those on it go elsewhere"""
    _node_lost(VOLCANO)


def test_kai_node_lost() -> None:
    """a node goes while a gang is being bound: the pods that take the place of those on it go elsewhere"""
    _node_lost(KAI)


def test_kai_requests_node_lost() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _node_lost(KAI_REQUESTS)


def test_kai_rejected_binds() -> None:
    """binds that admission rejects, with binds of muster's own: the pods are told, others get the room, later attempts succeed"""
    _rejected(KAI)


def test_kai_definitions_come_later() -> None:
    """kinds that are not installed yet are waited for"""
    _definitions_come_later(KAI)


def test_kai_requests_definitions_come_later() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _definitions_come_later(KAI_REQUESTS)


def _one_rejected(dialect: Dialect, rejecting: Rejecting = policy_in_force, told: str = "not this one") -> None:
    nodes = [a_node("n-0", cpu="4")]
    with dialect.cluster(nodes) as cluster, PodHistory(cluster.admin) as history, rejecting(cluster, "bad-2") as relent:
        scheduler = dialect.scheduler(cluster)
        scheduler.wait_for("all objects are known")
        bad = dialect.gang("t", "bad", 4, {"cpu": "1"})
        create(cluster, bad)
        wait_until("some are bound", lambda: bound(cluster, "bad-"))
        if not dialect.has_binder:  # which tells by itself
            wait_until("the other one is told", lambda: told in scheduled(cluster, "bad-2").get("message", ""))
        create(cluster, dialect.gang("t", "good", 4, {"cpu": "1"}))
        wait_until("the other gang has the room", lambda: len(bound(cluster, "good-")) == 4, seconds=30)
        assert not bound(cluster, "bad-")

        def all_are_bound() -> bool:
            """As the controllers would: others take the place of pods that were evicted."""
            there = {pod["metadata"]["name"] for pod in cluster.pods("t")}
            create(cluster, [pod for pod in bad[1:] if pod["metadata"]["name"] not in there])
            return len(bound(cluster, "bad-")) == 4
        for index in range(4):
            cluster.admin.delete(f"/api/v1/namespaces/t/pods/good-{index}")
        wait_until("the gang has tried once more", lambda: not all_are_bound() and bound(cluster, "bad-"), seconds=60)
        relent()
        wait_until("the gang is bound after all", all_are_bound, seconds=90)
        gone = ("t/bad-2probe", *(f"t/good-{index}" for index in range(4)))
        dialect.hold(history, cluster, {"t/bad": 4, "t/good": 4}, allowed=gone)


def test_volcano_one_rejected_bind() -> None:
    """admission rejects the bind of one pod of a gang: the others give back their room, later the gang is bound whole"""
    _one_rejected(VOLCANO)


def test_kai_one_rejected_bind() -> None:
    """admission rejects the bind of one pod of a gang: the others give back their room, later the gang is bound whole"""
    _one_rejected(KAI)


def test_kai_requests_one_rejected_bind() -> None:
    """the same, where binds are requested and a binder is refused"""
    _one_rejected(KAI_REQUESTS)


def _webhook(dialect: Dialect, refusal: Refusal) -> None:
    _one_rejected(dialect, functools.partial(webhook_in_force, refusal=refusal), refusal.text)


def test_volcano_webhook_denies() -> None:
    """an admission webhook denies the bind of one pod of a gang: the others give back their room, until it relents"""
    _webhook(VOLCANO, DENIES)


def test_kai_webhook_denies() -> None:
    """an admission webhook denies the bind of one pod of a gang: the others give back their room, until it relents"""
    _webhook(KAI, DENIES)


def test_volcano_webhook_too_busy() -> None:
    """the same with a webhook that denies it by 429, as if there was too much to do"""
    _webhook(VOLCANO, TOO_BUSY)


def test_kai_webhook_too_busy() -> None:
    """the same with a webhook that denies it by 429, as if there was too much to do"""
    _webhook(KAI, TOO_BUSY)


def test_volcano_webhook_silent() -> None:
    """the same with a webhook that does not answer, for which the API server waits a second"""
    _webhook(VOLCANO, SILENT)


def test_kai_webhook_silent() -> None:
    """the same with a webhook that does not answer, for which the API server waits a second"""
    _webhook(KAI, SILENT)


def _leader_paused(dialect: Dialect, size: int = 200) -> None:
    with dialect.cluster([a_node(f"n-{index}", cpu="8") for index in range(50)]) as cluster, PodHistory(cluster.admin) as history:
        flags = (*CALM_LEASE, *dialect.at_most(50, burst=10))  # who loses the Lease without being stopped would look as if it wrote late
        first = dialect.scheduler(cluster, *flags, name="first")
        first.wait_for('"leading"')
        second = dialect.scheduler(cluster, *flags, name="second", user="second-scheduler")
        second.wait_for("all objects are known")
        create(cluster, dialect.gang("t", "gang", size, {"cpu": "1"}))
        wait_until("some are decided", lambda: len(dialect.decided(cluster)) > 20, every=0.02)
        first.child.send(signal.SIGSTOP)
        paused = time.monotonic()
        second.wait_for('"leading"')
        resumed_at = time.time()
        first.child.send(signal.SIGCONT)
        leaderless = [(paused, time.monotonic())]
        before = len(dialect.decided(cluster))
        assert before < size, "paused too late"
        behind = dialect.wait_until_bound(cluster, size)
        time.sleep(3)  # in which it could still do harm
        _check_silence(cluster, resumed_at)
        second.kill()
        create(cluster, dialect.gang("t", "next", 4, {"cpu": "1"}))
        wait_until("it leads again", lambda: len(bound(cluster, "next-")) == 4, seconds=60)
        dialect.hold(history, cluster, {"t/gang": size, "t/next": 4}, behind, outages=leaderless)
        print(f"      {before} of {size} pods had their nodes when the leader that had been paused went on", flush=True)


def _check_silence(cluster: Cluster, since: float) -> None:
    """The first scheduler wrote nothing, and did not get the Lease, while the second did the rest."""
    ours, others = audit.written(cluster), audit.written(cluster, user=audit.SECOND)
    late = [one for one in ours if one.came > since and not (one.is_lease and one.code == CONFLICT)]
    assert not late, late[:10]
    assert any(one.is_bind for one in ours) and any(one.is_bind and one.came > since for one in others), "both bind, one after the other"


def test_volcano_leader_paused_within_a_gang() -> None:
    """a leader that is stopped until another one leads, and then goes on, writes nothing more; the gang of 200 becomes whole"""
    _leader_paused(VOLCANO)


def test_kai_leader_paused_within_a_gang() -> None:
    """a leader that is stopped until another one leads, and then goes on, writes nothing more; the gang of 200 becomes whole"""
    _leader_paused(KAI)


def test_kai_requests_leader_paused_within_a_gang() -> None:
    """the same, where binds are requested and a binder carries them out"""
    _leader_paused(KAI_REQUESTS)
