"""Workloads of operators that make no PodGroups: --group-pods makes them, with the rights of the chart, and the gangs start whole or not at all."""
import dataclasses
import time

from harness import audit, places
from harness.api import Object
from harness.cluster import Cluster
from harness.control_plane import Setup
from harness.dialects import KAI, KAI_REQUESTS, VOLCANO, Dialect, bound
from harness.installed import Installed
from harness.objects import a_node, a_pod, collection
from harness.pod_history import PodHistory
from harness.wait import wait_until

AUDITED = Setup(controllers=False, audited=True, audit_policy=places.AUDIT_OF_RIGHTS)
QUEUE = {"kai.scheduler/queue": "team"}
LEAST = "scheduling.volcano.sh/group-min-member"
KINDS = (("kubeflow.org", "v1", "PyTorchJob"), ("ray.io", "v1", "RayCluster"), ("jobset.x-k8s.io", "v1alpha2", "JobSet"),
         ("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet"), ("sparkoperator.k8s.io", "v1beta2", "SparkApplication"))
GROUPS = {"volcano": "/apis/scheduling.volcano.sh/v1beta1/namespaces/t/podgroups", "kai": "/apis/scheduling.run.ai/v2alpha2/namespaces/t/podgroups"}
NOTE = {"volcano": "scheduling.k8s.io/group-name", "kai": "pod-group-name"}


@dataclasses.dataclass(frozen=True)
class Group:
    """A PodGroup as it must be: what of its spec is looked at, and its pods with the subgroups that they are in."""
    spec: Object
    pods: dict[str, str]
    least: int  # pods that start together


@dataclasses.dataclass(frozen=True)
class Workload:
    """Its pods ask for a resource that no other's do: `scarce` of it is there at first, of which `early` is used."""
    name: str
    groups: dict[str, Group]
    scarce: int
    early: int


class Operators:
    """Make what they would, one object after the other, in the namespace t."""

    def __init__(self, cluster: Cluster, scheduler: str):
        self._cluster = cluster
        self._scheduler = scheduler
        for group, version, kind in KINDS:
            self._define(group, version, kind)

    def own(self, api_version: str, kind: str, name: str, spec: Object, by: Object | None = None, annotations: dict[str, str] | None = None) -> Object:
        """Something that owns pods, or what owns them; `by` owns it itself."""
        owners = {"ownerReferences": [_reference(by)]} if by else {"labels": QUEUE}
        item = {"apiVersion": api_version, "kind": kind, "metadata": {"namespace": "t", "name": name, "annotations": annotations or {}, **owners}, "spec": spec}
        return self._cluster.admin.create(collection(item), item)

    def stateful_set(self, name: str, by: Object) -> Object:
        pods = {"metadata": {"labels": {"set": name}}, "spec": {"containers": [{"name": "main", "image": "none"}]}}
        return self.own("apps/v1", "StatefulSet", name, {"serviceName": name, "selector": {"matchLabels": {"set": name}}, "template": pods}, by, {LEAST: "2"})

    def job(self, name: str, by: Object, pods: int) -> Object:
        spec = {"parallelism": pods, "completions": pods, "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}]}}}
        return self.own("batch/v1", "Job", name, spec, by, {LEAST: str(pods)})

    def pod(self, name: str, by: Object, asks: str, labels: dict[str, str], annotations: dict[str, str] | None = None) -> Object:
        item = a_pod("t", name, {"cpu": "100m", f"example.com/{asks}": "1"}, self._scheduler, annotations, {**labels, **QUEUE})
        item["metadata"]["ownerReferences"] = [_reference(by)]
        self._cluster.created_pods.add(f"t/{name}")
        return self._cluster.admin.create("/api/v1/namespaces/t/pods", item)

    def _define(self, group: str, version: str, kind: str) -> None:
        """A kind of which nobody checks the form."""
        plural = f"{kind.lower()}s"
        anything = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        approved = {"annotations": {"api-approved.kubernetes.io": "unapproved, of a test"}} if group.endswith(".k8s.io") else {}
        self._cluster.admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.{group}", **approved},
            "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": anything}]}})
        wait_until(f"{plural} are served", lambda: self._cluster.admin.status_of("GET", f"/apis/{group}/{version}/namespaces/t/{plural}") == 200)


def _reference(owner: Object) -> Object:
    return {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
            "controller": True, "blockOwnerDeletion": True}


def _uid(item: Object) -> str:
    return item["metadata"]["uid"]


def _subs(*groups: tuple[str, int]) -> list[Object]:
    return [{"name": name, "minMember": least} for name, least in groups]


def _pytorch(operators: Operators, dialect: Dialect) -> Workload:
    """Kubeflow's: a master and three workers."""
    job = operators.own("kubeflow.org/v1", "PyTorchJob", "torch", {"pytorchReplicaSpecs": {"Master": {"replicas": 1}, "Worker": {"replicas": 3}}})
    roles = {f"torch-{role}-{index}": role for role, count in (("master", 1), ("worker", 3)) for index in range(count)}
    for name, role in roles.items():
        operators.pod(name, job, "torch", {"training.kubeflow.org/job-name": "torch", "training.kubeflow.org/replica-type": role,
                                           "training.kubeflow.org/replica-index": name.rpartition("-")[2]})
    if dialect is VOLCANO:
        return Workload("torch", {f"podgroup-{_uid(job)}": Group({"minMember": 1}, roles, 1)}, 1, 1)
    spec = {"minMember": 4, "queue": "team", "subGroups": _subs(("master", 1), ("worker", 3))}
    return Workload("torch", {f"pg-torch-{_uid(job)}": Group(spec, roles, 4)}, 3, 0)


def _ray(operators: Operators, dialect: Dialect) -> Workload:
    """A head and three workers, of which two will do."""
    workers = {"groupName": "small", "replicas": 3, "minReplicas": 2, "maxReplicas": 5}
    cluster = operators.own("ray.io/v1", "RayCluster", "ray", {"headGroupSpec": {}, "workerGroupSpecs": [workers]})
    groups = {"ray-head": "headgroup", **{f"ray-small-worker-{index}": "small" for index in range(3)}}
    for name, group in groups.items():
        operators.pod(name, cluster, "ray", {"ray.io/cluster": "ray", "ray.io/group": group})
    if dialect is VOLCANO:
        return Workload("ray", {f"podgroup-{_uid(cluster)}": Group({"minMember": 1}, groups, 1)}, 1, 1)
    spec = {"minMember": 3, "queue": "team", "subGroups": _subs(("headgroup", 1), ("small", 2))}
    return Workload("ray", {f"pg-ray-{_uid(cluster)}": Group(spec, groups, 3)}, 2, 0)


def _job_set(operators: Operators, dialect: Dialect) -> Workload:
    """A job of one pod, and two of two; each is a Job of its own."""
    jobs = (("driver", 1, 1), ("workers", 2, 2))
    owner = operators.own("jobset.x-k8s.io/v1alpha2", "JobSet", "set", {"replicatedJobs": [
        {"name": name, "replicas": replicas, "template": {"spec": {"parallelism": pods}}} for name, replicas, pods in jobs]})
    every: dict[str, str] = {}
    by_job: dict[str, Group] = {}
    for name, replicas, pods in jobs:
        for index in range(replicas):
            job = operators.job(f"set-{name}-{index}", owner, pods)
            own = {f"set-{name}-{index}-{pod}": f"{name}-replica-{index}" for pod in range(pods)}
            for pod in own:
                operators.pod(pod, job, "set", {"jobset.sigs.k8s.io/jobset-name": "set", "jobset.sigs.k8s.io/replicatedjob-name": name,
                                                "jobset.sigs.k8s.io/job-index": str(index)})
            every |= own
            by_job[f"podgroup-{_uid(job)}"] = Group({"minMember": pods}, own, pods)
    if dialect is VOLCANO:
        return Workload("set", by_job, 1, 1)
    parts = [part for name, replicas, pods in jobs for part in (
        {"name": name, "minSubGroup": replicas}, *({"name": f"{name}-replica-{index}", "parent": name, "minMember": pods} for index in range(replicas)))]
    return Workload("set", {f"pg-set-{_uid(owner)}": Group({"minSubGroup": 2, "queue": "team", "subGroups": parts}, every, 5)}, 4, 0)


def _leader_worker_set(operators: Operators, dialect: Dialect) -> Workload:
    """Two groups of a leader and two workers: leaders by a StatefulSet of the set, workers by one of their leader."""
    owner = operators.own("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "lws", {"replicas": 2, "leaderWorkerTemplate": {"size": 3}})
    leaders = operators.stateful_set("lws", owner)
    labels = {"leaderworkerset.sigs.k8s.io/name": "lws"}
    by_index: dict[str, Group] = {}
    by_set = {f"podgroup-{_uid(leaders)}": Group({"minMember": 2}, {"lws-0": "leader", "lws-1": "leader"}, 2)}
    for index in range(2):
        ours = {**labels, "leaderworkerset.sigs.k8s.io/group-index": str(index)}
        size = {"leaderworkerset.sigs.k8s.io/size": "3"}
        leader = operators.pod(f"lws-{index}", leaders, "lws", {**ours, "leaderworkerset.sigs.k8s.io/worker-index": "0"}, size)
        workers = operators.stateful_set(f"lws-{index}", leader)
        names = {f"lws-{index}-{worker}": "workers" for worker in (1, 2)}
        for name in names:
            operators.pod(name, workers, "lws", {**ours, "leaderworkerset.sigs.k8s.io/worker-index": name.rpartition("-")[2]}, size)
        spec = {"minMember": 3, "queue": "team", "subGroups": _subs(("leader", 1), ("workers", 2))}
        by_index[f"pg-lws-{_uid(owner)}-group-{index}"] = Group(spec, {f"lws-{index}": "leader", **names}, 3)
        by_set[f"podgroup-{_uid(workers)}"] = Group({"minMember": 2}, names, 2)
    return Workload("lws", by_set, 1, 0) if dialect is VOLCANO else Workload("lws", by_index, 2, 0)


def _spark(operators: Operators, dialect: Dialect) -> Workload:
    """A driver of the application, and an executor of the driver. The chart gives no right to see the application, which ends the chain at the driver."""
    application = operators.own("sparkoperator.k8s.io/v1beta2", "SparkApplication", "pi", {"mode": "cluster"})
    labels = {"spark-app-name": "pi", "spark-app-selector": "spark-0123"}
    driver = operators.pod("pi-driver", application, "spark", {**labels, "spark-role": "driver"})
    operators.pod("pi-exec-1", driver, "spark", {**labels, "spark-role": "executor"})
    one = {"minMember": 1}
    if dialect is VOLCANO:
        return Workload("spark", {f"podgroup-{_uid(application)}": Group(one, {"pi-driver": ""}, 1),
                                  f"podgroup-{_uid(driver)}": Group(one, {"pi-exec-1": ""}, 1)}, 1, 1)
    return Workload("spark", {"spark-0123": Group({**one, "queue": "team"}, {"pi-driver": "", "pi-exec-1": ""}, 1)}, 1, 1)


def _check_groups(cluster: Cluster, dialect: Dialect, workloads: list[Workload]) -> None:
    wanted = {name: group for workload in workloads for name, group in workload.groups.items()}
    made = {group["metadata"]["name"]: group["spec"] for group in cluster.admin.items(GROUPS[dialect.name])}
    assert made.keys() == wanted.keys(), f"made {sorted(made)}, and not {sorted(wanted)}"
    for name, group in wanted.items():
        assert {key: made[name].get(key) for key in group.spec} == group.spec, f"{name}: {made[name]}"
    noted = {pod["metadata"]["name"]: pod["metadata"] for pod in cluster.pods("t")}
    for name, group in wanted.items():
        for pod, part in group.pods.items():
            assert noted[pod]["annotations"][NOTE[dialect.name]] == name, noted[pod]
            assert dialect is VOLCANO or noted[pod]["labels"].get("kai.scheduler/subgroup-name", "") == part, noted[pod]


def _bound_of(cluster: Cluster, workload: Workload) -> int:
    return len([pod for group in workload.groups.values() for pod in group.pods if pod in bound(cluster)])


def _operators(dialect: Dialect, values: str) -> None:
    scheduler_name = {"volcano": "volcano", "kai": "kai-scheduler"}[dialect.name]
    with dialect.cluster([], AUDITED) as cluster, PodHistory(cluster.admin) as history:
        installed = Installed(cluster, dialect.name, values)
        operators = Operators(cluster, scheduler_name)
        scheduler = installed.scheduler()
        scheduler.wait_for("all objects are known")
        workloads = [make(operators, dialect) for make in (_pytorch, _ray, _job_set, _leader_worker_set, _spark)]
        total = sum(len(group.pods) for workload in workloads for group in workload.groups.values())
        wait_until("all pods are noted", lambda: sum(NOTE[dialect.name] in pod["metadata"].get("annotations", {}) for pod in cluster.pods("t")) == total, seconds=60)
        _check_groups(cluster, dialect, workloads)
        cluster.add_nodes([a_node("n-0", **{f"example.com/{one.name}": str(one.scarce) for one in workloads})])
        wait_until("what may start alone has", lambda: sum(_bound_of(cluster, one) for one in workloads) >= sum(one.early for one in workloads))
        time.sleep(3)
        early = {one.name: _bound_of(cluster, one) for one in workloads}
        assert early == {one.name: one.early for one in workloads}, early
        cluster.add_nodes([a_node("n-1", **{f"example.com/{one.name}": "9" for one in workloads})])
        wait_until("all are bound", lambda: len(bound(cluster)) == total, seconds=60)
        _check_groups(cluster, dialect, workloads)
        assert scheduler.stop() == 0
        _check_rights(cluster, dialect, installed.account.user)
        for word in ("could not", "cannot be grouped", "failed"):
            assert word not in scheduler.text(), scheduler.text()[-4000:]
        dialect.hold(history, cluster, {f"t/{name}": group.least for one in workloads for name, group in one.groups.items()})


def _check_rights(cluster: Cluster, dialect: Dialect, user: str) -> None:
    """Whoever asked was the chart's account; nothing was forbidden but to see what KAI's chain of owners ends at."""
    assert {one.user for one in audit.noted(cluster)} == {user}
    refusals = [one for one in audit.refusals(cluster) if dialect is VOLCANO or "/sparkapplications/" not in one]
    assert not refusals, refusals[:10]


def test_volcano() -> None:
    """pods of a PyTorchJob, a RayCluster, Jobs of a JobSet, a LeaderWorkerSet and a Spark application, grouped as Volcano does"""
    _operators(VOLCANO, "groupPods.enabled=true")


def test_kai() -> None:
    """the same, grouped as KAI does, with subgroups; binds are requested"""
    _operators(KAI_REQUESTS, "groupPods.enabled=true")


def test_kai_direct() -> None:
    """the same, where binds are muster's own"""
    _operators(KAI, "groupPods.enabled=true,bind=direct")
