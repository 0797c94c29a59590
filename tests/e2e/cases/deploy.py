"""What is applied to a cluster: the chart, the manifests made from it, the dashboard."""
import json
import re
import subprocess

from harness import chart, places
from harness.api import Object
from harness.cluster import Cluster
from harness.objects import documents

VARIANTS = {
    "volcano": ("volcano-system", []),
    "kai": ("kai-scheduler", ["--set", "dialect=kai"]),
    "volcano, exact": ("volcano-system", ["--set", "behaviour=exact,replicas=1"]),
    "volcano, shared devices": ("volcano-system", ["--set", "rights.sharedDevices=true"]),
    "volcano, groups pods": ("volcano-system", ["--set", "groupPods.enabled=true"]),
    "kai, groups pods": ("kai-scheduler", ["--set", "dialect=kai,groupPods.enabled=true,groupPods.owners[0].apiGroup=example.com,"
                                           "groupPods.owners[0].resources={trainings,inferences}"]),
    "kai, direct": ("kai-scheduler", ["--set", "dialect=kai,bind=direct"]),
    "kai, a pool": ("kai-scheduler", ["--set", "dialect=kai,nodePool=a100,schedulerName=gpu-scheduler"]),
    "flags and places": ("batch", ["--set", "extraArgs={--schedule-period=500ms},nodeSelector.disk=ssd,leaderElection.namespace=batch"]),
}
REFUSED = ("dialect=slurm", "behaviour=fast", "bind=never", "eviction=force", "replicas=-1", "replica=2", "extraArgs={schedule-period}", "image.repository=",
           "rights.nodes=true", "dialect=kai,rights.sharedDevices=true", "groupPods.enabled=yes", "groupPods.kinds={a}", "dialect=kai,groupPods.owners[0].apiGroup=a",
           "groupPods.owners[0].apiGroup=a,groupPods.owners[0].resources={b}", "dialect=kai,groupPods.owners[0].apiGroup=a,groupPods.owners[0].resources={*}")
MANIFESTS = ("volcano", "kai")


def test_manifests_are_current() -> None:
    """deploy/manifests is what deploy/render makes of the chart"""
    done = subprocess.run([places.DEPLOY / "render", "--check", "--helm", chart.helm()], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_manifests(cluster: Cluster) -> None:
    """the API server takes the plain manifests, every field known"""
    for dialect in MANIFESTS:
        cluster.namespace({"volcano": "volcano-system", "kai": "kai-scheduler"}[dialect])
        _server_accepts(cluster, (places.DEPLOY / "manifests" / f"{dialect}.yaml").read_text(), dialect)


def test_chart_lint() -> None:
    """helm finds nothing wrong with the chart"""
    done = subprocess.run([chart.helm(), "lint", "--strict", chart.CHART], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_chart(cluster: Cluster) -> None:
    """the API server takes what the chart becomes with several values, every field known"""
    for name, (namespace, values) in VARIANTS.items():
        cluster.namespace(namespace)
        done = chart.rendered(namespace, *values)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        _server_accepts(cluster, done.stdout, name)


def test_chart_values() -> None:
    """values that the schema does not know are refused"""
    for value in REFUSED:
        done = chart.rendered("batch", "--set", value)
        assert done.returncode != 0 and "values don't meet the specifications of the schema" in done.stderr, f"{value}: {done.stderr}"


def test_rights_follow_values(cluster: Cluster) -> None:
    """the scheduler may delete or patch pods only with the values that need it"""
    expected = {"behaviour=safe": set(), "behaviour=exact": {"delete"}, "dialect=kai": set(),
                "behaviour=exact,eviction=api": set(), "eviction=delete": {"delete"},
                "dialect=kai,nodePool=a100": {"patch"}, "groupPods.enabled=true": {"patch"}, "dialect=kai,groupPods.enabled=true": {"patch"}, "dialect=kai,behaviour=exact": {"delete"}}
    for values, more in expected.items():
        done = chart.rendered("batch", "--set", values, "--show-only", "templates/clusterrole.yaml")
        parsed = cluster.kubectl("create", "--dry-run=client", "-o", "json", "-f", "-", text=done.stdout)
        assert parsed.returncode == 0, done.stderr + parsed.stderr
        rules = next(item for item in documents(parsed.stdout) if item["kind"] == "ClusterRole")["rules"]
        verbs = {verb for rule in rules if "" in rule["apiGroups"] and "pods" in rule["resources"] for verb in rule["verbs"]}
        assert verbs == {"get", "list", "watch"} | more, f"{values}: {sorted(verbs)}"


def test_pods_are_restricted(cluster: Cluster) -> None:
    """the scheduler's pod passes the strictest pod security standard"""
    label = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.admin.apply("/api/v1/namespaces/strict", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "strict", "labels": label}})
    for dialect in MANIFESTS:
        done = chart.rendered("strict", "--set", f"dialect={dialect}", "--show-only", "templates/deployment.yaml")
        assert done.returncode == 0, done.stderr
        parsed = cluster.kubectl("create", "--dry-run=client", "-o", "json", "-f", "-", text=done.stdout)
        assert parsed.returncode == 0, parsed.stderr
        cluster.admin.create("/api/v1/namespaces/strict/pods", _pod_of(json.loads(parsed.stdout)), dryRun="All")


def test_dashboard() -> None:
    """the dashboard is JSON whose panels ask for metrics that are known"""
    known = set((places.DEPLOY / "grafana" / "metrics.txt").read_text().split())
    board = json.loads((places.DEPLOY / "grafana" / "muster.json").read_text())
    asked = {name for panel in board["panels"] for target in panel.get("targets", [])
             for name in re.findall(r"\b(?:volcano|kai|muster)_\w+", target["expr"])}
    unknown = {name for name in asked if name not in known and re.sub(r"_(bucket|sum|count)$", "", name) not in known}
    assert asked and not unknown, f"unknown: {sorted(unknown)}"
    identities = [panel["id"] for panel in board["panels"]]
    assert len(identities) == len(set(identities)), "panels share an id"


def test_alerts() -> None:
    """the alerts ask for metrics that are known, and docs/install.md says what to do about each"""
    known = set((places.DEPLOY / "grafana" / "metrics.txt").read_text().split())
    rules = (places.DEPLOY / "prometheus" / "alerts.yaml").read_text()
    asked = set(re.findall(r"\bmuster_\w+", rules))
    assert asked and asked <= known, f"unknown: {sorted(asked - known)}"
    alerts = re.findall(r"^ +- alert: (\w+)$", rules, re.MULTILINE)
    explained = re.findall(r"^\| `(Muster\w+)` \|", (places.ROOT / "docs" / "install.md").read_text(), re.MULTILINE)
    assert alerts == explained, f"{alerts} and {explained}"


def _server_accepts(cluster: Cluster, text: str, what: str) -> None:
    done = cluster.kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "--force-conflicts", "-f", "-", text=text)
    assert done.returncode == 0, f"{what}: {done.stderr}"


def _pod_of(deployment: Object) -> Object:
    template = deployment["spec"]["template"]
    spec = {**template["spec"], "serviceAccountName": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "muster", "labels": template["metadata"]["labels"]}, "spec": spec}
