"""The custom resources of both dialects: what must be accepted is, what is wrong is not."""
import copy
import json
import pathlib
import re
from typing import Iterator

from harness import places
from harness.api import ApiError, Object
from harness.cluster import Cluster
from harness.objects import collection, documents

DIALECTS = ("volcano", "kai")
OURS = ("volcano.sh", "run.ai", "kai.scheduler")
CASES_PER_FAMILY = 2
DRY = {"dryRun": "All", "fieldValidation": "Strict"}


def test_install(cluster: Cluster) -> None:
    """both dialects' definitions are established side by side"""
    for dialect in DIALECTS:
        cluster.install_crds(places.DEPLOY / "crds" / dialect)
    for crd in _definitions(cluster):
        conditions = {c["type"]: c["status"] for c in crd["status"]["conditions"]}
        assert "NonStructuralSchema" not in conditions, f"{crd['metadata']['name']}: {conditions}"
        assert conditions["NamesAccepted"] == "True", f"{crd['metadata']['name']}: {conditions}"


def test_examples(cluster: Cluster) -> None:
    """every custom resource in examples/ is accepted, without one unknown field"""
    test_install(cluster)
    listed = cluster.kubectl("create", "--dry-run=client", "-o", "json", "-R", "-f", str(places.EXAMPLES))
    groups = {crd["spec"]["group"] for crd in _definitions(cluster)}
    unknown = [line for line in listed.stderr.splitlines() if not _is_of_others(line, groups)]
    assert not unknown, "\n".join(unknown)
    objects = [item for item in documents(listed.stdout) if _is_ours(item)]
    assert len(objects) > 40, f"only {len(objects)} found"
    _accept(cluster, objects)


def _is_of_others(line: str, groups: set[str]) -> bool:
    """kubectl's word for a workload of an operator that is not installed here: what-if expands it, nobody applies it."""
    found = re.search(r'no matches for kind "\w+" in version "([^"/]+)/', line)
    return line.startswith("ensure CRDs are installed first") or bool(found and found.group(1) not in groups)


def test_recorded(cluster: Cluster) -> None:
    """custom resources of some recorded cases of each family are accepted, without one unknown field"""
    test_install(cluster)
    objects = [item for case in _recorded() for item in case["objects"] if _is_ours(item)]
    kinds = {item["kind"] for item in objects}
    expected = {"PodGroup", "Queue", "HyperNode", "Numatopology", "NodeShard", "BindRequest", "Topology"}
    assert kinds == expected, f"cases hold {sorted(kinds)}"
    _accept(cluster, objects)


def test_wrong_types(cluster: Cluster) -> None:
    """a value of the wrong type, outside its bounds, or in an unknown field is refused"""
    test_install(cluster)
    wrong = [
        (_volcano_group({"minMember": "four"}), 422),
        (_volcano_group({"minMember": -1}), 422),
        (_volcano_group({"minResources": {"cpu": "four"}}), 422),
        (_volcano_group({"networkTopology": {"mode": "medium"}}), 422),
        (_volcano_group({"subGroupPolicy": {}}), 422),
        (_volcano_group({"minMembers": 4}), 400),
        (_volcano_queue({"weight": 0}), 422),
        (_volcano_queue({"weight": 70000}), 422),
        (_volcano_queue({"dequeueStrategy": "lifo"}), 422),
        (_volcano_queue({"capability": {"cpu": "1 core"}}), 422),
        (_hyper_node([{"type": "Node", "selector": {}}]), 422),
        (_hyper_node([{"type": "Node", "selector": {"exactMatch": {"name": "a"}, "regexMatch": {"pattern": "a"}}}]), 422),
        (_hyper_node([{"type": "Rack", "selector": {"exactMatch": {"name": "a"}}}]), 422),
        (_kai_group({"minMember": "four"}), 422),
        (_kai_group({"preemptibility": "perhaps"}), 422),
        (_kai_group({"subGroups": [{"name": "Upper"}]}), 422),
        (_kai_group({"subGroups": [{"minMember": 1}]}), 422),
        (_kai_queue({"resources": {"gpu": {"quota": "all"}}}), 422),
        (_kai_queue({"resources": {"gpus": {"quota": 1}}}), 400),
        (_kai_topology("kubernetes.io/hostname", "example.com/rack"), 422),
        (_kai_topology("example.com/rack", "example.com/rack"), 422),
        (_kai_topology(), 422),
    ]
    accepted = [f"{json.dumps(item['spec'])}: {status}, expected {expected}"
                for item, expected in wrong if (status := _status(cluster, item)) != expected]
    assert not accepted, "\n".join(accepted)


def test_defaults(cluster: Cluster) -> None:
    """what a manifest leaves out is filled in as the originals do"""
    test_install(cluster)
    group = _created(cluster, _volcano_group({"networkTopology": {}, "subGroupPolicy": [{"name": "part"}]}))["spec"]
    assert group["queue"] == "default" and group["networkTopology"] == {"mode": "hard"}, group
    assert group["subGroupPolicy"] == [{"name": "part", "subGroupSize": 1, "minSubGroups": 0}], group
    queue = _created(cluster, _volcano_queue({}))["spec"]
    assert queue == {"weight": 1, "dequeueStrategy": "traverse"}, queue


def test_status(cluster: Cluster) -> None:
    """status is written apart from the rest, but with the whole object for Volcano's PodGroup"""
    test_install(cluster)
    for item, status in ((_volcano_queue({"weight": 3}), {"allocated": {"cpu": "2", "memory": "1Gi"}}),
                         (_kai_group({"minMember": 2}), {"schedulingConditions": [{"type": "UnschedulableOnNodePool", "nodePool": "default"}]}),
                         (_kai_queue({"priority": 5}), {"childQueues": ["a"]})):
        with _existing(cluster, item) as path:
            answer = cluster.admin.merge(f"{path}/status", {"status": status, "spec": {"priority": 77, "minMember": 77}})
            assert answer["status"] == status, answer
            assert all(answer["spec"][key] == value for key, value in item["spec"].items()), f"spec changed by way of status: {answer['spec']}"
            answer = cluster.admin.merge(path, {"status": {}, "spec": {}})
            assert answer["status"] == status, f"status changed by way of the object: {answer}"
    with _existing(cluster, _volcano_group({"minMember": 2})) as path:
        assert cluster.admin.status_of("GET", f"{path}/status") == 404
        answer = cluster.admin.merge(path, {"status": {"phase": "Inqueue"}})
        assert answer["status"] == {"phase": "Inqueue"}, answer


def test_columns(cluster: Cluster) -> None:
    """kubectl shows the columns that users of the originals know"""
    test_install(cluster)
    for item, header in ((_volcano_group({"minMember": 2}), ["NAME", "STATUS", "MINMEMBER", "RUNNINGS", "AGE"]),
                         (_volcano_queue({}), ["NAME", "PARENT"]),
                         (_kai_queue({}), ["NAME", "PRIORITY", "PARENT", "CHILDREN", "DISPLAYNAME"])):
        with _existing(cluster, item) as path:
            kind = f"{path.split('/')[-2]}.{item['apiVersion'].split('/')[0]}"
            table = cluster.kubectl("get", kind, "-n", "crds", item["metadata"]["name"])
            assert table.returncode == 0, table.stderr
            assert table.stdout.splitlines()[0].split() == header, table.stdout


# --- objects

def _volcano_group(spec: Object) -> Object:
    return {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "crds"}, "spec": spec}


def _volcano_queue(spec: Object) -> Object:
    return {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "crds"}, "spec": spec}


def _hyper_node(members: list[Object]) -> Object:
    return {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": "crds"},
            "spec": {"tier": 1, "members": members}}


def _kai_group(spec: Object) -> Object:
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "crds"}, "spec": spec}


def _kai_queue(spec: Object) -> Object:
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "crds"}, "spec": spec}


def _kai_topology(*labels: str) -> Object:
    return {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "crds"},
            "spec": {"levels": [{"nodeLabel": label} for label in labels]}}


# --- asking the server

class _existing:
    """An object that exists within a with statement; the value is its path."""

    def __init__(self, cluster: Cluster, item: Object):
        self._cluster = cluster
        self._item = item
        self._path = f"{collection(item)}/{item['metadata']['name']}"

    def __enter__(self) -> str:
        self._cluster.namespace("crds")
        self._cluster.admin.create(collection(self._item), self._item, fieldValidation="Strict")
        return self._path

    def __exit__(self, *_) -> None:
        self._cluster.admin.delete(self._path)


def _definitions(cluster: Cluster) -> list[Object]:
    crds = cluster.admin.items("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
    return [crd for crd in crds if crd["spec"]["group"].endswith(OURS)]


def _created(cluster: Cluster, item: Object) -> Object:
    if "namespace" in item["metadata"]:
        cluster.namespace(item["metadata"]["namespace"])
    return cluster.admin.create(collection(item), item, **DRY)


def _status(cluster: Cluster, item: Object) -> int:
    try:
        _created(cluster, item)
        return 201
    except ApiError as error:
        return error.status


def _accept(cluster: Cluster, objects: list[Object]) -> None:
    refused = []
    for item in objects:
        item = copy.deepcopy(item)
        if "namespace" in item["metadata"]:
            item["metadata"]["namespace"] = "crds"
        for given_by_server in ("uid", "creationTimestamp", "resourceVersion"):
            item["metadata"].pop(given_by_server, None)
        try:
            _created(cluster, item)
        except ApiError as error:
            refused.append(str(error))
    assert not refused, f"{len(refused)} of {len(objects)} refused:\n" + "\n".join(sorted(set(refused))[:10])


# --- where objects come from

def _is_ours(item: Object) -> bool:
    return item["apiVersion"].partition("/")[0].endswith(OURS)


def _recorded() -> Iterator[Object]:
    for family in sorted(places.CONFORMANCE.glob("*.jsonl")):
        yield from _first_with_kinds(family)


def _first_with_kinds(family: pathlib.Path) -> Iterator[Object]:
    """The first cases, and the first that has a kind which those before did not have."""
    seen: set[str] = set()
    with open(family) as lines:
        for index, line in enumerate(lines):
            case = json.loads(line)
            kinds = {item["kind"] for item in case["objects"]}
            if index < CASES_PER_FAMILY or kinds - seen:
                yield case
            seen |= kinds
