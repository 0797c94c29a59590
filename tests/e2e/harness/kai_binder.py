"""In the place of KAI's binder: carries BindRequests out, as far as a cluster of simulated nodes needs it.

It binds, notes on the pod what it received, gives claims their devices, and for shares of a GPU makes the pod that reserves the GPU. It does
not bind volumes, and lets reservations stay.
"""
import concurrent.futures
import hashlib
import threading
import time

from .api import LOST, Api, ApiError, Object

REQUESTS = "/apis/scheduling.run.ai/v1alpha2"
RESERVATIONS = "kai-resource-reservation"
WORKERS = 8


class KaiBinder:
    """Follows from the start until the end of a with statement. Pods whose names begin with `failing` cannot be bound."""

    def __init__(self, api: Api, failing: str = "\0"):
        self.failing = failing
        self.bound = 0
        self.failed = 0
        self._api = api
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._taken: set[str] = set()  # requests by uid
        self._workers = concurrent.futures.ThreadPoolExecutor(WORKERS)
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> "KaiBinder":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _follow(self) -> None:
        while not self._stop.is_set():
            try:
                listed = self._api.get(f"{REQUESTS}/bindrequests")
                for request in listed["items"]:
                    self._take(request)
                for event in self._api.watch(f"{REQUESTS}/bindrequests", listed["metadata"]["resourceVersion"], seconds=30):
                    if self._stop.is_set() or event["type"] == "ERROR":
                        break
                    if event["type"] in ("ADDED", "MODIFIED"):
                        self._take(event["object"])
            except (ApiError, ValueError, RuntimeError, *LOST):
                time.sleep(0.2)

    def _take(self, request: Object) -> None:
        """Each request once, unless the server was not there."""
        uid = request["metadata"]["uid"]
        with self._guard:
            if uid in self._taken or request.get("status", {}).get("phase") in ("Succeeded", "Failed"):
                return
            self._taken.add(uid)
        self._workers.submit(self._carry_out, request)

    def _carry_out(self, request: Object) -> None:
        namespace, name, spec = request["metadata"]["namespace"], request["metadata"]["name"], request["spec"]
        try:
            status = self._attempt(namespace, spec)
            change = {"metadata": {"uid": request["metadata"]["uid"]}, "status": status}  # not of another one of its name
            self._api.merge(f"{REQUESTS}/namespaces/{namespace}/bindrequests/{name}/status", change)
        except ApiError:
            return  # it is gone
        except LOST:
            with self._guard:
                self._taken.discard(request["metadata"]["uid"])
            return
        with self._guard:
            self.bound += status["phase"] == "Succeeded"
            self.failed += status["phase"] == "Failed"

    def _attempt(self, namespace: str, spec: Object) -> Object:
        """The status that comes of it."""
        if spec["podName"].startswith(self.failing):
            return {"phase": "Failed", "reason": "told to fail", "failedAttempts": 1}
        try:
            self._bind(namespace, spec)
        except ApiError as error:
            return {"phase": "Failed", "reason": str(error), "failedAttempts": 1}
        return {"phase": "Succeeded"}

    def _bind(self, namespace: str, spec: Object) -> None:
        path = f"/api/v1/namespaces/{namespace}/pods/{spec['podName']}"
        pod = self._api.get(path)
        if pod["spec"].get("nodeName"):
            return
        for given in spec.get("resourceClaimAllocations", []):
            self._give(pod, given)
        change: Object = {"annotations": {"received-resource-type": spec["receivedResourceType"]}}
        groups = spec.get("selectedGPUGroups", [])
        for group in groups:
            self._reserve(spec["selectedNode"], group)
        if groups:
            change["labels"] = {"runai-gpu-group": groups[0]} if len(groups) == 1 else {f"runai-gpu-group/{group}": group for group in groups}
        self._api.merge(path, {"metadata": change})
        self._api.create(f"{path}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": spec["podName"], "namespace": namespace},
                                             "target": {"apiVersion": "v1", "kind": "Node", "name": spec["selectedNode"]}})

    def _give(self, pod: Object, given: Object) -> None:
        """Devices to a claim that the pod names itself."""
        claim = next(one["resourceClaimName"] for one in pod["spec"]["resourceClaims"] if one["name"] == given["name"])
        user = {"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
        path = f"/apis/resource.k8s.io/v1/namespaces/{pod['metadata']['namespace']}/resourceclaims/{claim}/status"
        self._api.merge(path, {"status": {"allocation": given["allocation"], "reservedFor": [user]}})

    def _reserve(self, node: str, group: str) -> None:
        """One pod for each shared GPU, which holds the whole of it."""
        name = "gpu-reservation-" + hashlib.sha256(f"{node}/{group}".encode()).hexdigest()[:16]
        resources = {"requests": {"nvidia.com/gpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}
        pod = {"apiVersion": "v1", "kind": "Pod",
               "metadata": {"namespace": RESERVATIONS, "name": name, "labels": {"app": RESERVATIONS, "runai-gpu-group": group},
                            "annotations": {"run.ai/reserve_for_gpu_index": name}},
               "spec": {"nodeName": node, "containers": [{"name": "main", "image": "none", "resources": resources}],
                        "terminationGracePeriodSeconds": 0}}
        try:
            self._api.create(f"/api/v1/namespaces/{RESERVATIONS}/pods", pod)
        except ApiError as error:
            if error.status != 409:
                raise
