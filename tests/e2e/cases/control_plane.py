"""The harness itself: what later tests of a scheduler rely on."""
import os
import signal
import subprocess
import sys
import time

from harness import laws, places
from harness.api import ApiError, Object
from harness.blind_binder import bind_blindly
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.objects import a_binding, a_node, a_pod, collection, creation
from harness.pod_history import PodHistory
from harness.wait import wait_until

ONLY_SERVER = Setup(controllers=False, kubelets=False)
QUICK_COMPACTION = Setup(controllers=False, kubelets=False, api_flags=("--etcd-compaction-interval=5s",))


def test_pod_lives(cluster: Cluster) -> None:
    """a bound pod runs, ends when its annotation says so, and goes when deleted"""
    namespace = cluster.namespace("lives")
    cluster.add_nodes([a_node("lives-0", nvidia_com__gpu="8")])
    short = a_pod(namespace, "short", {"cpu": "1"}, annotations={"e2e.muster/run-for": "1s"})
    long = a_pod(namespace, "long", {"cpu": "1", "nvidia.com/gpu": "1"})
    with PodHistory(cluster.admin) as history:
        cluster.create_all([creation(short), creation(long)])
        for pod in (short, long):
            _bind(cluster, pod, "lives-0")
        wait_until("one has ended and one runs", lambda: _phases(cluster, namespace) == {"short": "Succeeded", "long": "Running"})
        cluster.admin.delete(f"/api/v1/namespaces/{namespace}/pods/long")
        wait_until("the deleted one has gone", lambda: _phases(cluster, namespace) == {"short": "Succeeded"})
        wait_until("history has seen it", lambda: laws.lost(["lives/short", "lives/long"], history.sights()) == ["lives/long is gone"])
        assert not laws.bound_twice(history.sights())
        assert not laws.overcommitted(history.sights(), cluster.admin.items("/api/v1/nodes"))


def test_api_server_restart() -> None:
    """a killed API server comes back with its data; a watch from before is told so (410), and the history goes on"""
    with running(ONLY_SERVER) as cluster, PodHistory(cluster.admin) as history:
        namespace = cluster.namespace("restart")
        _fill(cluster, namespace, 20)
        before = cluster.pods(namespace)[0]["metadata"]["resourceVersion"]
        cluster.plane.kill_api_server()
        cluster.plane.start_api_server()
        assert len(cluster.pods(namespace)) == 20
        first = next(iter(cluster.admin.watch(f"/api/v1/namespaces/{namespace}/pods", before)))
        assert first["type"] == "ERROR" and first["object"]["code"] == 410, first
        cluster.create_all([creation(a_pod(namespace, "after", {}))])
        wait_until("history has seen the pod", lambda: not laws.lost([f"{namespace}/after"], history.sights()))


def test_expired_list() -> None:
    """after a compaction the rest of a list in pages is refused with 410"""
    with running(QUICK_COMPACTION) as cluster:
        namespace = cluster.namespace("expired")
        _fill(cluster, namespace, 20)
        pods = f"/api/v1/namespaces/{namespace}/pods"
        token = cluster.admin.get(pods, limit="5")["metadata"]["continue"]

        def refused() -> bool:
            cluster.admin.merge(f"{pods}/p-0", {"metadata": {"annotations": {"now": str(time.time())}}})
            try:
                cluster.admin.get(pods, limit="5", **{"continue": token})
                return False
            except ApiError as error:
                return error.status == 410

        wait_until("the list has expired", refused, seconds=60, every=1)


def test_blind_binder() -> None:
    """the yardstick: bindings without any thought, as fast as the API server takes them"""
    with running(ONLY_SERVER) as cluster:
        namespace = cluster.namespace("blind")
        nodes = [a_node(f"blind-{index}") for index in range(50)]
        cluster.add_nodes(nodes)
        with PodHistory(cluster.admin) as history:
            created = _fill(cluster, namespace, 2000)
            bound = bind_blindly(cluster, created, [node["metadata"]["name"] for node in nodes])
            assert bound.speed.status == {"201": 2000}, f"{bound.speed.status}: {bound.speed.refusals}"
            wait_until("history has seen every binding", lambda: len({s.uid for s in history.sights() if s.node}) == 2000)
            assert not laws.bound_twice(history.sights())
            assert not laws.overcommitted(history.sights(), nodes)
        print(f"      {bound.speed.per_second:.0f} bindings/s, {bound.server_ms_per_bind:.2f} ms of the server's processor time each")


def test_nothing_is_left() -> None:
    """neither an interrupt nor a kill of the harness leaves a process or, after an interrupt, a folder behind"""
    for number, cleans_up in ((signal.SIGINT, True), (signal.SIGKILL, False)):
        command = [sys.executable, places.E2E / "run", "--serve", "--nodes", "1", "--no-controllers"]
        harness = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        shown = dict(line.split(None, 1) for line in (harness.stdout.readline() for _ in range(5)))
        folder = shown["logs"].strip()
        started = _using(folder)
        harness.send_signal(number)
        harness.send_signal(number)  # impatience changes nothing
        harness.wait(20)
        assert len(started) == 2, f"API server and kwok expected: {started}"
        wait_until("every process has ended", lambda: not _using(folder), seconds=10)
        assert os.path.exists(folder) != cleans_up, folder
        subprocess.run(["rm", "-rf", folder], check=True)


def _fill(cluster: Cluster, namespace: str, count: int) -> list[Object]:
    pods = [a_pod(namespace, f"p-{index}", {"cpu": "100m"}) for index in range(count)]
    cluster.create_all([creation(pod) for pod in pods])
    return pods


def _bind(cluster: Cluster, pod: Object, node: str) -> None:
    cluster.admin.create(f"{collection(pod)}/{pod['metadata']['name']}/binding", a_binding(pod, node))


def _phases(cluster: Cluster, namespace: str) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["status"]["phase"] for pod in cluster.pods(namespace)}


def _using(folder: str) -> list[int]:
    """Processes, but this one, that were told of the folder on their command line."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as words:
                if name.isdigit() and folder.encode() in words.read():
                    found.append(int(name))
        except OSError:
            pass
    return found
