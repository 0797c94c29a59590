"""`muster demo` as a process, with both of its ends: the API and dashboard of the scheduler, and the Kubernetes API of its cluster."""
import contextlib
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = 60  # seconds, for a machine that does other things, too
GROUPS = {"volcano": "scheduling.volcano.sh/v1beta1", "kai": "scheduling.run.ai/v2alpha2"}
SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}
GROUP_NAMES = {"volcano": "scheduling.k8s.io/group-name", "kai": "pod-group-name"}
GPU = "nvidia.com/gpu"


class Demo:
    """address: of the dashboard. server: of the cluster, as the kubeconfig of the demo has it."""

    def __init__(self, process, dialect, address, kubeconfig):
        self.process, self.dialect, self.address = process, dialect, address
        self.server = re.search(r"server: (\S+)", kubeconfig).group(1)

    def tells(self, path):
        """What /api/v1/PATH says now."""
        with urllib.request.urlopen(f"{self.address}/api/v1/{path}", timeout=20) as answer:
            return json.loads(answer.read())

    def jobs(self):
        return {job["job"]: job for job in self.tells("jobs")["jobs"]}

    def kube(self, method, path, body=None, content="application/json"):
        """A call of the Kubernetes API, as kubectl would make it."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data, {"Content-Type": content}, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())

    def submit(self, objects):
        for item in objects:
            plural = item["kind"].lower() + "s"
            root = f"/apis/{item['apiVersion']}" if "/" in item["apiVersion"] else f"/api/{item['apiVersion']}"
            self.kube("POST", f"{root}/namespaces/{item['metadata']['namespace']}/{plural}", item)

    def annotate_node(self, node, **notes):
        self.kube("PATCH", f"/api/v1/nodes/{node}", {"metadata": {"annotations": notes}}, "application/merge-patch+json")

    def limit_queue(self, queue, gpus):
        """Sets how many GPUs a queue may hold."""
        limits = {"volcano": {"capability": {GPU: str(gpus)}}, "kai": {"resources": {"gpu": {"limit": gpus}}}}
        root = {"volcano": "/apis/scheduling.volcano.sh/v1beta1", "kai": "/apis/scheduling.run.ai/v2"}[self.dialect]
        self.kube("PATCH", f"{root}/queues/{queue}", {"spec": limits[self.dialect]}, "application/merge-patch+json")

    def pods(self, namespace, group):
        """Pod → (node, phase), as the cluster has them."""
        found = {}
        for pod in self.kube("GET", f"/api/v1/namespaces/{namespace}/pods")["items"]:
            if pod["metadata"].get("annotations", {}).get(GROUP_NAMES[self.dialect]) == group:
                found[f"{namespace}/{pod['metadata']['name']}"] = (pod["spec"].get("nodeName"), pod["status"]["phase"])
        return found

    def gang(self, name, queue, pods, gpus, cpu=1):
        """The objects of a job whose pods have to start together, in the namespace of its queue as the demo's own."""
        group = {"apiVersion": GROUPS[self.dialect], "kind": "PodGroup", "metadata": {"name": name, "namespace": queue},
                 "spec": {"queue": queue, "minMember": pods}}
        amounts = {"cpu": str(cpu), "memory": "1Gi", GPU: str(gpus)}

        def pod(index):
            notes = {GROUP_NAMES[self.dialect]: name}
            if self.dialect == "kai":
                notes["kai.scheduler/skip-podgrouper"] = "true"
            return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{name}-{index}", "namespace": queue, "annotations": notes},
                    "spec": {"schedulerName": SCHEDULERS[self.dialect], "restartPolicy": "Never", "containers": [
                        {"name": "main", "image": "registry.example/it", "resources": {"requests": amounts, "limits": {GPU: str(gpus)}}}]}}
        return [group, *map(pod, range(pods))]

    def sharer(self, name, queue, node, device, share):
        """The objects of a job whose pod has a share of a GPU of a node, as KAI's binder leaves it."""
        group, pod = self.gang(name, queue, pods=1, gpus=0)
        pod["metadata"]["annotations"] |= {"gpu-fraction": str(share), "received-resource-type": "Fraction"}
        pod["metadata"]["labels"] = {"runai-gpu-group": device}
        pod["spec"] |= {"nodeName": node}
        pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1", "memory": "1Gi"}}
        return [group, pod]


def wait_for(what, look, patience=PATIENCE):
    """What `look` finds, as soon as it finds something."""
    end, found = time.monotonic() + patience, None
    while time.monotonic() < end:
        try:
            found = look()
        except (OSError, urllib.error.HTTPError):
            found = None
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"{what}: not within {patience} seconds")


@contextlib.contextmanager
def demo_of(muster, dialect, *options, scenario=None):
    """A demo from when its scheduler leads until the end of the block. It has to end by itself then, and without an error."""
    with tempfile.TemporaryDirectory() as folder:
        command = [muster, "demo", "--dialect", dialect, "--listen", "127.0.0.1:0", *options]
        if scenario is not None:
            file = pathlib.Path(folder) / "scenario.yaml"
            file.write_text(scenario, encoding="utf-8")
            command += ["--scenario", str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            try:
                demo = welcomed(process, dialect)
                wait_for("the scheduler of the demo leads", lambda: is_ready(demo))
                yield demo
                process.send_signal(signal.SIGINT)
                said, _ = process.communicate(timeout=PATIENCE)
                if process.returncode != 0:
                    raise AssertionError(f"the demo ends with status {process.returncode}:\n{said}")
            finally:
                if process.poll() is None:
                    process.kill()


def welcomed(process, dialect):
    said = ""
    while "Ctrl-C" not in said:
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"the demo ended before it began:\n{said}")
        said += line
    address, kubeconfig = re.search(r"dashboard +(\S+?)/?\n", said), re.search(r"KUBECONFIG=(\S+)", said)
    if not address or not kubeconfig:
        raise AssertionError(f"the demo names no dashboard or no kubeconfig:\n{said}")
    return Demo(process, dialect, address.group(1), pathlib.Path(kubeconfig.group(1)).read_text(encoding="utf-8"))


def is_ready(demo):
    state = demo.tells("state")
    return state["synced"] and state["leading"] and state["cycle"] > 0
