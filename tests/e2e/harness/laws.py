"""What must never happen on a cluster, whoever schedules. Each law lists its violations; none means that it held."""
from typing import Callable, Iterable, Sequence

from .amounts import amount, pod_request
from .api import Object
from .audit import Written
from .pod_history import Sight

Gang = str
Spans = Sequence[tuple[float, float]]  # of time: from and to
LONGEST_PARTIAL = 10.0  # seconds
UNHEARD = 2.0  # seconds after an answer in which whoever asked may have ended without having acted on it


def decided_again(requests: Iterable[Written], cuts: Iterable[float] = ()) -> list[str]:
    """Nobody binds a pod, or asks for it, that has been bound: the API server refuses that, so it is told by what it was asked.

    A cut is when a scheduler or the API server was killed: what was answered just then may not have been heard. A pod whose node goes may be
    decided about again, in vain, until it is gone itself; also one that was decided about before it was heard that the node is gone.
    """
    taken: dict[tuple[str, str], Written] = {}
    gone: set[str] = set()
    found = []
    for one in requests:
        kind = (one.resource, one.uid)
        if one.resource == "bindrequests" and one.verb == "delete" and one.code == 200:
            taken = {key: first for key, first in taken.items() if (first.resource, first.namespace, first.name) != (one.resource, one.namespace, one.name)}
        elif one.resource == "nodes" and one.verb == "delete":
            gone.add(one.name)
            taken = {key: first for key, first in taken.items() if first.node != one.name}
        elif one.is_bind and one.uid and kind in taken and not _is_unheard(taken[kind], cuts):
            found.append(f"{one.resource} of {one.namespace}/{one.name} was sent again {one.came - taken[kind].answered:.2f} s after its 201: {one.code}")
        elif one.is_bind and one.uid and one.code == 201 and one.node not in gone:
            taken[kind] = one
    return found


def requests_remade(requests: Iterable[Written]) -> list[str]:
    """A BindRequest for another node only when the first one is void: its binder gave up, or its node went. Of all users' requests."""
    standing: dict[str, Written] = {}
    gone: set[str] = set()
    found = []
    for one in requests:
        if one.resource == "bindrequests/status" and one.phase == "Failed":
            standing = {uid: first for uid, first in standing.items() if (first.namespace, first.name) != (one.namespace, one.name)}
        elif one.resource == "nodes" and one.verb == "delete":
            gone.add(one.name)
            standing = {uid: first for uid, first in standing.items() if first.node != one.name}
        elif one.resource == "bindrequests" and one.verb == "create" and one.code == 201 and one.node not in gone:
            first = standing.setdefault(one.uid, one)
            if first.node != one.node:
                found.append(f"{one.namespace}/{one.name} was requested for {first.node}, then for {one.node}")
    return found


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
                  longest: float = LONGEST_PARTIAL, outages: Spans = ()) -> list[str]:
    """No gang has some but less than its minimum of members on nodes for longer than a moment, in which outages do not count.

    Ended members count as having run.
    """
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
            found += _too_long(gang, _outside(since.pop(gang), sight.time, outages), longest)
    for gang, start in since.items():
        found += _too_long(gang, _outside(start, now, outages), longest)
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


def _is_unheard(first: Written, cuts: Iterable[float]) -> bool:
    return any(first.came <= cut <= first.answered + UNHEARD for cut in cuts)


def _outside(start: float, end: float, outages: Spans) -> float:
    """Seconds from start to end that are in none of them."""
    return end - start - sum(max(0.0, min(end, last) - max(start, first)) for first, last in outages)


def _too_long(gang: Gang, seconds: float, longest: float) -> list[str]:
    return [f"{gang} was partly bound for {seconds:.1f} s"] if seconds > longest else []
