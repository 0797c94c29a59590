"""What the scheduler's user wrote, as the API server noted it: every request, when it came and when it was answered."""
import contextlib
import dataclasses
import datetime
import json
import urllib.parse
from typing import Iterable, Iterator

from .cluster import Cluster

SCHEDULER = "e2e-scheduler"
SECOND = "e2e-second-scheduler"
FORBIDDEN = 403


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
    user: str = ""
    uid: str = ""  # of the pod that is bound
    node: str = ""  # that it is to get
    phase: str = ""  # that a binder says of a BindRequest

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


def written(cluster: Cluster, namespace: str = "", user: str = SCHEDULER) -> list[Written]:
    """By the scheduler's user, in the order of the answers; of one namespace, or of all."""
    return [one for one in noted(cluster) if one.user == user and (not namespace or one.namespace == namespace)]


def noted(cluster: Cluster) -> list[Written]:
    """By anybody."""
    return [_request(line) for line in _lines(cluster)]


def rights_used(cluster: Cluster) -> set[tuple[str, str, str]]:
    """Verb, API group and resource of whatever the scheduler's user was allowed to ask for. Needs the policy places.AUDIT_OF_RIGHTS."""
    return {(line["verb"], line["objectRef"].get("apiGroup", ""), _resource(line["objectRef"])) for line in _lines(cluster)
            if line.get("responseStatus", {}).get("code") != FORBIDDEN and "resource" in line.get("objectRef", {})}


def followed(cluster: Cluster, resource: str) -> list[tuple[float, dict[str, str]]]:
    """When the scheduler's user began to watch all objects of a resource, and with which parameters. A list may be a watch, too: sendInitialEvents."""
    return [(_seconds(line["requestReceivedTimestamp"]), dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(line["requestURI"]).query)))
            for line in _lines(cluster) if line["verb"] == "watch" and line["stage"] == "ResponseStarted" and _resource(line["objectRef"]) == resource]


def refusals(cluster: Cluster) -> list[str]:
    """What the scheduler's user asked for without the right to."""
    return [f"{line['verb']} {line['requestURI']}" for line in _lines(cluster) if line.get("responseStatus", {}).get("code") == FORBIDDEN]


def answers(cluster: Cluster, resource: str) -> set[int]:
    """The codes with which the server answered what the scheduler's user wrote to it."""
    return {one.code for one in written(cluster) if one.resource == resource}


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


def _lines(cluster: Cluster) -> Iterator[dict]:
    """A server that is killed, or still writes, leaves half a line."""
    with open(cluster.plane.audit_log, encoding="utf-8") as lines:
        for line in lines:
            with contextlib.suppress(ValueError):
                yield json.loads(line)


def _resource(about: dict) -> str:
    part = about.get("subresource")
    return about.get("resource", "") + (f"/{part}" if part else "")


def _request(line: dict) -> Written:
    about = line.get("objectRef", {})
    body = line.get("requestObject", {})
    owners = body.get("metadata", {}).get("ownerReferences", [])
    return Written(line["verb"], _resource(about), about.get("namespace", ""), about.get("name", ""),
                   line.get("responseStatus", {}).get("code", 0), _seconds(line["requestReceivedTimestamp"]), _seconds(line["stageTimestamp"]),
                   line["user"]["username"], owners[0]["uid"] if owners else about.get("uid", ""), body.get("spec", {}).get("selectedNode", body.get("target", {}).get("name", "")),
                   body.get("status", {}).get("phase", ""))


def _seconds(text: str) -> float:
    return datetime.datetime.fromisoformat(text).timestamp()
