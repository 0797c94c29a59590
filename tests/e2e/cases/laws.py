"""The laws find what they are meant to find, and nothing else."""
from harness import laws
from harness.api import Object
from harness.audit import Written
from harness.objects import a_node, a_pod
from harness.pod_history import Sight


def _sight(time: float, name: str, node: str = "", phase: str = "Pending", gone: bool = False, cpu: str = "1", uid: str = "") -> Sight:
    pod = a_pod("ns", name, {"cpu": cpu}, annotations={"scheduling.k8s.io/group-name": name.partition("-")[0]})
    pod["metadata"]["uid"] = uid or name
    pod["status"] = {"phase": phase}
    if node:
        pod["spec"]["nodeName"] = node
    return Sight(time, pod, gone)


def test_bound_twice() -> None:
    """a pod changes its node; a new pod of the same name may be elsewhere"""
    assert not laws.bound_twice([_sight(0, "a"), _sight(1, "a", "n1"), _sight(2, "a", "n1", "Running")])
    assert not laws.bound_twice([_sight(0, "a", "n1"), _sight(1, "a", "n1", gone=True), _sight(2, "a", "n2", uid="another")])
    assert laws.bound_twice([_sight(0, "a", "n1"), _sight(1, "a", "n2")]) == ["ns/a moved from n1 to n2"]
    assert laws.bound_twice([_sight(0, "a", "n1"), _sight(1, "a")]) == ["ns/a moved from n1 to no node"]


def _bind(time: float, uid: str, code: int = 201, resource: str = "pods/binding", node: str = "", verb: str = "create", phase: str = "") -> Written:
    return Written(verb, resource, "ns", uid, code, time, time + 0.1, uid=uid, node=node, phase=phase)


def test_decided_again() -> None:
    """a bind, or a BindRequest, is sent once; again only by who may not have heard of the first"""
    first, again = _bind(10, "a"), _bind(15, "a", 409)
    assert not laws.decided_again([first, _bind(11, "b"), _bind(12, "c", 409), _bind(13, "c")])
    assert laws.decided_again([first, again]) == ["pods/binding of ns/a was sent again 4.90 s after its 201: 409"]
    assert not laws.decided_again([first, again], cuts=[11]) and laws.decided_again([first, again], cuts=[9, 14])
    gone = Written("delete", "nodes", "", "n1", 200, 12, 12.1)
    assert not laws.decided_again([_bind(10, "a", node="n1"), gone, again]) and laws.decided_again([_bind(10, "a", node="n2"), gone, again])
    assert not laws.decided_again([gone, _bind(12.2, "a", node="n1"), again])
    asked, twice = _bind(10, "a", resource="bindrequests", node="n1"), _bind(15, "a", 409, "bindrequests", "n1")
    assert laws.decided_again([asked, twice])
    assert not laws.decided_again([asked, _bind(12, "a", 200, "bindrequests", verb="delete"), twice])


def test_requests_remade() -> None:
    """a pod is requested for another node only after the binder gave up or the node went"""
    first, other = _bind(10, "a", resource="bindrequests", node="n1"), _bind(15, "a", resource="bindrequests", node="n2")
    gone = Written("delete", "nodes", "", "n1", 200, 12, 12.1)
    assert laws.requests_remade([first, other]) == ["ns/a was requested for n1, then for n2"]
    assert not laws.requests_remade([first, _bind(12, "a", 200, "bindrequests/status", verb="patch", phase="Failed"), other])
    assert laws.requests_remade([first, _bind(12, "a", 200, "bindrequests/status", verb="patch", phase="Succeeded"), other])
    assert not laws.requests_remade([first, gone, other]) and not laws.requests_remade([gone, first, other])
    assert not laws.requests_remade([first, _bind(12, "b", resource="bindrequests", node="n2")])


def test_overcommitted() -> None:
    """room counts from the binding until the pod has ended or gone"""
    nodes: list[Object] = [a_node("n1", cpu="2", pods="3")]
    two = [_sight(0, "a", "n1"), _sight(1, "b", "n1")]
    assert not laws.overcommitted([*two, _sight(2, "a", "n1", "Running")], nodes)
    assert not laws.overcommitted([*two, _sight(2, "a", "n1", "Succeeded"), _sight(3, "c", "n1")], nodes)
    assert not laws.overcommitted([*two, _sight(2, "a", "n1", gone=True), _sight(3, "c", "n1")], nodes)
    assert laws.overcommitted([*two, _sight(2, "c", "n1")], nodes) == ["n1: 3 cpu asked of 2 with ns/c"]
    assert laws.overcommitted([_sight(0, "a", "n1", cpu="2001m")], nodes) == ["n1: 2.001 cpu asked of 2 with ns/a"]
    assert laws.overcommitted([_sight(number, f"p{number}", "n1", cpu="1m") for number in range(4)], nodes)
    assert laws.overcommitted([_sight(0, "a", "n9")], nodes) == ["ns/a is on n9, which does not exist"]


def test_partial_gangs() -> None:
    """a gang may be partly bound for a moment only; ended members have run"""
    def partial(sights: list[Sight], now: float) -> list[str]:
        return laws.partial_gangs(sights, laws.volcano_gang, {"ns/g": 2}, now)

    assert not partial([_sight(0, "g-0", "n1"), _sight(9, "g-1", "n1")], 99)
    assert partial([_sight(0, "g-0", "n1"), _sight(12, "g-1", "n1")], 99) == ["ns/g was partly bound for 12.0 s"]
    assert partial([_sight(0, "g-0", "n1")], 11) == ["ns/g was partly bound for 11.0 s"]
    late = [_sight(0, "g-0", "n1"), _sight(15, "g-1", "n1")]
    assert not laws.partial_gangs(late, laws.volcano_gang, {"ns/g": 2}, 99, outages=[(-5, 1), (2, 7), (14, 20)])
    assert laws.partial_gangs(late, laws.volcano_gang, {"ns/g": 2}, 99, outages=[(2, 4)]) == ["ns/g was partly bound for 13.0 s"]
    assert not partial([_sight(0, "g-0"), _sight(0, "g-1"), _sight(0, "other-0", "n1")], 99)
    assert not partial([_sight(0, "g-0", "n1"), _sight(1, "g-1", "n1"), _sight(2, "g-0", "n1", "Succeeded")], 99)
    assert partial([_sight(0, "g-0", "n1"), _sight(1, "g-1", "n1"), _sight(2, "g-0", "n1", gone=True)], 99)


def test_lost() -> None:
    """a pod that was created is there, or was allowed to go"""
    sights = [_sight(0, "a"), _sight(0, "b"), _sight(1, "b", gone=True)]
    assert laws.lost(["ns/a", "ns/b", "ns/c"], sights) == ["ns/b is gone", "ns/c was never seen"]
    assert not laws.lost(["ns/a", "ns/b"], sights, allowed=["ns/b"])
