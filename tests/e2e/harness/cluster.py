"""A cluster for a test: a control plane, and the few things that every test does with it."""
import contextlib
import pathlib
import shutil
import subprocess
import tempfile
import time
from typing import Callable, Iterator

from . import binaries
from .api import Object
from .bulk import Request, Speed, post_all
from .children import Child
from .control_plane import ControlPlane, Setup
from .wait import wait_until


evidence: pathlib.Path | None = None  # where a test that fails leaves logs and recordings; set for each test
keep_folders = False  # of every cluster, with data and logs: `run --keep`


class Cluster:
    """The administrator's view; `plane` has the processes and the tokens."""

    def __init__(self, plane: ControlPlane):
        self.plane = plane
        self.admin = plane.api("admin")
        self.companions: list[Child] = []  # processes of the test, which end with the cluster
        self.at_end: list[Callable[[], None]] = []  # checks of a test that got to its end
        self.created_pods: set[str] = set()  # as namespace/name, what is gone by now, too
        self.created_nodes: list[Object] = []
        self.cuts: list[float] = []  # when a scheduler or the API server was killed, by the clock on the wall

    def kill_api_server(self) -> None:
        self.plane.kill_api_server()
        self.cuts.append(time.time())

    def kubectl(self, *arguments: str, user: str = "admin", text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Runs the kubectl of the same version; the caller looks at the return code."""
        command = [binaries.control_plane(), "kubectl", f"--kubeconfig={self.plane.kubeconfig(user)}", *arguments]
        cache = {"HOME": str(self.plane.folder), "PATH": "/usr/bin:/bin"}
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, env=cache)

    def apply_folder(self, folder: pathlib.Path) -> None:
        done = self.kubectl("apply", "--server-side", "-f", str(folder))
        assert done.returncode == 0, done.stderr

    def install_crds(self, folder: pathlib.Path) -> None:
        self.apply_folder(folder)
        done = self.kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", str(folder))
        assert done.returncode == 0, done.stderr

    def namespace(self, name: str) -> str:
        """Creates it when it is missing. With controllers, pods need its default service account, which follows a moment later."""
        self.admin.apply(f"/api/v1/namespaces/{name}", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        if self.plane.setup.controllers:
            accounts = f"/api/v1/namespaces/{name}/serviceaccounts"
            wait_until(f"namespace {name} has its service account", lambda: self.admin.items(accounts))
        return name

    def create_all(self, requests: list[Request], connections: int = 64) -> Speed:
        """Creates many objects at once and fails unless each one was created."""
        speed = post_all(self.plane.server, self.plane.tokens["admin"], requests, connections)
        assert speed.status == {"201": len(requests)} or not requests, f"{speed.status}: {speed.refusals}"
        made = [request.body for request in requests]
        self.created_nodes += [item for item in made if item["kind"] == "Node"]
        self.created_pods |= {f"{item['metadata']['namespace']}/{item['metadata']['name']}" for item in made if item["kind"] == "Pod"}
        return speed

    def add_nodes(self, nodes: list[Object], seconds: float = 120) -> None:
        """Returns when every node is ready and untainted by the controllers."""
        self.create_all([Request("/api/v1/nodes", node) for node in nodes])
        if self.plane.setup.kubelets:
            wait_until(f"{len(nodes)} nodes are ready", lambda: self._ready_nodes() >= len(nodes), seconds, every=0.5)

    def pods(self, namespace: str) -> list[Object]:
        return self.admin.items(f"/api/v1/namespaces/{namespace}/pods", limit="0")

    def allow_disruptions(self, namespace: str, budget: str, count: int, pods: int = 2) -> None:
        """As the disruption controller would, which does not run here."""
        path = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/{budget}"
        generation = self.admin.get(path)["metadata"]["generation"]
        status = {"disruptionsAllowed": count, "currentHealthy": pods, "desiredHealthy": pods - count, "expectedPods": pods,
                  "observedGeneration": generation}
        self.admin.merge(f"{path}/status", {"status": status})

    def _ready_nodes(self) -> int:
        return sum(_is_ready(node) for node in self.admin.items("/api/v1/nodes"))


@contextlib.contextmanager
def running(setup: Setup = Setup()) -> Iterator[Cluster]:
    """A cluster for the length of a with statement. Nothing of it is left afterwards, unless folders are kept."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-e2e-"))
    plane = ControlPlane(folder, setup)
    cluster = None
    try:
        plane.start()
        cluster = Cluster(plane)
        yield cluster
        for check in cluster.at_end:
            check()
    except Exception:
        keep_evidence(plane)
        raise
    finally:
        for companion in cluster.companions if cluster else []:
            companion.kill()
        plane.kill()
        if keep_folders:
            print(f"kept: {folder}", flush=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def keep_evidence(plane: ControlPlane) -> None:
    """Logs, configurations and recordings, without data and keys."""
    if evidence is None:
        return
    shutil.rmtree(evidence, ignore_errors=True)
    evidence.mkdir(parents=True)
    for found in [*plane.folder.glob("*.log"), *plane.folder.glob("*.conf"), *plane.folder.glob("recording-*")]:
        if found.is_dir():
            shutil.copytree(found, evidence / found.name)
        else:
            shutil.copy(found, evidence)
    print(f"      kept: {evidence}", flush=True)


def _is_ready(node: Object) -> bool:
    tainted = any(taint["key"].startswith("node.kubernetes.io/") for taint in node["spec"].get("taints", []))
    conditions = node.get("status", {}).get("conditions", [])
    return not tainted and any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
