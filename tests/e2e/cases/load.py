"""How fast muster binds on a real API server, as a part of what a client reaches that decides nothing, and at how many writes."""
import collections
import contextlib
from typing import Callable, Iterator

from harness import audit, places
from harness.api import Object
from harness.blind_binder import bind_blindly
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.kai_binder import RESERVATIONS
from harness.objects import a_kai_gang, a_node, a_pod, a_volcano_gang, creation, kai_queues
from harness.scheduler import Scheduler
from harness.wait import wait_until

LOADED = Setup(controllers=False, audited=True)
NODES = [f"n-{index}" for index in range(1000)]
PODS = 5000
GANG = 50
LEAST_PART = 0.90   # of the blind binder's rate
MOST_WRITES = 1.2   # per pod; events apart
BIND, EVENT = '"subresource":"binding"', '"resource":"events"'
KAI_FLAGS = ("--listen-address=127.0.0.1:0",)


@contextlib.contextmanager
def _cluster(dialect: str, setup: Setup = LOADED) -> Iterator[Cluster]:
    with running(setup) as cluster:
        cluster.install_crds(places.DEPLOY / "crds" / dialect)
        for namespace in ("volcano-system", "kai-scheduler", RESERVATIONS, "t", "before", "after"):
            cluster.namespace(namespace)
        audit.grant_all(cluster)
        cluster.add_nodes([a_node(name) for name in NODES])
        if dialect == "kai":
            cluster.create_all([creation(queue) for queue in kai_queues()])
        yield cluster


def _blind(cluster: Cluster, namespace: str) -> float:
    """Bindings a second of the yardstick, by the same clock as the scheduler's."""
    pods = [a_pod(namespace, f"p-{index}", {"cpu": "1"}, scheduler="nobody") for index in range(PODS)]
    cluster.create_all([creation(pod) for pod in pods])
    _wait_until_quiet(cluster)
    bound = bind_blindly(cluster, pods, NODES, user="scheduler")
    assert bound.speed.status == {"201": PODS}, f"{bound.speed.status}: {bound.speed.refusals}"
    _wait_until_running(cluster, namespace)
    return audit.binds_per_second(audit.written(cluster, namespace))


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


def _measure(dialect: str, gang: Callable[[str, str, int, dict], list[Object]], *flags: str) -> None:
    with _cluster(dialect) as cluster:
        rates = [_blind(cluster, "before")]
        work = [item for number in range(PODS // GANG) for item in gang("t", f"g{number}", GANG, {"cpu": "1"})]
        cluster.create_all([creation(item) for item in work])
        _wait_until_quiet(cluster)
        binds, events = audit.Counter(cluster, BIND), audit.Counter(cluster, EVENT)
        scheduler = Scheduler(cluster, dialect, None, "scheduler", "scheduler", *flags)
        wait_until("everything is bound", lambda: binds.count() >= PODS, seconds=240, every=0.5)
        wait_until("everything is told", lambda: events.count() >= PODS, seconds=120, every=0.5)
        assert scheduler.stop() == 0
        ours = audit.written(cluster)
        rates.append(_blind(cluster, "after"))
    _judge([one for one in ours if one.namespace not in ("before", "after")], rates)


def _judge(ours: list[audit.Written], blind: list[float]) -> None:
    rate = audit.binds_per_second(ours)
    part = rate / (sum(blind) / len(blind))
    writes = [one for one in ours if not one.is_event and not one.is_lease]
    kinds = collections.Counter(f"{one.verb} {one.resource} {one.code}" for one in writes)
    events = [one for one in ours if one.is_event]
    last_bind = max(one.answered for one in ours if one.is_bind)
    early = sum(one.came < last_bind for one in events)
    print(f"      {rate:.0f} binds/s; the blind binder {blind[0]:.0f} before and {blind[1]:.0f} after: {100 * part:.0f} %\n"
          f"      {len(writes) / PODS:.3f} writes per pod ({dict(kinds)}), {len(events)} events, {early} of them before the last bind", flush=True)
    assert part >= LEAST_PART, f"{100 * part:.0f} % of the blind binder's rate"
    assert len(writes) <= MOST_WRITES * PODS, kinds
    assert not early, f"{early} events were sent while binds were waiting"


def test_volcano() -> None:
    """5,000 pods in gangs on 1,000 nodes, in Volcano's dialect"""
    _measure("volcano", a_volcano_gang)


def test_kai_direct() -> None:
    """5,000 pods in gangs on 1,000 nodes, in KAI's dialect, bound by muster itself"""
    _measure("kai", a_kai_gang, *KAI_FLAGS, "--bind=direct")
