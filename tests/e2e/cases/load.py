"""How fast muster binds on a real API server, as a part of what a client reaches that decides nothing, and at how many writes."""
import collections
import contextlib
import time
from typing import Callable, Iterator

from harness import audit, places
from harness.api import Object
from harness.blind_binder import bind_blindly
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.dialects import scheduled
from harness.kai_binder import RESERVATIONS
from harness.objects import a_kai_gang, a_node, a_volcano_gang, collection, creation, kai_queues
from harness.scheduler import Scheduler
from harness.wait import wait_until

LOADED = Setup(controllers=False, audited=True, lease_seconds=3600)
ONLY_SERVER = Setup(controllers=False, kubelets=False)
NODES = [f"n-{index}" for index in range(1000)]
PODS = 5000
GANG = 50
ROUNDS = 4          # of the scheduler; the yardstick has its turn before, between and after them
POD = {"cpu": "100m"}
CALM_PODS, CALM_RATE = 1000, 200  # at a fifth of the load; pods a second
MANY_NODES, MANY_PODS = 5000, 100_000
TOO_MUCH = {"volcano": "13", "kai": "33"}  # each node has 12 left of 32, and KAI would move somebody to make room for 13
LEAST_PART = 0.90   # of the blind binder's rate
MOST_WRITES = 1.2   # per pod; events apart
BIND, EVENT = '"subresource":"binding"', '"resource":"events"'
Gang = Callable[[str, str, int, dict], list[Object]]
LISTENING = ("--listen-address=127.0.0.1:0",)


@contextlib.contextmanager
def _cluster(dialect: str, setup: Setup = LOADED) -> Iterator[Cluster]:
    with running(setup) as cluster:
        cluster.install_crds(places.DEPLOY / "crds" / dialect)
        for namespace in ("volcano-system", "kai-scheduler", RESERVATIONS, "t"):
            cluster.namespace(namespace)
        audit.grant_all(cluster)
        cluster.add_nodes([a_node(name) for name in NODES])
        if dialect == "kai":
            cluster.create_all([creation(queue) for queue in kai_queues()])
        yield cluster


def _blind(cluster: Cluster, gang: Gang, turn: int) -> float:
    """Seconds that the yardstick takes, by the same clock as the scheduler's and for the same pods, which nobody else schedules."""
    namespace = cluster.namespace(f"blind-{turn}")
    pods = [item for item in _gangs(gang, namespace) if item["kind"] == "Pod"]
    for pod in pods:
        pod["spec"]["schedulerName"] = "nobody"
    cluster.create_all([creation(pod) for pod in pods])
    _let_it_begin_clean(cluster)
    bound = bind_blindly(cluster, pods, NODES, user="scheduler")
    assert bound.speed.status == {"201": PODS}, f"{bound.speed.status}: {bound.speed.refusals}"
    _wait_until_running(cluster, namespace)
    return PODS / audit.binds_per_second(audit.written(cluster, namespace))


def _wait_until_running(cluster: Cluster, namespace: str) -> None:
    pending = f"/api/v1/namespaces/{namespace}/pods"
    wait_until(f"all pods of {namespace} run", lambda: not cluster.admin.items(pending, limit="1", fieldSelector="status.phase=Pending"),
               seconds=120, every=0.5)


def _wait_until_quiet(cluster: Cluster) -> None:
    """What was created is still worked on by whoever follows it."""
    children = cluster.plane.children.values()

    def is_quiet() -> bool:
        before = sum(child.cpu_seconds() for child in children)
        wait_until("a moment has passed", iter([False, False, False, False, True]).__next__, every=0.25)
        return sum(child.cpu_seconds() for child in children) - before < 0.25
    wait_until("the cluster is quiet", is_quiet, seconds=120)


def _let_it_begin_clean(cluster: Cluster) -> None:
    """While the API server collects its garbage it binds half as fast. Left to itself that falls into one turn and not into the next, by what
    came before and not by who binds; so each turn begins with none, and what it makes itself counts."""
    _wait_until_quiet(cluster)
    cluster.admin.get("/debug/pprof/heap", gc="1", debug="1")
    _wait_until_quiet(cluster)


def _gangs(gang: Gang, namespace: str) -> list[Object]:
    return [item for index in range(PODS // GANG) for item in gang(namespace, f"g{index}", GANG, POD)]


def _measure(dialect: str, gang: Gang, *flags: str) -> None:
    """In turns: what the API server takes changes from minute to minute, with what it holds, by more than what is measured."""
    with _cluster(dialect) as cluster:
        blind, rounds = [_blind(cluster, gang, 0)], []
        for number in range(ROUNDS):
            rounds.append(_bind_gangs(cluster, dialect, gang, number, *flags))
            blind.append(_blind(cluster, gang, number + 1))
    _judge(rounds, blind)


def _bind_gangs(cluster: Cluster, dialect: str, gang: Gang, number: int, *flags: str) -> list[audit.Written]:
    """Everything that a scheduler writes from the moment at which gangs may start: their pods are there and known to it, now their PodGroups come."""
    namespace = cluster.namespace(f"gangs-{number}")
    scheduler = Scheduler(cluster, dialect, None, "scheduler", f"scheduler-{number}", *flags, recorded=False)
    scheduler.wait_for("leading")
    items = _gangs(gang, namespace)
    cluster.create_all([creation(item) for item in items if item["kind"] == "Pod"])
    _let_it_begin_clean(cluster)
    before = len(audit.written(cluster))
    binds, events = audit.Counter(cluster, BIND), audit.Counter(cluster, EVENT)
    cluster.create_all([creation(item) for item in items if item["kind"] != "Pod"])
    wait_until("everything is bound", lambda: binds.count() >= PODS, seconds=240, every=0.5)
    wait_until("everything is told", lambda: events.count() >= PODS, seconds=120, every=0.5)
    assert scheduler.stop() == 0
    _wait_until_running(cluster, namespace)
    return audit.written(cluster)[before:]


def _judge(rounds: list[list[audit.Written]], blind: list[float]) -> None:
    seconds = [PODS / audit.binds_per_second(ours) for ours in rounds]
    part = _mean(blind) / _mean(seconds)
    ours = [one for each in rounds for one in each]
    writes = [one for one in ours if not one.is_event and not one.is_lease]
    kinds = collections.Counter(f"{one.verb} {one.resource} {one.code}" for one in writes)
    early = sum(_early_events(each) for each in rounds)
    print(f"      {PODS} binds in {_listed(seconds)} s, of the blind binder in {_listed(blind)} s: {100 * part:.0f} % of its rate\n"
          f"      {len(writes) / PODS / len(rounds):.3f} writes per pod ({dict(kinds)}), {sum(one.is_event for one in ours)} events, "
          f"{early} of them before the last bind", flush=True)
    assert part >= LEAST_PART, f"{100 * part:.0f} % of the blind binder's rate"
    assert len(writes) <= MOST_WRITES * PODS * len(rounds), kinds
    assert not early, f"{early} events were sent while binds were waiting"


def _early_events(ours: list[audit.Written]) -> int:
    last_bind = max(one.answered for one in ours if one.is_bind)
    return sum(one.is_event and one.came < last_bind for one in ours)


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


def _listed(seconds: list[float]) -> str:
    return ", ".join(f"{one:.2f}" for one in seconds)


def _latency(dialect: str, gang: Gang, *flags: str) -> None:
    """A thousand pods in gangs of ten, one pod after the other, at a fifth of what the API server takes."""
    with _cluster(dialect) as cluster:
        scheduler = Scheduler(cluster, dialect, None, "scheduler", "scheduler", *flags, recorded=False)
        scheduler.wait_for("all objects are known")
        scheduler.wait_for("leading")
        binds = audit.Counter(cluster, BIND)
        start = time.monotonic()
        sent = 0
        for number in range(CALM_PODS // 10):
            for item in gang("t", f"g{number}", 10, {"cpu": "1"}):
                cluster.admin.create(collection(item), item)
                sent += item["kind"] == "Pod"
                time.sleep(max(0.0, start + sent / CALM_RATE - time.monotonic()))
        seconds = time.monotonic() - start
        wait_until("everything is bound", lambda: binds.count() >= CALM_PODS, seconds=60, every=0.5)
        buckets = scheduler.histogram("muster_gang_first_bind_seconds")
    gangs = buckets["+Inf"]
    shown = {bound: count for bound, count in buckets.items() if bound != "+Inf" and 0 < count and float(bound) <= 0.1}
    print(f"      {CALM_PODS / seconds:.0f} pods/s; {gangs:.0f} gangs, first binds within so many seconds: {shown}", flush=True)
    assert gangs == CALM_PODS // 10, buckets
    assert buckets["0.02"] >= 0.99 * gangs, f"{buckets['0.02']:.0f} of {gangs:.0f} first binds left within 20 ms: {shown}"


def _listing(dialect: str, *flags: str) -> None:
    """All pods have their nodes from the start, so that there is nothing to write. With what the chart turns on, such as the copy that what-if asks."""
    with running(ONLY_SERVER) as cluster:
        cluster.install_crds(places.DEPLOY / "crds" / dialect)
        for namespace in ("volcano-system", "kai-scheduler", RESERVATIONS, "t"):
            cluster.namespace(namespace)
        cluster.add_nodes([a_node(f"n-{index}") for index in range(MANY_NODES)])
        gang = a_volcano_gang if dialect == "volcano" else a_kai_gang
        if dialect == "kai":
            cluster.create_all([creation(queue) for queue in kai_queues()])
        for first in range(0, MANY_PODS // GANG, 100):
            items = [item for number in range(first, first + 100) for item in gang("t", f"g{number}", GANG, {"cpu": "1"})]
            for index, pod in enumerate(item for item in items if item["kind"] == "Pod"):
                pod["spec"]["nodeName"] = f"n-{(first * GANG + index) % MANY_NODES}"
            cluster.create_all([creation(item) for item in items])
        _wait_until_quiet(cluster)
        start = time.monotonic()
        scheduler = Scheduler(cluster, dialect, None, "admin", "scheduler", *flags, recorded=False)
        wait_until("it is ready", scheduler.is_ready, seconds=120, every=0.05)
        seconds = time.monotonic() - start
        cluster.create_all([creation(item) for item in gang("t", "more", 1, {"cpu": TOO_MUCH[dialect]})])
        wait_until("all pods are known", lambda: scheduled(cluster, "more-0").get("status") == "False", seconds=60)
        now, peak = scheduler.resident_megabytes(), scheduler.resident_megabytes("VmHWM")
        print(f"      {MANY_NODES} nodes and {MANY_PODS} pods: ready after {seconds:.1f} s, {now:.0f} MB resident, {peak:.0f} MB at most", flush=True)
        assert seconds <= 15, f"ready after {seconds:.1f} s"
        assert peak <= 700, f"{peak:.0f} MB resident"


def test_volcano_latency() -> None:
    """a gang's first bind leaves soon after its last pod was seen: 1,000 pods, Volcano's dialect"""
    _latency("volcano", a_volcano_gang, "--enable-metrics", *LISTENING)


def test_kai_latency() -> None:
    """a gang's first bind leaves soon after its last pod was seen: 1,000 pods, KAI's dialect"""
    _latency("kai", a_kai_gang, *LISTENING, "--bind=direct")


def test_volcano_listing() -> None:
    """5,000 nodes and 100,000 pods: how long until it is ready, and how large it is, in Volcano's dialect"""
    _listing("volcano", "--enable-metrics", *LISTENING)


def test_kai_listing() -> None:
    """5,000 nodes and 100,000 pods: how long until it is ready, and how large it is, in KAI's dialect"""
    _listing("kai", *LISTENING, "--bind=direct")


def test_volcano() -> None:
    """5,000 pods in gangs on 1,000 nodes, in Volcano's dialect"""
    _measure("volcano", a_volcano_gang)


def test_kai_direct() -> None:
    """5,000 pods in gangs on 1,000 nodes, in KAI's dialect, bound by muster itself"""
    _measure("kai", a_kai_gang, *LISTENING, "--bind=direct")
