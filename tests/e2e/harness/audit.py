"""What the scheduler's user wrote, as the API server noted it: every request, when it came and when it was answered."""
import dataclasses
import datetime
import json
from typing import Iterable

from .cluster import Cluster


@dataclasses.dataclass(frozen=True)
class Written:
    """One request. Times are those of the server, in seconds."""
    verb: str
    resource: str  # "pods/binding"
    namespace: str
    name: str
    code: int
    came: float
    answered: float

    @property
    def is_event(self) -> bool:
        return self.resource == "events"

    @property
    def is_lease(self) -> bool:
        return self.resource == "leases"

    @property
    def is_bind(self) -> bool:
        return self.resource in ("pods/binding", "bindrequests") and self.verb == "create"


def grant_all(cluster: Cluster) -> None:
    """The scheduler's user may do everything: which rights it needs is what rbac.py is about."""
    cluster.admin.apply("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/e2e-schedulers", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "e2e-schedulers"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "e2e:schedulers"}]})


def written(cluster: Cluster, namespace: str = "") -> list[Written]:
    """In the order of the answers; of one namespace, or of all. The log may end in half a line."""
    found = []
    with open(cluster.plane.audit_log, encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                found.append(_request(json.loads(line)))
    return [one for one in found if not namespace or one.namespace == namespace]


class Counter:
    """How often a text stood in the log so far. Reads only what is new: whoever waits must not take the processor from those who work."""

    def __init__(self, cluster: Cluster, text: str):
        self._log = cluster.plane.audit_log
        self._text = text.encode()
        self._read = self._log.stat().st_size
        self._rest = b""
        self._count = 0

    def count(self) -> int:
        with open(self._log, "rb") as log:
            log.seek(self._read)
            new = log.read()
        self._read += len(new)
        whole, _, self._rest = (self._rest + new).rpartition(b"\n")
        self._count += whole.count(self._text)
        return self._count


def binds_per_second(requests: Iterable[Written]) -> float:
    """From when the first bind came to when the last was answered; only those that succeeded count."""
    binds = [one for one in requests if one.is_bind and one.code == 201]
    seconds = max(one.answered for one in binds) - min(one.came for one in binds)
    return len(binds) / seconds


def _request(noted: dict) -> Written:
    about = noted.get("objectRef", {})
    part = about.get("subresource")
    return Written(noted["verb"], about.get("resource", "") + (f"/{part}" if part else ""), about.get("namespace", ""), about.get("name", ""),
                   noted.get("responseStatus", {}).get("code", 0), _seconds(noted["requestReceivedTimestamp"]), _seconds(noted["stageTimestamp"]))


def _seconds(text: str) -> float:
    return datetime.datetime.fromisoformat(text).timestamp()
