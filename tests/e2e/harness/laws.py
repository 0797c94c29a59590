"""What must never happen on a cluster, whoever schedules. Each law lists its violations; none means that it held."""
from typing import Callable, Iterable

from .amounts import amount, pod_request
from .api import Object
from .pod_history import Sight

Gang = str
LONGEST_PARTIAL = 10.0  # seconds


def bound_twice(sights: Iterable[Sight]) -> list[str]:
    """A pod that has a node keeps it."""
    nodes: dict[str, str] = {}
    found = []
    for sight in sights:
        node = sight.pod["spec"].get("nodeName", "")
        before = nodes.setdefault(sight.uid, node)
        if before and node != before:
            found.append(f"{sight.key} moved from {before} to {node or 'no node'}")
        nodes[sight.uid] = node or before
    return found


def overcommitted(sights: Iterable[Sight], nodes: Iterable[Object]) -> list[str]:
    """At no moment do the pods of a node ask for more than it has."""
    room = {node["metadata"]["name"]: {name: amount(value) for name, value in node["status"]["allocatable"].items()} for node in nodes}
    used: dict[str, dict] = {name: {} for name in room}
    holding: dict[str, tuple[str, dict]] = {}
    found = []
    for sight in sights:
        _release(used, holding.pop(sight.uid, None))
        if not sight.node:
            continue
        if sight.node not in room:
            found.append(f"{sight.key} is on {sight.node}, which does not exist")
            continue
        holding[sight.uid] = (sight.node, pod_request(sight.pod))
        for name, value in holding[sight.uid][1].items():
            total = used[sight.node][name] = used[sight.node].get(name, 0) + value
            if total > room[sight.node].get(name, 0):
                found.append(f"{sight.node}: {float(total):g} {name} asked of {float(room[sight.node].get(name, 0)):g} with {sight.key}")
    return found


def partial_gangs(sights: Iterable[Sight], gang_of: Callable[[Object], Gang | None], minimum: dict[Gang, int], now: float,
                  longest: float = LONGEST_PARTIAL) -> list[str]:
    """No gang has some but less than its minimum of members on nodes for longer than a moment. Ended members count as having run."""
    members: dict[Gang, set[str]] = {gang: set() for gang in minimum}
    since: dict[Gang, float] = {}
    found = []
    for sight in sights:
        gang = gang_of(sight.pod)
        if gang not in members:
            continue
        ended = not sight.gone and sight.pod.get("status", {}).get("phase") in ("Succeeded", "Failed")
        (members[gang].add if sight.node or ended else members[gang].discard)(sight.uid)
        if 0 < len(members[gang]) < minimum[gang]:
            since.setdefault(gang, sight.time)
        elif gang in since:
            found += _too_long(gang, sight.time - since.pop(gang), longest)
    for gang, start in since.items():
        found += _too_long(gang, now - start, longest)
    return found


def lost(created: Iterable[str], sights: Iterable[Sight], allowed: Iterable[str] = ()) -> list[str]:
    """Pods, as namespace/name, that were created and are no longer there, except those that the test allows to go."""
    last = {sight.key: sight for sight in sights}
    return [f"{key} was never seen" if key not in last else f"{key} is gone"
            for key in created if key not in allowed and (key not in last or last[key].gone)]


def volcano_gang(pod: Object) -> Gang | None:
    return _in_namespace(pod, "scheduling.k8s.io/group-name")


def kai_gang(pod: Object) -> Gang | None:
    return _in_namespace(pod, "pod-group-name")


def _in_namespace(pod: Object, annotation: str) -> Gang | None:
    name = pod["metadata"].get("annotations", {}).get(annotation)
    return f"{pod['metadata']['namespace']}/{name}" if name else None


def _release(used: dict[str, dict], held: tuple[str, dict] | None) -> None:
    if held:
        for name, value in held[1].items():
            used[held[0]][name] -= value


def _too_long(gang: Gang, seconds: float, longest: float) -> list[str]:
    return [f"{gang} was partly bound for {seconds:.1f} s"] if seconds > longest else []
