"""The yardstick of every measurement: a client that decides nothing and only posts bindings.

What it reaches is the ceiling of the API server on this machine in this minute; a scheduler's speed is stated as a part of it.
"""
import dataclasses

from .api import Object
from .bulk import Request, Speed, post_all
from .cluster import Cluster
from .objects import a_binding, collection


@dataclasses.dataclass(frozen=True)
class Bound:
    """The speed, and the server's own processor time per binding: steadier than the rate when the machine is busy."""
    speed: Speed
    server_ms_per_bind: float


def bind_blindly(cluster: Cluster, pods: list[Object], nodes: list[str], connections: int = 64) -> Bound:
    """Binds the pods to the nodes in turn, as the scheduler's user would with an administrator's rights."""
    requests = [_binding(pod, nodes[index % len(nodes)]) for index, pod in enumerate(pods)]
    server = cluster.plane.children["kube-apiserver"]
    before = server.cpu_seconds()
    speed = post_all(cluster.plane.server, cluster.plane.tokens["admin"], requests, connections)
    return Bound(speed, 1000 * (server.cpu_seconds() - before) / max(1, len(requests)))


def _binding(pod: Object, node: str) -> Request:
    return Request(f"{collection(pod)}/{pod['metadata']['name']}/binding", a_binding(pod, node))
