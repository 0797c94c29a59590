"""Who a scheduler is, and how it says so: in the ways of a kubeconfig, and as a pod does."""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

from . import kubeconfig, places
from .cluster import Cluster

PLUGIN = places.E2E / "harness" / "credential_plugin.py"
# Puts the folder of a service account where every pod has its own, for the command that follows and for nobody else.
_MOUNT = ('mount -t tmpfs none "$(readlink -f /var/run)" && mkdir -p /var/run/secrets/kubernetes.io && '
          'ln -s "$0" /var/run/secrets/kubernetes.io/serviceaccount && exec "$@"')


@dataclasses.dataclass(frozen=True)
class Identity:
    """What a scheduler is started with: flags, words before its command, and variables."""
    flags: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    environment: dict[str, str] = dataclasses.field(default_factory=dict)


def by_kubeconfig(path: pathlib.Path) -> Identity:
    return Identity((f"--kubeconfig={path}",))


class ServiceAccount:
    """Its folder has what the kubelet gives to every container of a pod: token, authority, namespace."""

    def __init__(self, cluster: Cluster, namespace: str, name: str):
        self.user = f"system:serviceaccount:{namespace}:{name}"
        self.token = ""
        self._cluster = cluster
        self._path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}"
        self._folder = cluster.plane.folder / f"account-{namespace}-{name}"
        self._folder.mkdir()
        shutil.copy(cluster.plane.server.authority, self._folder / "ca.crt")
        (self._folder / "namespace").write_text(namespace)
        self.renew_token()

    def renew_token(self) -> None:
        """As the kubelet does: the file is replaced as a whole."""
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
        self.token = self._cluster.admin.create(f"{self._path}/token", request)["status"]["token"]
        new = self._folder / "token.new"
        new.write_text(self.token)
        new.chmod(0o600)
        new.rename(self._folder / "token")

    def make_anew(self) -> None:
        """Another one of its name: tokens of the first are no longer any good."""
        before = self._cluster.admin.get(self._path)["metadata"]
        self._cluster.admin.delete(self._path)
        self._cluster.admin.create(self._path.rpartition("/")[0], {
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"namespace": before["namespace"], "name": before["name"]}})

    def by_token_file(self) -> Identity:
        """A kubeconfig that names the file."""
        path = self._folder / "kubeconfig"
        return by_kubeconfig(kubeconfig.write_as(path, self._cluster.plane.server, "account", {"tokenFile": str(self._folder / "token")}))

    def as_in_a_pod(self) -> Identity:
        """Nothing but the files and the variables that every pod has."""
        return Identity(before=(*_unshare(), "sh", "-c", _MOUNT, str(self._folder)),
                        environment={"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self._cluster.plane.server.port),
                                     "KUBECONFIG": "", "HOME": str(self._folder)})


def can_be_as_in_a_pod() -> bool:
    """Whether this machine lets us mount something that nobody else sees."""
    try:
        return subprocess.run([*_unshare(), "sh", "-c", _MOUNT, "/tmp", "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


class ClientAuthority:
    """Signs the certificates of clients, for an API server that is started with its flags."""

    def __init__(self, folder: pathlib.Path):
        self._folder = folder
        _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=clients of the tests",
                 "-keyout", folder / "ca.key", "-out", folder / "ca.crt")

    @property
    def flags(self) -> tuple[str, ...]:
        return (f"--client-ca-file={self._folder / 'ca.crt'}",)

    def identity(self, cluster: Cluster, user: str, group: str) -> Identity:
        certificate, key, request, uses = (self._folder / name for name in ("client.crt", "client.key", "client.csr", "uses"))
        uses.write_text("extendedKeyUsage = clientAuth\n")
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/O={group}/CN={user}", "-keyout", key, "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self._folder / "ca.crt", "-CAkey", self._folder / "ca.key", "-CAcreateserial",
                 "-days", "2", "-extfile", uses, "-out", certificate)
        who = {"client-certificate": str(certificate), "client-key": str(key)}
        return by_kubeconfig(kubeconfig.write_as(cluster.plane.folder / "certificate.kubeconfig", cluster.plane.server, user, who))


class Plugin:
    """A program that gives the token of a user, for some seconds each time."""

    def __init__(self, cluster: Cluster, user: str, seconds: int):
        self._asked = cluster.plane.folder / "plugin.asked"
        self._cluster = cluster
        variables = {"E2E_TOKEN": cluster.plane.tokens[user], "E2E_SECONDS": str(seconds), "E2E_ASKED": str(self._asked)}
        self._who = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": sys.executable, "args": [str(PLUGIN)],
                              "env": [{"name": name, "value": value} for name, value in variables.items()],
                              "interactiveMode": "Never", "provideClusterInfo": True}}

    def identity(self) -> Identity:
        plane = self._cluster.plane
        return by_kubeconfig(kubeconfig.write_as(plane.folder / "plugin.kubeconfig", plane.server, "plugin", self._who))

    def asked(self) -> list[str]:
        """For which server, each time that it ran."""
        return self._asked.read_text().splitlines() if self._asked.exists() else []


def impersonating(cluster: Cluster, user: str, *groups: str) -> Identity:
    """The administrator, who acts as somebody else."""
    who = {"token": cluster.plane.tokens["admin"], "as": user, "as-groups": list(groups)}
    return by_kubeconfig(kubeconfig.write_as(cluster.plane.folder / f"as-{user}.kubeconfig", cluster.plane.server, "admin", who))


def _unshare() -> tuple[str, ...]:
    return ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)))


def _openssl(*words: str | pathlib.Path) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)
