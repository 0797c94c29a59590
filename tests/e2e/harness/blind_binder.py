"""The yardstick of every measurement: a client that decides nothing and only posts bindings.

What it reaches is the ceiling of the API server on this machine in this minute; a scheduler's speed is stated as a part of it.
"""
import dataclasses

from .api import Object
from .bulk import Request, Speed, post_all
from .cluster import Cluster, running
from .control_plane import Setup
from .objects import a_binding, a_node, a_pod, collection, creation


@dataclasses.dataclass(frozen=True)
class Bound:
    """The speed, and the server's own processor time per binding: steadier than the rate when the machine is busy."""
    speed: Speed
    server_ms_per_bind: float


def bind_blindly(cluster: Cluster, pods: list[Object], nodes: list[str], connections: int = 64, user: str = "admin") -> Bound:
    """Binds the pods to the nodes in turn."""
    requests = [_binding(pod, nodes[index % len(nodes)]) for index, pod in enumerate(pods)]
    server = cluster.plane.children["kube-apiserver"]
    before = server.cpu_seconds()
    speed = post_all(cluster.plane.server, cluster.plane.tokens[user], requests, connections)
    return Bound(speed, 1000 * (server.cpu_seconds() - before) / max(1, len(requests)))


def measure(pods: int, nodes: int = 100, connections: tuple[int, ...] = (1, 4, 16, 64)) -> None:
    """Prints what this machine's API server takes: so many pods created and bound for each number of connections."""
    names = [f"node-{index}" for index in range(nodes)]
    room = str(pods * len(connections))
    with running(Setup(controllers=False, kubelets=False)) as cluster:
        cluster.add_nodes([a_node(name, cpu=room, pods=room) for name in names])
        print(f"{'connections':>11} {'creates/s':>10} {'binds/s':>8} {'server ms/bind':>15}")
        for count in connections:
            namespace = cluster.namespace(f"blind-{count}")
            work = [a_pod(namespace, f"p-{index}", {"cpu": "1"}) for index in range(pods)]
            created = cluster.create_all([creation(pod) for pod in work], count)
            bound = bind_blindly(cluster, work, names, count)
            assert bound.speed.status == {"201": pods}, f"{bound.speed.status}: {bound.speed.refusals}"
            print(f"{count:11} {created.per_second:10.0f} {bound.speed.per_second:8.0f} {bound.server_ms_per_bind:15.2f}", flush=True)


def _binding(pod: Object, node: str) -> Request:
    return Request(f"{collection(pod)}/{pod['metadata']['name']}/binding", a_binding(pod, node))
