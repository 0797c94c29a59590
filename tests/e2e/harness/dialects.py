"""What is different between the dialects for a test that is about both."""
import contextlib
import dataclasses
import time
from typing import Callable, Iterator

from . import laws, places
from .api import Object
from .cluster import Cluster, running
from .control_plane import Setup
from .decisions import judge_decisions
from .identity import Identity
from .kai_binder import REQUESTS, RESERVATIONS, KaiBinder
from .objects import a_kai_gang, a_volcano_gang, creation, kai_queues
from .pod_history import PodHistory
from .scheduler import Scheduler
from .wait import wait_until

QUICK = Setup(controllers=False, audited=True)
SHORTEST_LEASE = ("--leader-elect-lease-duration=1s", "--leader-elect-renew-deadline=800ms", "--leader-elect-retry-period=200ms")
SHORT_LEASE = ("--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=500ms")
CALM_LEASE = ("--leader-elect-lease-duration=5s", "--leader-elect-renew-deadline=4s", "--leader-elect-retry-period=500ms")  # kept on a busy machine


@dataclasses.dataclass(frozen=True)
class Dialect:
    """A gang is a PodGroup and its pods; binds are muster's own, unless a binder carries them out."""
    name: str
    gang: Callable[..., list[Object]]
    gang_of: Callable[[Object], str | None]
    flags: tuple[str, ...]
    rate: tuple[str, str]  # the flags for writes a second, and for how many at once
    waits: str  # the reason of the event of a pod that cannot be placed
    lease: str  # its namespace and name
    has_binder: bool = False

    @contextlib.contextmanager
    def cluster(self, nodes: list[Object], setup: Setup = QUICK, crds: bool = True) -> Iterator[Cluster]:
        with running(setup) as cluster, KaiBinder(cluster.admin) if self.has_binder else contextlib.nullcontext():
            judge_decisions(cluster)
            for namespace in ("volcano-system", "kai-scheduler", RESERVATIONS, "t"):
                cluster.namespace(namespace)
            cluster.add_nodes(nodes)
            if crds:
                self.install(cluster)
            yield cluster

    def install(self, cluster: Cluster) -> None:
        """Its kinds, and the queues that gangs belong to where nobody makes them."""
        cluster.install_crds(places.DEPLOY / "crds" / self.name)
        if self.name == "kai":
            create(cluster, kai_queues())

    def at_most(self, writes: int, burst: int) -> tuple[str, ...]:
        """Flags for so many writes a second: few enough to be caught in the act."""
        return tuple(f"{flag}={number}" for flag, number in zip(self.rate, (writes, burst)))

    @property
    def slow(self) -> tuple[str, ...]:
        return self.at_most(20, burst=5)

    def scheduler(self, cluster: Cluster, *flags: str, name: str = "scheduler", config: str = "", user: str = "scheduler",
                  identity: Identity | None = None) -> Scheduler:
        file = None
        if config:
            file = cluster.plane.folder / "scheduler.conf"
            file.write_text(config)
        return Scheduler(cluster, self.name, file, user, name, *self.flags, *flags, identity=identity)

    def holder(self, cluster: Cluster) -> str:
        """Who has the Lease; empty when it was given back."""
        namespace, _, name = self.lease.partition("/")
        return cluster.admin.get(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}")["spec"].get("holderIdentity", "")

    def decided(self, cluster: Cluster) -> dict[str, str]:
        """Nodes by pod, as far as muster has said them."""
        return requested(cluster) if self.has_binder else bound(cluster)

    def wait_until_bound(self, cluster: Cluster, count: int) -> float:
        """Seconds by which the binder of the tests, which is slow on a busy machine, is behind the last decision."""
        wait_until(f"nodes are said of {count} pods", lambda: len(self.decided(cluster)) == count, seconds=90)
        start = time.monotonic()
        wait_until("all are bound", lambda: len(bound(cluster)) == count, seconds=90)
        return time.monotonic() - start

    def hold(self, history: PodHistory, cluster: Cluster, minimum: dict[str, int], outage: float = 0, allowed: tuple[str, ...] = (),
             outages: laws.Spans = ()) -> None:
        """The laws. As long as there is no API server, or nobody leads, nobody can complete a gang. The pods that are allowed to go are named."""
        wait_until("everything has been seen", history.is_current)
        sights = history.sights()
        partial = laws.partial_gangs(sights, self.gang_of, minimum, time.monotonic(), laws.LONGEST_PARTIAL + outage, outages)
        lost = laws.lost({*cluster.created_pods, *(sight.key for sight in sights)}, sights, allowed)
        for found in (laws.bound_twice(sights), laws.overcommitted(sights, cluster.created_nodes), partial, lost):
            assert not found, found


VOLCANO = Dialect("volcano", a_volcano_gang, laws.volcano_gang, (), ("--kube-api-qps", "--kube-api-burst"), "FailedScheduling", "volcano-system/volcano")
KAI = Dialect("kai", a_kai_gang, laws.kai_gang, ("--listen-address=127.0.0.1:0", "--bind=direct"), ("--qps", "--burst"), "Unschedulable",
              "kai-scheduler/kai-scheduler")
KAI_REQUESTS = dataclasses.replace(KAI, flags=("--listen-address=127.0.0.1:0",), has_binder=True)  # as KAI does by default


def create(cluster: Cluster, items: list[Object]) -> None:
    cluster.create_all([creation(item) for item in items])


def bound(cluster: Cluster, prefix: str = "") -> dict[str, str]:
    """Nodes by pod, of those whose names begin so."""
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in cluster.pods("t")
            if pod["metadata"]["name"].startswith(prefix) and pod["spec"].get("nodeName")}


def requested(cluster: Cluster) -> dict[str, str]:
    """Nodes by pod, of those that a binder is or was to bind."""
    return {one["spec"]["podName"]: one["spec"]["selectedNode"] for one in cluster.admin.items(f"{REQUESTS}/namespaces/t/bindrequests")}


def scheduled(cluster: Cluster, pod: str) -> Object:
    """Whether it is scheduled, as its status says."""
    conditions = cluster.admin.get(f"/api/v1/namespaces/t/pods/{pod}")["status"].get("conditions", [])
    return next((one for one in conditions if one["type"] == "PodScheduled"), {})
