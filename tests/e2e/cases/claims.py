"""Volumes and devices that pods claim: what a scheduler that binds by itself does about them before the bind, in both dialects."""
import contextlib
from typing import Iterator

from harness import places
from harness.api import Object
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.kai_binder import REQUESTS, RESERVATIONS, KaiBinder
from harness.objects import (a_device_claim, a_device_class, a_device_slice, a_device_template, a_kai_gang, a_local_volume, a_node,
                             a_storage_class, a_volcano_gang, a_waiting_claim, creation, kai_queues, with_device, with_volume)
from harness.rejected_bindings import reject_bindings
from harness.scheduler import Scheduler
from harness.wait import wait_until

CLAIMS = "/api/v1/namespaces/t/persistentvolumeclaims"
DEVICES = "/apis/resource.k8s.io/v1"
SELECTED = "volume.kubernetes.io/selected-node"
PROTECTION = "resource.kubernetes.io/delete-protection"


def test_volumes_and_their_controller() -> None:
    """a volume of one node: the pod goes there, the volume controller binds the claim, and only then the pod is bound"""
    with _volcano(2, controllers=True) as cluster:
        _create(cluster, [a_storage_class("local", "kubernetes.io/no-provisioner"), a_local_volume("disk", "n-1"),
                          a_waiting_claim("t", "data", "local"), *with_volume(a_volcano_gang("t", "reader", 1, {"cpu": "1"}), "data")])
        wait_until("it is bound", lambda: _bound(cluster, "reader-") == {"reader-0": "n-1"}, seconds=60)
        claim, volume = cluster.admin.get(f"{CLAIMS}/data"), cluster.admin.get("/api/v1/persistentvolumes/disk")
        assert claim["status"]["phase"] == "Bound" and claim["spec"]["volumeName"] == "disk", claim
        assert volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"], volume
        assert volume["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"] == "yes", volume


def test_provisioned_volumes() -> None:
    """a claim is told its node, and the pod waits for its volume; when the provisioner gives up, the pod is told and tried again"""
    with _volcano(1) as cluster:
        _create(cluster, [a_storage_class("made", "example.com/disks"), a_waiting_claim("t", "data", "made"),
                          *with_volume(a_volcano_gang("t", "reader", 1, {"cpu": "1"}), "data")])
        wait_until("the claim is told", lambda: _selected(cluster, "data") == "n-0")
        _create(cluster, a_volcano_gang("t", "plain", 1, {"cpu": "1"}))
        wait_until("others go on", lambda: _bound(cluster, "plain-") == {"plain-0": "n-0"})
        assert not _bound(cluster, "reader-")
        cluster.admin.merge(f"{CLAIMS}/data", {"metadata": {"annotations": {SELECTED: None}}})
        wait_until("the pod is told", lambda: "provisioning failed" in _condition(cluster, "reader-0").get("message", ""))
        wait_until("it is tried again", lambda: _selected(cluster, "data") == "n-0")
        _provision(cluster, "data")
        wait_until("it is bound", lambda: _bound(cluster, "reader-") == {"reader-0": "n-0"})


def test_devices_and_their_controller() -> None:
    """claims made from a template: each pod gets a device of its own; who finds none waits until others have given theirs back"""
    with _volcano(2, controllers=True) as cluster:
        _create(cluster, [a_device_class(), a_device_slice("n-0"), a_device_slice("n-1"), a_device_template("t", "one")])
        _create(cluster, with_device(a_volcano_gang("t", "pair", 2, {"cpu": "1"}), template="one"))
        wait_until("the gang is bound", lambda: sorted(_bound(cluster, "pair-").values()) == ["n-0", "n-1"], seconds=60)
        for name in ("pair-0", "pair-1"):
            pod = cluster.admin.get(f"/api/v1/namespaces/t/pods/{name}")
            claim = _device_claim(cluster, pod["status"]["resourceClaimStatuses"][0]["resourceClaimName"])
            assert PROTECTION in claim["metadata"]["finalizers"], claim
            device = claim["status"]["allocation"]["devices"]["results"][0]
            assert device["pool"] == pod["spec"]["nodeName"] and device["device"] == "device-0", claim
            assert [user["uid"] for user in claim["status"]["reservedFor"]] == [pod["metadata"]["uid"]], claim
        _create(cluster, with_device(a_volcano_gang("t", "late", 1, {"cpu": "1"}), template="one"))
        wait_until("no device is left", lambda: "cannot allocate all claims" in _condition(cluster, "late-0").get("message", ""))
        cluster.admin.delete("/api/v1/namespaces/t/pods/pair-0")
        wait_until("the device is given back", lambda: len(_bound(cluster, "late-")) == 1, seconds=60)


def test_devices_of_a_rejected_bind() -> None:
    """a pod that cannot be bound gives its device back, and another one gets it"""
    with _volcano(1) as cluster:
        reject_bindings(cluster, "bad-")
        _create(cluster, [a_device_class(), a_device_slice("n-0"), a_device_claim("t", "first"), a_device_claim("t", "second")])
        _create(cluster, with_device(a_volcano_gang("t", "bad", 1, {"cpu": "1"}), claim="first"))
        wait_until("it is told", lambda: "failed to bind" in _condition(cluster, "bad-0").get("message", ""))
        wait_until("the device is free", lambda: not _device_claim(cluster, "first").get("status", {}).get("reservedFor"))
        _create(cluster, with_device(a_volcano_gang("t", "good", 1, {"cpu": "1"}), claim="second"))
        wait_until("another one has it", lambda: _bound(cluster, "good-") == {"good-0": "n-0"}, seconds=60)
        wait_until("and it alone", lambda: "allocation" not in _device_claim(cluster, "first").get("status", {}))
        assert not _bound(cluster, "bad-")


def test_kai_direct() -> None:
    """KAI's dialect without its binder: a claim is told its node, a device claim gets its device, and then the pod is bound"""
    with _kai(1, "--bind=direct") as cluster:
        _create(cluster, [a_storage_class("made", "example.com/disks"), a_waiting_claim("t", "data", "made"), a_device_class(), a_device_slice("n-0"),
                          a_device_claim("t", "one"),
                          *with_device(with_volume(a_kai_gang("t", "both", 1, {"cpu": "1"}), "data"), claim="one")])
        wait_until("the claim is told", lambda: _selected(cluster, "data") == "n-0")
        assert not _bound(cluster, "both-")
        _provision(cluster, "data")
        wait_until("it is bound", lambda: _bound(cluster, "both-") == {"both-0": "n-0"})
        claim = _device_claim(cluster, "one")
        assert claim["status"]["allocation"]["devices"]["results"][0]["device"] == "device-0", claim
        assert [user["name"] for user in claim["status"]["reservedFor"]] == ["both-0"], claim


def test_kai_requests() -> None:
    """KAI's dialect with a binder: the BindRequest says which devices the claims get"""
    with _kai(1) as cluster, KaiBinder(cluster.admin):
        _create(cluster, [a_device_class(), a_device_slice("n-0"), a_device_claim("t", "one"),
                          *with_device(a_kai_gang("t", "user", 1, {"cpu": "1"}), claim="one")])
        wait_until("it is bound", lambda: _bound(cluster, "user-") == {"user-0": "n-0"})
        request = cluster.admin.get(f"{REQUESTS}/namespaces/t/bindrequests/user-0")
        given = request["spec"]["resourceClaimAllocations"][0]
        assert given["name"] == "device" and given["allocation"]["devices"]["results"][0]["device"] == "device-0", request
        assert _device_claim(cluster, "one")["status"]["allocation"]["devices"]["results"][0]["pool"] == "n-0"


# ------------------------------------------------------------------------------------------------------------ clusters

@contextlib.contextmanager
def _volcano(nodes: int, controllers: bool = False) -> Iterator[Cluster]:
    with _cluster("volcano", nodes, controllers, "volcano-system") as cluster:
        # As in the original, a claim that waits for its volume counts as attached by its provisioner, and the nodes here have no CSINodes.
        scheduler = Scheduler(cluster, "volcano", None, "admin", "scheduler",
                              "--ignored-provisioners=kubernetes.io/no-provisioner,example.com/disks")
        scheduler.wait_for("all objects are known")
        yield cluster


@contextlib.contextmanager
def _kai(nodes: int, *flags: str) -> Iterator[Cluster]:
    with _cluster("kai", nodes, False, "kai-scheduler", RESERVATIONS) as cluster:
        _create(cluster, kai_queues())
        scheduler = Scheduler(cluster, "kai", None, "admin", "scheduler", "--listen-address=127.0.0.1:0", *flags)
        scheduler.wait_for("all objects are known")
        yield cluster


@contextlib.contextmanager
def _cluster(dialect: str, nodes: int, controllers: bool, *namespaces: str) -> Iterator[Cluster]:
    with running(Setup(controllers=controllers)) as cluster:
        cluster.install_crds(places.DEPLOY / "crds" / dialect)
        for namespace in (*namespaces, "t"):
            cluster.namespace(namespace)
        cluster.add_nodes([a_node(f"n-{index}", cpu="4") for index in range(nodes)])
        yield cluster


def _create(cluster: Cluster, items: list[Object]) -> None:
    cluster.create_all([creation(item) for item in items])


def _bound(cluster: Cluster, prefix: str) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in cluster.pods("t")
            if pod["metadata"]["name"].startswith(prefix) and pod["spec"].get("nodeName")}


def _condition(cluster: Cluster, pod: str) -> Object:
    """Whether it is scheduled, as its status says."""
    conditions = cluster.admin.get(f"/api/v1/namespaces/t/pods/{pod}").get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == "PodScheduled"), {})


def _selected(cluster: Cluster, claim: str) -> str:
    return cluster.admin.get(f"{CLAIMS}/{claim}")["metadata"].get("annotations", {}).get(SELECTED, "")


def _device_claim(cluster: Cluster, name: str) -> Object:
    return cluster.admin.get(f"{DEVICES}/namespaces/t/resourceclaims/{name}")


def _provision(cluster: Cluster, claim: str) -> None:
    """As a provisioner and the volume controller would, which do not run here."""
    uid = cluster.admin.get(f"{CLAIMS}/{claim}")["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "t", "name": claim, "uid": uid}
    volume = {"accessModes": ["ReadWriteOnce"], "storageClassName": "made", "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/none"}}
    cluster.admin.create("/api/v1/persistentvolumes", {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "new"},
                                                       "spec": {**volume, "claimRef": owner}})
    bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}}
    cluster.admin.merge(f"{CLAIMS}/{claim}", {"metadata": bound, "spec": {"volumeName": "new"}})
    cluster.admin.merge(f"{CLAIMS}/{claim}/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}})
