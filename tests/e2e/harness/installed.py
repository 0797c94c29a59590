"""muster as deploy/ installs it: with the arguments and the configuration of its Deployment, and the ServiceAccount, whose rights are all that it has."""
from . import chart, places
from .cluster import Cluster
from .identity import Identity, ServiceAccount
from .scheduler import Scheduler
from .wait import wait_until

NAMESPACES = {"volcano": "volcano-system", "kai": "kai-scheduler"}
HERE = ("--dialect=", "--scheduler-conf=", "--listen-address=", "--healthz-address=")  # are others on this machine, or said by the tests


class Installed:
    """By the manifests, or by the chart with values. No container runs: the scheduler of the tests is started in its place."""

    def __init__(self, cluster: Cluster, dialect: str, values: str = ""):
        self._cluster = cluster
        self._dialect = dialect
        namespace = NAMESPACES[dialect]
        done = cluster.kubectl("apply", "--server-side", "-f", "-", text=_manifests(dialect, namespace, values))
        assert done.returncode == 0, done.stderr
        pod = cluster.admin.get(f"/apis/apps/v1/namespaces/{namespace}/deployments/muster")["spec"]["template"]["spec"]
        arguments = pod["containers"][0]["args"]
        assert arguments[0] == "scheduler" and f"--dialect={dialect}" in arguments, arguments
        self.flags = tuple(word for word in arguments[1:] if not word.startswith(HERE))
        self.account = ServiceAccount(cluster, namespace, pod["serviceAccountName"])
        mounted = next(volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume)
        file = next(word for word in arguments if word.startswith("--scheduler-conf=")).rpartition("/")[2]
        wait_until("its rights are in force", lambda: self._may("list", "", "nodes") and self._may("create", "coordination.k8s.io", "leases", namespace))
        self._config = cluster.plane.folder / file
        self._config.write_text(cluster.admin.get(f"/api/v1/namespaces/{namespace}/configmaps/{mounted}")["data"][file])

    def scheduler(self, identity: Identity | None = None) -> Scheduler:
        """With the identity of the account: by a kubeconfig, unless it is said otherwise."""
        return Scheduler(self._cluster, self._dialect, self._config, "", "scheduler", *self.flags, "--healthz-address=127.0.0.1:0",
                         identity=identity or self.account.by_token_file())

    def _may(self, verb: str, group: str, resource: str, namespace: str = "") -> bool:
        """Asked by the administrator: in the audit log it would look as if the scheduler had tried in vain."""
        asked = {"user": self.account.user, "resourceAttributes": {"verb": verb, "group": group, "resource": resource, "namespace": namespace}}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": asked}
        return self._cluster.admin.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]["allowed"]


def _manifests(dialect: str, namespace: str, values: str) -> str:
    if not values:
        return (places.DEPLOY / "manifests" / f"{dialect}.yaml").read_text()
    done = chart.rendered(namespace, "--set", f"dialect={dialect},createNamespace=true,{values}")
    assert done.returncode == 0, done.stderr
    return done.stdout
