"""Short forms of the objects that tests create."""
import json
from typing import Iterator

from .api import Object
from .bulk import Request


def a_node(name: str, cpu: str = "32", memory: str = "256Gi", pods: str = "110", labels: dict[str, str] | None = None,
           **extended: str) -> Object:
    """A node; extended resources by name with `__` for `/` and `_` for `.`: nvidia_com__gpu="8"."""
    amounts = {"cpu": cpu, "memory": memory, "pods": pods,
               **{key.replace("__", "/").replace("_", "."): value for key, value in extended.items()}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "status": {"allocatable": amounts, "capacity": amounts}}


def a_pod(namespace: str, name: str, requests: dict[str, str], scheduler: str = "volcano", annotations: dict[str, str] | None = None,
          labels: dict[str, str] | None = None) -> Object:
    container = {"name": "main", "image": "none", "resources": {"requests": requests, "limits": requests}}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": namespace, "name": name, "annotations": annotations or {}, "labels": labels or {}},
            "spec": {"schedulerName": scheduler, "containers": [container], "terminationGracePeriodSeconds": 0}}


def a_volcano_gang(namespace: str, name: str, members: int, requests: dict[str, str], queue: str = "default") -> list[Object]:
    """A PodGroup and its pods; all of them are needed."""
    group = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"namespace": namespace, "name": name},
             "spec": {"minMember": members, "queue": queue}}
    belongs = {"scheduling.k8s.io/group-name": name}
    return [group, *(a_pod(namespace, f"{name}-{index}", requests, annotations=belongs) for index in range(members))]


def kai_queues(gpu_quota: float = -1) -> list[Object]:
    """A queue, team, below a department; neither is limited."""
    everything = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    resources = {"gpu": {**everything, "quota": gpu_quota}, "cpu": everything, "memory": everything}
    return [{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": {**parent, "resources": resources}}
            for name, parent in (("department", {}), ("team", {"parentQueue": "department"}))]


def a_kai_gang(namespace: str, name: str, members: int, requests: dict[str, str], queue: str = "team",
               annotations: dict[str, str] | None = None) -> list[Object]:
    """A PodGroup and its pods; all of them are needed."""
    group = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"namespace": namespace, "name": name},
             "spec": {"minMember": members, "queue": queue}}
    belongs = {"pod-group-name": name, **(annotations or {})}
    return [group, *(a_pod(namespace, f"{name}-{index}", requests, "kai-scheduler", belongs) for index in range(members))]


def a_budget(namespace: str, app: str) -> Object:
    """A disruption budget for pods with the label app."""
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"namespace": namespace, "name": app},
            "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": app}}}}


def a_claim(namespace: str, name: str) -> Object:
    """A volume claim that nobody binds by himself."""
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"namespace": namespace, "name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}}}


def a_storage_class(name: str, provisioner: str) -> Object:
    """Claims of it wait for their first consumer."""
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}, "provisioner": provisioner,
            "volumeBindingMode": "WaitForFirstConsumer"}


def a_driver_node(node: str, driver: str, attachable: int = 16) -> Object:
    """What a storage driver's kubelet plugin says: so many of its volumes can be attached to the node."""
    known = {"name": driver, "nodeID": node, "topologyKeys": None, "allocatable": {"count": attachable}}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": node}, "spec": {"drivers": [known]}}


def a_waiting_claim(namespace: str, name: str, storage_class: str) -> Object:
    claim = a_claim(namespace, name)
    claim["spec"]["storageClassName"] = storage_class
    return claim


def a_local_volume(name: str, node: str) -> Object:
    """Of the class local, and of one node."""
    here = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "local", "capacity": {"storage": "1Gi"}, "local": {"path": "/none"},
                     "persistentVolumeReclaimPolicy": "Retain", "nodeAffinity": {"required": here}}}


def with_volume(gang: list[Object], claim: str) -> list[Object]:
    for pod in gang[1:]:
        pod["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
    return gang


_ONE_DEVICE = {"devices": {"requests": [{"name": "device", "exactly": {"deviceClassName": "example"}}]}}


def a_device_class() -> Object:
    """The class example, of all devices that slices of tests have."""
    selector = {"cel": {"expression": "device.driver == 'devices.example.com'"}}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "example"}, "spec": {"selectors": [selector]}}


def a_device_slice(node: str) -> Object:
    """The one device of a node."""
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": node},
            "spec": {"driver": "devices.example.com", "nodeName": node, "devices": [{"name": "device-0"}],
                     "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}}}


def a_device_claim(namespace: str, name: str) -> Object:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"namespace": namespace, "name": name}, "spec": _ONE_DEVICE}


def a_device_template(namespace: str, name: str) -> Object:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"namespace": namespace, "name": name},
            "spec": {"spec": _ONE_DEVICE}}


def with_device(gang: list[Object], claim: str = "", template: str = "") -> list[Object]:
    """Each pod claims a device, by name or from a template."""
    source = {"resourceClaimName": claim} if claim else {"resourceClaimTemplateName": template}
    for pod in gang[1:]:
        pod["spec"]["resourceClaims"] = [{"name": "device", **source}]
        pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": "device"}]
    return gang


def a_binding(pod: Object, node: str) -> Object:
    name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, "namespace": namespace},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}}


# Plurals that are not the kind in lower case with an s.
_PLURALS = {"Numatopology": "numatopologies", "Topology": "topologies", "PriorityClass": "priorityclasses", "StorageClass": "storageclasses",
            "DeviceClass": "deviceclasses", "CSIStorageCapacity": "csistoragecapacities", "NodeResourceTopology": "noderesourcetopologies"}


def collection(item: Object) -> str:
    """The path to which such an object is posted."""
    version, kind = item["apiVersion"], item["kind"]
    root = f"/api/{version}" if "/" not in version else f"/apis/{version}"
    namespace = item["metadata"].get("namespace")
    within = f"/namespaces/{namespace}" if namespace else ""
    return f"{root}{within}/{_PLURALS.get(kind, kind.lower() + 's')}"


def creation(item: Object) -> Request:
    return Request(collection(item), item)


def documents(text: str) -> Iterator[Object]:
    """Objects that stand one after the other in a text, or in lists."""
    decoder, position = json.JSONDecoder(), 0
    while position < len(text):
        item, position = decoder.raw_decode(text, position)
        yield from item.get("items", [item])
        position = len(text) - len(text[position:].lstrip())
