"""The rights of the scheduler: all that it needs, and nothing that it does not."""
import contextlib
import dataclasses
from typing import Callable, Iterator

from harness import audit, chart, places
from harness.api import ApiError, Object
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.kai_binder import RESERVATIONS, KaiBinder
from harness.objects import (a_binding, a_device_claim, a_device_class, a_device_slice, a_driver_node, a_kai_gang, a_local_volume, a_node, a_pod,
                             a_storage_class, a_volcano_gang, a_waiting_claim, creation, kai_queues, with_device, with_volume)
from harness.rejected_bindings import reject_bindings
from harness.scheduler import Scheduler
from harness.wait import wait_until

RULES_API = "/apis/rbac.authorization.k8s.io/v1"
READ = ("get", "list", "watch")
FOLLOW = ("list", "watch")
WRITE = ("update", "patch")
AUDITED = Setup(controllers=False, audited=True, audit_policy=places.AUDIT_OF_RIGHTS)


@dataclasses.dataclass(frozen=True)
class Right:
    """Verbs on a resource; `resource` may name a subresource after a slash."""
    verbs: tuple[str, ...]
    group: str
    resource: str
    namespace: str = "somewhere"
    name: str = ""


BOTH_READ = [Right(("get",), "", "pods"), *(Right(FOLLOW, group, resource) for group, resource in (
    ("", "pods"), ("", "nodes"), ("", "namespaces"), ("", "persistentvolumes"), ("", "persistentvolumeclaims"),
    ("scheduling.k8s.io", "priorityclasses"), ("storage.k8s.io", "storageclasses"), ("storage.k8s.io", "csidrivers"), ("storage.k8s.io", "csistoragecapacities"),
    ("resource.k8s.io", "resourceclaims"), ("resource.k8s.io", "resourceslices"), ("resource.k8s.io", "deviceclasses")))]
BOTH_WRITE = [Right(("create",), "", "pods/eviction"), Right(("patch",), "", "pods/status"), Right(("create",), "events.k8s.io", "events")]

NEEDED = {
    "volcano": [
        *BOTH_READ, *BOTH_WRITE, Right(FOLLOW, "policy", "poddisruptionbudgets"), Right(FOLLOW, "storage.k8s.io", "csinodes"),
        Right(FOLLOW, "", "resourcequotas"), Right(FOLLOW, "scheduling.volcano.sh", "podgroups"),
        Right(FOLLOW, "scheduling.volcano.sh", "queues"), Right(FOLLOW, "topology.volcano.sh", "hypernodes"),
        Right(FOLLOW, "nodeinfo.volcano.sh", "numatopologies"), Right(FOLLOW, "shard.volcano.sh", "nodeshards"),
        Right(("create",), "", "pods/binding"), Right(("patch",), "", "persistentvolumes"), Right(("patch",), "", "persistentvolumeclaims"),
        Right(("patch",), "resource.k8s.io", "resourceclaims"), Right(("patch",), "resource.k8s.io", "resourceclaims/status"),
        Right(("patch",), "resource.k8s.io", "resourceclaims/binding"), Right(("patch",), "scheduling.volcano.sh", "podgroups"),
        Right(("patch",), "scheduling.volcano.sh", "queues/status"),
        Right(("create",), "scheduling.volcano.sh", "queues"),
        Right(("create",), "coordination.k8s.io", "leases", "volcano-system"),
        Right(("get", "update"), "coordination.k8s.io", "leases", "volcano-system", "volcano")],
    "kai": [
        *BOTH_READ, *BOTH_WRITE, Right(FOLLOW, "scheduling.run.ai", "podgroups"),
        Right(FOLLOW, "scheduling.run.ai", "queues"), Right(FOLLOW, "kai.scheduler", "topologies"),
        Right(FOLLOW, "topology.node.k8s.io", "noderesourcetopologies"),
        Right((*READ, "create", "delete"), "scheduling.run.ai", "bindrequests"), Right(("patch",), "scheduling.run.ai", "podgroups"),
        Right(("patch",), "scheduling.run.ai", "podgroups/status"),
        Right(("create",), "coordination.k8s.io", "leases", "kai-scheduler"),
        Right(("get", "update"), "coordination.k8s.io", "leases", "kai-scheduler", "kai-scheduler")],
}

BOTH_DENIED = [
    Right(READ, "", "secrets"), Right(("create", "delete", "deletecollection", "update", "patch"), "", "pods"), Right(("create",), "", "pods/exec"),
    Right(("create", "update", "patch", "delete"), "", "nodes"), Right(WRITE, "", "nodes/status"),
    Right(("create", "delete"), "", "namespaces"), Right(("create", "update", "delete"), "", "configmaps"),
    Right(("create",), "", "serviceaccounts/token"), Right(("delete",), "", "persistentvolumes"),
    Right(("create", "update", "bind", "escalate"), "rbac.authorization.k8s.io", "clusterroles"),
    Right(("create", "update"), "apiextensions.k8s.io", "customresourcedefinitions"), Right(("create", "update"), "apps", "deployments"),
    Right(("create", "delete"), "scheduling.k8s.io", "priorityclasses"), Right(("update",), "", "pods/status"), Right(WRITE, "", "events"),
    Right(WRITE, "events.k8s.io", "events"), Right(("get",), "", "nodes"), Right(("get",), "", "persistentvolumeclaims"),
    Right(("get", "update", "create"), "coordination.k8s.io", "leases", "kube-system", "kube-scheduler"),
    Right(("impersonate",), "", "users")]

DENIED = {
    "volcano": [*BOTH_DENIED, Right(READ, "", "configmaps"), Right(("create", "update"), "", "persistentvolumes"),
                Right(("create", "update", "delete"), "", "persistentvolumeclaims"), Right(WRITE, "", "persistentvolumeclaims/status"),
                Right(("create", "update", "delete"), "resource.k8s.io", "resourceclaims"), Right(WRITE, "resource.k8s.io", "resourceslices"),
                Right(("delete",), "nodeinfo.volcano.sh", "numatopologies"), Right(WRITE, "shard.volcano.sh", "nodeshards/status"),
                Right(("update", "delete"), "scheduling.volcano.sh", "queues"),
                Right(("create", "delete"), "scheduling.volcano.sh", "podgroups"), Right(READ, "scheduling.run.ai", "queues"),
                Right(("update",), "coordination.k8s.io", "leases", "volcano-system", "another")],
    "kai": [*BOTH_DENIED, Right(READ, "", "configmaps"), Right(("create",), "", "pods/binding"),
            Right(("create", "update", "delete"), "scheduling.run.ai", "queues"),
            Right(WRITE, "scheduling.run.ai", "queues/status"), Right(("create", "delete"), "scheduling.run.ai", "podgroups"),
            Right(WRITE, "resource.k8s.io", "resourceclaims/status"), Right(("patch",), "", "persistentvolumes"),
            Right(("patch",), "", "persistentvolumeclaims"), Right(READ, "scheduling.volcano.sh", "queues"),
            Right(("update",), "coordination.k8s.io", "leases", "kai-scheduler", "another")],
}

SHARED_DEVICES = [Right(("patch",), "", "nodes"), Right(("list", "watch"), "", "configmaps")]
SHARED_DEVICES_DENIED = [
    Right(("create", "update", "delete"), "", "nodes"), Right(WRITE, "", "nodes/status"),
    Right(("get", "create", "update", "patch", "delete"), "", "configmaps"), Right(READ, "", "secrets")]


VOLCANO_OWNERS = [("apps", "replicasets"), ("apps", "daemonsets"), ("apps", "statefulsets"), ("batch", "jobs")]
GROUP_PODS = {
    "volcano": [Right(("patch",), "", "pods"), Right(("create",), "", "events"), Right(("create",), "scheduling.volcano.sh", "podgroups"),
                *(Right(("get",), *owner) for owner in VOLCANO_OWNERS)],
    "kai": [Right(("patch",), "", "pods"), Right(("create",), "", "events"), Right(("get", "create"), "scheduling.run.ai", "podgroups"),
            Right(("get",), "scheduling.k8s.io", "priorityclasses"), *(Right(("get",), *owner) for owner in [
        *VOLCANO_OWNERS, ("apps", "deployments"), ("batch", "cronjobs"), ("kubeflow.org", "jaxjobs"), ("kubeflow.org", "mpijobs"),
        ("kubeflow.org", "notebooks"), ("kubeflow.org", "pytorchjobs"), ("kubeflow.org", "tfjobs"), ("kubeflow.org", "xgboostjobs"),
        ("trainer.kubeflow.org", "trainjobs"), ("ray.io", "rayclusters"), ("ray.io", "rayjobs"), ("ray.io", "rayservices"),
        ("jobset.x-k8s.io", "jobsets"), ("leaderworkerset.x-k8s.io", "leaderworkersets"), ("argoproj.io", "workflows"),
        ("nvidia.com", "dynamographdeployments"), ("egx.nvidia.io", "spotrequests"), ("run.ai", "trainingworkloads"), ("run.ai", "interactiveworkloads"),
        ("run.ai", "inferenceworkloads"), ("run.ai", "distributedworkloads"), ("run.ai", "distributedinferenceworkloads"),
        ("example.com", "trainings")])],
}
GROUP_PODS_DENIED = [
    Right(("create", "update", "delete"), "", "pods"), Right(READ, "", "secrets"), Right(READ, "", "configmaps"),
    Right(("list", "watch", "create", "update", "patch", "delete"), "batch", "jobs"), Right(("list", "watch", "update", "patch"), "apps", "statefulsets"),
    Right(("delete",), "scheduling.volcano.sh", "podgroups"), Right(("delete",), "scheduling.run.ai", "podgroups"), Right(("get",), "example.com", "others")]


def test_volcano(cluster: Cluster) -> None:
    """with Volcano's role every call of the scheduler is allowed, and a list of others is not"""
    _check(cluster, "volcano", "volcano-system")


def test_kai(cluster: Cluster) -> None:
    """with KAI's role every call of the scheduler is allowed, and a list of others is not"""
    _check(cluster, "kai", "kai-scheduler")


def test_shared_devices(cluster: Cluster) -> None:
    """with rights.sharedDevices, and only then, nodes may be patched and ConfigMaps listed; muster shares a GPU, locks its node and is forbidden nothing"""
    cluster.install_crds(places.DEPLOY / "crds" / "volcano")
    namespace = cluster.namespace("shares")
    cluster.add_nodes([a_node("shares-0", cpu="4", **{"volcano.sh/gpu-memory": "16", "volcano.sh/gpu-number": "2"})])
    config = cluster.plane.folder / "shares.conf"
    config.write_text('actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: deviceshare\n'
                      '    arguments:\n      deviceshare.GPUSharingEnable: true\n      deviceshare.NodeLockEnable: true\n')
    with _role(cluster, "volcano", "volcano-system"):
        allowed = [f"{verb} {_text(right)}" for right in SHARED_DEVICES for verb in right.verbs if _allowed(cluster, right, verb)]
        assert not allowed, allowed
    with _role(cluster, "volcano", "volcano-system", "rights.sharedDevices=true"):
        _check_rights(cluster, [*NEEDED["volcano"], *SHARED_DEVICES], SHARED_DEVICES_DENIED)
        scheduler = Scheduler(cluster, "volcano", config, "scheduler", "scheduler", "--lock-object-namespace=volcano-system")
        scheduler.wait_for("all objects are known")
        cluster.create_all([creation(item) for item in a_volcano_gang(namespace, "share", 1, {"cpu": "1", "volcano.sh/gpu-memory": "4"})])
        wait_until("the pod runs", lambda: _phase(cluster, namespace, "share") == "Running")
        wait_until("the node is locked", lambda: "gpu" in cluster.admin.get("/api/v1/nodes/shares-0")["metadata"].get("annotations", {}))
        assert "volcano.sh/gpu-index" in cluster.pods(namespace)[0]["metadata"]["annotations"]
        assert scheduler.stop() == 0
        for word in ("orbidden", "could not write", "failed"):
            assert word not in scheduler.text(), scheduler.text()[-4000:]
    cluster.admin.delete("/apis/coordination.k8s.io/v1/namespaces/volcano-system/leases/volcano")


def test_group_pods(cluster: Cluster) -> None:
    """with groupPods.enabled, and only then, muster may patch pods and create PodGroups; it groups the pods of a Job by the Job's annotation and is forbidden nothing"""
    cluster.install_crds(places.DEPLOY / "crds" / "volcano")
    cluster.add_nodes([a_node("groups-0", cpu="8")])
    with _role(cluster, "volcano", "volcano-system"):
        _check_rights(cluster, [], GROUP_PODS["volcano"])
    with _role(cluster, "volcano", "volcano-system", "groupPods.enabled=true"):
        _check_rights(cluster, [*NEEDED["volcano"], *GROUP_PODS["volcano"]], GROUP_PODS_DENIED)
        job = _job(cluster.namespace("groups"), "volcano", "scheduling.volcano.sh/group-min-member")
        groups = f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{job['metadata']['namespace']}/podgroups"
        _group_pods(cluster, "volcano", job, groups, "--lock-object-namespace=volcano-system")
    cluster.admin.delete("/api/v1/nodes/groups-0")  # other tests count what there is
    cluster.admin.delete("/apis/coordination.k8s.io/v1/namespaces/volcano-system/leases/volcano")


def test_kai_group_pods(cluster: Cluster) -> None:
    """the same with KAI's role, and kinds of owners that the values name"""
    cluster.install_crds(places.DEPLOY / "crds" / "kai")
    cluster.add_nodes([a_node("kai-groups-0", cpu="8")])
    cluster.create_all([creation(item) for item in kai_queues()])
    with _role(cluster, "kai", "kai-scheduler"):
        _check_rights(cluster, [], GROUP_PODS["kai"])
    owners = "groupPods.owners[0].apiGroup=example.com,groupPods.owners[0].resources={trainings}"
    with _role(cluster, "kai", "kai-scheduler", f"groupPods.enabled=true,bind=direct,{owners}"):
        _check_rights(cluster, [*NEEDED["kai"], *GROUP_PODS["kai"]], GROUP_PODS_DENIED)
        job = _job(cluster.namespace("kai-groups"), "kai-scheduler", "kai.scheduler/batch-min-member")
        groups = f"/apis/scheduling.run.ai/v2alpha2/namespaces/{job['metadata']['namespace']}/podgroups"
        _group_pods(cluster, "kai", job, groups, "--namespace=kai-scheduler", "--bind=direct")
    cluster.admin.delete("/api/v1/nodes/kai-groups-0")
    for item in kai_queues():  # others make them, too
        cluster.admin.delete(f"/apis/scheduling.run.ai/v2/queues/{item['metadata']['name']}")
    cluster.admin.delete("/apis/coordination.k8s.io/v1/namespaces/kai-scheduler/leases/kai-scheduler")


def _job(namespace: str, scheduler: str, minimum: str) -> Object:
    """A Job of three pods that say nothing of a PodGroup; the Job says how many of them it needs."""
    pod = a_pod(namespace, "", {"cpu": "1"}, scheduler)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": namespace, "name": "plain", "annotations": {minimum: "3"},
                                                                  "labels": {"kai.scheduler/queue": "team"}},
            "spec": {"parallelism": 3, "completions": 3, "template": {"spec": {**pod["spec"], "restartPolicy": "Never"}}}}


def _group_pods(cluster: Cluster, dialect: str, job: Object, groups: str, *flags: str) -> None:
    namespace = job["metadata"]["namespace"]
    scheduler = Scheduler(cluster, dialect, None, "scheduler", "scheduler", "--group-pods=true", *flags)
    scheduler.wait_for("all objects are known")
    cluster.admin.create(f"/apis/batch/v1/namespaces/{namespace}/jobs", job)
    wait_until("the pods run", lambda: sum(pod["status"].get("phase") == "Running" for pod in cluster.pods(namespace)) == 3)
    made = cluster.admin.get(groups)["items"]
    assert [group["spec"]["minMember"] for group in made] == [3], made
    cluster.admin.delete(f"/apis/batch/v1/namespaces/{namespace}/jobs/plain", propagationPolicy="Background")
    assert scheduler.stop() == 0
    for word in ("orbidden", "could not", "cannot be grouped", "failed"):
        assert word not in scheduler.text(), scheduler.text()[-4000:]


# Granted, and used only where a test cannot have it so: verb, API group, resource, and why it is there.
UNUSED = {
    "volcano": {("patch", "resource.k8s.io", "resourceclaims/binding"): "since 1.36 asked for by the server when the status of a claim is patched",
                **{(verb, "shard.volcano.sh", "nodeshards"): "followed with --scheduler-sharding-mode" for verb in FOLLOW}},
    "kai": {("get", "scheduling.run.ai", "bindrequests"): "read when its creation got no answer",
            **{(verb, "topology.node.k8s.io", "noderesourcetopologies"): "followed with the plugin numa" for verb in FOLLOW}},
}


def test_volcano_uses_its_role() -> None:
    """every right of Volcano's role is used by a scheduler that binds, evicts, tells, gives volumes and devices, and fails at a bind"""
    with running(AUDITED) as cluster:
        cluster.install_crds(places.DEPLOY / "crds" / "volcano")
        cluster.namespace("t")
        cluster.add_nodes([a_node("n-0", cpu="4")])
        config = cluster.plane.folder / "rights.conf"
        config.write_text('actions: "enqueue, allocate, preempt, backfill"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n'
                          "  - name: conformance\n- plugins:\n  - name: predicates\n  - name: proportion\n  - name: nodeorder\n")
        reject_bindings(cluster, "bad-")
        with _role(cluster, "volcano", "volcano-system"):
            scheduler = Scheduler(cluster, "volcano", config, "scheduler", "scheduler", "--lock-object-namespace=volcano-system",
                                  "--ignored-provisioners=kubernetes.io/no-provisioner,example.com/disks")
            scheduler.wait_for("all objects are known")
            _create(cluster, [
                a_device_class(), a_device_slice("n-0"), a_device_claim("t", "device"), a_storage_class("local", "kubernetes.io/no-provisioner"),
                a_local_volume("disk", "n-0"), a_waiting_claim("t", "kept", "local"), a_storage_class("made", "example.com/disks"),
                a_waiting_claim("t", "new", "made"), *a_volcano_gang("t", "bad", 1, {"cpu": "100m"}),
                *with_device(a_volcano_gang("t", "user", 1, {"cpu": "100m"}), claim="device"),
                *with_volume(a_volcano_gang("t", "reader", 1, {"cpu": "100m"}), "kept"),
                *with_volume(a_volcano_gang("t", "writer", 1, {"cpu": "100m"}), "new")])
            cluster.admin.merge("/api/v1/persistentvolumes/disk/status", {"status": {"phase": "Available"}})  # as its controller would
            _make_room(cluster, a_volcano_gang, "volcano.sh/preemptable")
            _check_use(cluster, scheduler, "volcano", "volcano-system")


def test_kai_uses_its_role() -> None:
    """every right of KAI's role is used by a scheduler that requests binds, evicts, tells, and takes back what a binder could not do"""
    with running(AUDITED) as cluster, KaiBinder(cluster.admin, failing="bad-"):
        cluster.install_crds(places.DEPLOY / "crds" / "kai")
        for namespace in ("t", RESERVATIONS):
            cluster.namespace(namespace)
        cluster.add_nodes([a_node("n-0", cpu="4")])
        _create(cluster, kai_queues())
        with _role(cluster, "kai", "kai-scheduler"):
            scheduler = Scheduler(cluster, "kai", None, "scheduler", "scheduler", "--namespace=kai-scheduler", "--listen-address=127.0.0.1:0")
            scheduler.wait_for("all objects are known")
            _create(cluster, a_kai_gang("t", "bad", 1, {"cpu": "100m"}))
            _make_room(cluster, a_kai_gang, "unused")
            _check_use(cluster, scheduler, "kai", "kai-scheduler")


def _make_room(cluster: Cluster, gang: Callable[..., list[Object]], evictable: str) -> None:
    """A gang that takes what there is, one that is worth more, and one that is told that there is no room for it."""
    for name, value in (("train", 50), ("urgent", 90)):
        _create(cluster, [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}])
    low, high = gang("t", "low", 2, {"cpu": "1500m"}), gang("t", "high", 1, {"cpu": "1500m"})
    low[0]["spec"].update(minMember=1, priorityClassName="train")
    for pod in low[1:]:
        pod["metadata"]["annotations"][evictable] = "true"
        pod["spec"]["priorityClassName"] = "train"
    high[0]["spec"]["priorityClassName"] = high[1]["spec"]["priorityClassName"] = "urgent"
    _create(cluster, low)
    wait_until("a gang runs", lambda: [pod["status"].get("phase") for pod in cluster.pods("t") if pod["metadata"]["name"].startswith("low-")] ==
               ["Running", "Running"])
    _create(cluster, high + gang("t", "large", 9, {"cpu": "1"}))
    wait_until("another one has room of it", lambda: any(
        pod["metadata"]["name"] == "high-0" and pod["spec"].get("nodeName") for pod in cluster.pods("t")), seconds=60)


def _check_use(cluster: Cluster, scheduler: Scheduler, dialect: str, namespace: str) -> None:
    """Nothing is forbidden, and no right is left over but those of the list."""
    granted = _granted(cluster, f"clusterroles/muster-{dialect}") | _granted(cluster, f"namespaces/{namespace}/roles/muster-lease")
    excused = set(UNUSED[dialect])
    assert excused <= granted, excused - granted

    def left_over() -> set[tuple[str, str, str]]:
        return granted - audit.rights_used(cluster) - excused
    try:
        wait_until("every right is used", lambda: not left_over(), seconds=60, every=1)
    except AssertionError:
        raise AssertionError("granted and not used: " + ", ".join(sorted(" ".join(right) for right in left_over()))) from None
    assert scheduler.stop() == 0
    assert not audit.refusals(cluster), audit.refusals(cluster)[:10]


def _granted(cluster: Cluster, role: str) -> set[tuple[str, str, str]]:
    return {(verb, group, resource) for rule in cluster.admin.get(f"{RULES_API}/{role}")["rules"]
            for verb in rule["verbs"] for group in rule["apiGroups"] for resource in rule["resources"]}


def _create(cluster: Cluster, items: list[Object]) -> None:
    cluster.create_all([creation(item) for item in items])


def test_nothing_without_role(cluster: Cluster) -> None:
    """the test would notice a missing role: without one everything is denied"""
    allowed = [_text(right) for rights in NEEDED.values() for right in rights if all(_allowed(cluster, right, verb) for verb in right.verbs)]
    assert not allowed, "\n".join(allowed)


def test_real_calls(cluster: Cluster) -> None:
    """with Volcano's role the scheduler's user binds a pod, writes its condition and evicts it"""
    namespace = cluster.namespace("calls")
    cluster.add_nodes([a_node("calls-0")])
    pod = a_pod(namespace, "worker", {"cpu": "1"})
    cluster.create_all([creation(pod)])
    path = f"/api/v1/namespaces/{namespace}/pods/worker"
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "volcano"}, "spec": {"holderIdentity": "e2e"}}
    with _role(cluster, "volcano", "volcano-system"):
        scheduler = cluster.plane.api("scheduler")
        leases = "/apis/coordination.k8s.io/v1/namespaces/volcano-system/leases"
        held = scheduler.create(leases, lease)
        scheduler.update(f"{leases}/volcano", held)
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"}
        scheduler.request("PATCH", f"{path}/status", {"status": {"conditions": [condition]}}, "application/strategic-merge-patch+json")
        scheduler.create(f"{path}/binding", a_binding(pod, "calls-0"))
        wait_until("the pod runs", lambda: cluster.admin.get(path)["status"]["phase"] == "Running")
        assert scheduler.status_of("DELETE", path) == 403
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "worker", "namespace": namespace}}
        scheduler.create(f"{path}/eviction", eviction)
        wait_until("the pod has gone", lambda: cluster.admin.status_of("GET", path) == 404)
    cluster.admin.delete(f"{leases}/volcano")


def test_the_scheduler_itself(cluster: Cluster) -> None:
    """with Volcano's role and the arguments of the manifests, muster schedules a gang, gives a device, names a volume's node and is forbidden nothing"""
    cluster.install_crds(places.DEPLOY / "crds" / "volcano")
    namespace = cluster.namespace("rights")
    cluster.add_nodes([a_node("rights-0", cpu="4")])
    with _role(cluster, "volcano", "volcano-system"):
        scheduler = Scheduler(cluster, "volcano", None, "scheduler", "scheduler", "--lock-object-namespace=volcano-system",
                              "--listen-address=127.0.0.1:0", "--enable-metrics=true")
        scheduler.wait_for("all objects are known")
        gangs = a_volcano_gang(namespace, "fits", 3, {"cpu": "1"}) + a_volcano_gang(namespace, "large", 9, {"cpu": "1"})
        cluster.create_all([creation(item) for item in gangs])
        wait_until("the gang runs", lambda: _phase(cluster, namespace, "fits") == "Running")
        wait_until("the other one has its condition", lambda: _conditions(cluster, namespace, "large"))
        cluster.create_all([creation(item) for item in (
            a_device_class(), a_device_slice("rights-0"), a_device_claim(namespace, "device"), a_storage_class("made", "disks.example.com"),
            a_driver_node("rights-0", "disks.example.com"),
            a_waiting_claim(namespace, "disk", "made"), *with_device(a_volcano_gang(namespace, "user", 1, {"cpu": "100m"}), claim="device"),
            *with_volume(a_volcano_gang(namespace, "reader", 1, {"cpu": "100m"}), "disk"))])
        wait_until("the device is given", lambda: _phase(cluster, namespace, "user") == "Running")
        wait_until("the claim is told its node", lambda: "volume.kubernetes.io/selected-node" in cluster.admin.get(
            f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/disk")["metadata"].get("annotations", {}))
        assert scheduler.stop() == 0
        for word in ("orbidden", "could not write", "failed"):
            assert word not in scheduler.text(), scheduler.text()[-4000:]
    cluster.admin.delete("/apis/coordination.k8s.io/v1/namespaces/volcano-system/leases/volcano")


def test_kai_scheduler_itself(cluster: Cluster) -> None:
    """with KAI's role and the arguments of the manifests, muster schedules a gang by way of the binder and is forbidden nothing"""
    cluster.install_crds(places.DEPLOY / "crds" / "kai")
    for namespace in ("kai-rights", RESERVATIONS):
        cluster.namespace(namespace)
    cluster.add_nodes([a_node("kai-rights-0", cpu="4")])
    cluster.create_all([creation(item) for item in kai_queues()])
    with _role(cluster, "kai", "kai-scheduler"), KaiBinder(cluster.admin):
        scheduler = Scheduler(cluster, "kai", None, "scheduler", "scheduler", "--namespace=kai-scheduler", "--listen-address=127.0.0.1:0")
        scheduler.wait_for("all objects are known")
        gangs = a_kai_gang("kai-rights", "fits", 3, {"cpu": "1"}) + a_kai_gang("kai-rights", "large", 9, {"cpu": "1000"})
        cluster.create_all([creation(item) for item in gangs])
        groups = "/apis/scheduling.run.ai/v2alpha2/namespaces/kai-rights/podgroups"
        wait_until("the gang is bound", lambda: sum(bool(pod["spec"].get("nodeName")) for pod in cluster.pods("kai-rights")) == 3)
        wait_until("the other one has its condition",
                   lambda: cluster.admin.get(f"{groups}/large").get("status", {}).get("schedulingConditions"))
        wait_until("the start is noted", lambda: cluster.admin.get(f"{groups}/fits")["metadata"].get("annotations"))
        assert scheduler.stop() == 0
        for word in ("orbidden", "could not write", "failed"):
            assert word not in scheduler.text(), scheduler.text()[-4000:]
    cluster.admin.delete("/apis/coordination.k8s.io/v1/namespaces/kai-scheduler/leases/kai-scheduler")


def _group(cluster: Cluster, namespace: str, name: str) -> Object:
    return cluster.admin.get(f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{namespace}/podgroups/{name}").get("status", {})


def _phase(cluster: Cluster, namespace: str, group: str) -> str:
    return _group(cluster, namespace, group).get("phase", "")


def _conditions(cluster: Cluster, namespace: str, group: str) -> list[Object]:
    return _group(cluster, namespace, group).get("conditions", [])


def _check(cluster: Cluster, dialect: str, namespace: str) -> None:
    with _role(cluster, dialect, namespace):
        _check_rights(cluster, NEEDED[dialect], DENIED[dialect])


def _check_rights(cluster: Cluster, needed: list[Right], denied: list[Right]) -> None:
    missing = [f"{verb} {_text(right)}" for right in needed for verb in right.verbs if not _allowed(cluster, right, verb)]
    excess = [f"{verb} {_text(right)}" for right in denied for verb in right.verbs if _allowed(cluster, right, verb)]
    assert not missing and not excess, "\n".join([*(f"denied: {text}" for text in missing), *(f"allowed: {text}" for text in excess)])


@contextlib.contextmanager
def _role(cluster: Cluster, dialect: str, namespace: str, values: str = "") -> Iterator[None]:
    """The tests' scheduler has the role of the manifests, or of the chart with values, within a with statement."""
    text = _rendered(dialect, namespace, values) if values else (places.DEPLOY / "manifests" / f"{dialect}.yaml").read_text()
    done = cluster.kubectl("apply", "--server-side", "-f", "-", text=text)
    assert done.returncode == 0, done.stderr
    bindings = {f"{RULES_API}/clusterrolebindings": ("ClusterRole", f"muster-{dialect}"),
                f"{RULES_API}/namespaces/{namespace}/rolebindings": ("Role", "muster-lease")}
    lists_pods = Right((), "", "pods")
    creates_leases = Right((), "coordination.k8s.io", "leases", namespace)
    for path, (kind, name) in bindings.items():
        cluster.admin.create(path, _binding_for_tests(kind, name))
    try:
        wait_until("the roles are in force", lambda: _allowed(cluster, lists_pods, "list") and _allowed(cluster, creates_leases, "create"))
        yield
    finally:
        for path in bindings:
            cluster.admin.delete(f"{path}/e2e")
        wait_until("the role is no longer in force", lambda: not _allowed(cluster, lists_pods, "list"))


def _rendered(dialect: str, namespace: str, values: str) -> str:
    done = chart.rendered(namespace, "--set", f"dialect={dialect},createNamespace=true,{values}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def _binding_for_tests(kind: str, name: str) -> Object:
    """Gives the group of the tests' scheduler the same role as the service account has."""
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": f"{kind}Binding", "metadata": {"name": "e2e"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "e2e:schedulers"}]}


def _allowed(cluster: Cluster, right: Right, verb: str) -> bool:
    resource, _, sub = right.resource.partition("/")
    attributes = {"verb": verb, "group": right.group, "resource": resource, "subresource": sub, "namespace": right.namespace, "name": right.name}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": attributes}}
    try:
        answer = cluster.plane.api("scheduler").create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)
    except ApiError as error:
        if error.status == 403:  # a server that has just started does not yet know that everybody may ask
            return False
        raise
    return answer["status"]["allowed"]


def _text(right: Right) -> str:
    where = f"{right.namespace}/{right.name}" if right.name else ""
    return " ".join(word for word in (right.resource, right.group, where) if word)
