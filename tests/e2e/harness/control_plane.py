"""The processes of a control plane on the loopback: API server with etcd, controller manager, simulated kubelets."""
import dataclasses
import pathlib
import secrets
import socket
import subprocess

from . import binaries, kubeconfig, places
from .api import LOST, Api, ApiError, Server
from .children import Child
from .wait import wait_until

GATES = ("GenericWorkload", "GangScheduling", "TopologyAwareWorkloadScheduling", "WorkloadAwarePreemption", "DRAWorkloadResourceClaims",
         "WorkloadWithJob")
SCHEDULERS = ("scheduler", "second-scheduler")  # users of the same rights, told apart where two run
WITHOUT_CONTROLLERS = "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"


@dataclasses.dataclass(frozen=True)
class Setup:
    """What to start. Without controllers there are no owners, garbage collection or taints: quicker, for load."""
    controllers: bool = True
    kubelets: bool = True
    audited: bool = False  # harness/audit.py reads what the scheduler's user wrote
    audit_policy: pathlib.Path = places.AUDIT_POLICY
    lease_seconds: int = 40  # of nodes, which renew theirs four times in it: a thousand of them at once disturb a measurement
    api_flags: tuple[str, ...] = ()


class ControlPlane:
    """Everything lies in one folder: data, certificates, tokens, kubeconfigs, logs. kill() ends every process."""

    def __init__(self, folder: pathlib.Path, setup: Setup):
        self.folder = folder
        self.setup = setup
        self.server = Server(free_port(), folder / "certs" / "apiserver.crt")
        self.tokens = {user: secrets.token_hex(16) for user in ("admin", *SCHEDULERS)}
        self.children: dict[str, Child] = {}

    def start(self) -> None:
        self._write_identities()
        self.start_api_server()
        config = self.kubeconfig("admin")
        if self.setup.controllers:
            self._start("kube-controller-manager", [
                binaries.control_plane(), "kube-controller-manager", f"--kubeconfig={config}", _gates(),
                f"--service-account-private-key-file={self.folder / 'sa.key'}", f"--root-ca-file={self.server.authority}",
                "--use-service-account-credentials=true", "--leader-elect=false", "--secure-port=0"])
        if self.setup.kubelets:
            self._start("kwok", [binaries.kwok(), f"--kubeconfig={config}", f"--config={places.STAGES}", "--manage-all-nodes=true",
                                 f"--node-lease-duration-seconds={self.setup.lease_seconds}"])

    def start_api_server(self) -> None:
        """Also after a kill: on the same data and the same port."""
        keys = self.folder / "sa.key"
        self._start("kube-apiserver", [
            binaries.control_plane(), "all", "--data-dir", self.folder / "etcd", "--",
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", f"--secure-port={self.server.port}",
            f"--cert-dir={self.folder / 'certs'}", f"--token-auth-file={self.folder / 'tokens.csv'}", "--authorization-mode=Node,RBAC",
            "--service-cluster-ip-range=10.96.0.0/16", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-signing-key-file={keys}", f"--service-account-key-file={keys}", "--endpoint-reconciler-type=none",
            "--runtime-config=scheduling.k8s.io/v1alpha2=true", _gates(), *(() if self.setup.controllers else (WITHOUT_CONTROLLERS,)),
            *(_audit_flags(self.setup.audit_policy, self.audit_log) if self.setup.audited else ()), *self.setup.api_flags])
        wait_until("the API server is ready", self._ready, seconds=120)

    @property
    def audit_log(self) -> pathlib.Path:
        return self.folder / "audit.log"

    def kill_api_server(self) -> None:
        self.children.pop("kube-apiserver").kill()

    def kill(self) -> None:
        for child in self.children.values():
            child.kill()
        self.children.clear()

    def kubeconfig(self, user: str) -> pathlib.Path:
        return self.folder / f"{user}.kubeconfig"

    def api(self, user: str) -> Api:
        return Api(self.server, self.tokens[user])

    def check_alive(self) -> None:
        """A process that ended by itself is a failure of the test, told by its last words."""
        for child in self.children.values():
            assert child.alive(), f"{child.name} ended with status {child.status()}:\n{child.last_lines()}"

    def _start(self, name: str, command: list) -> None:
        self.children[name] = Child(name, command, self.folder / f"{name}.log")

    def _write_identities(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["openssl", "genrsa", "-out", self.folder / "sa.key", "2048"], check=True, capture_output=True)
        users = self.folder / "tokens.csv"
        schedulers = [f'{self.tokens[user]},e2e-{user},u-{user},"e2e:schedulers"\n' for user in SCHEDULERS]
        users.write_text("".join([f'{self.tokens["admin"]},admin,u-admin,"system:masters"\n', *schedulers]))
        users.chmod(0o600)
        for user, token in self.tokens.items():
            kubeconfig.write(self.kubeconfig(user), self.server, user, token)

    def _ready(self) -> bool:
        self.check_alive()
        if not self.server.authority.exists():
            return False
        try:
            self.api("admin").get("/api/v1/namespaces/kube-system")
            return True
        except (ApiError, *LOST):
            return False


def _gates() -> str:
    return "--feature-gates=" + ",".join(f"{gate}=true" for gate in GATES)


def _audit_flags(policy: pathlib.Path, log: pathlib.Path) -> tuple[str, ...]:
    return f"--audit-policy-file={policy}", f"--audit-log-path={log}", "--audit-log-maxsize=1000"


def free_port() -> int:
    """Of the loopback: nobody listens at it now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
