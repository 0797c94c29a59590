"""muster as a process that schedules a test's cluster."""
import json
import pathlib
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request

from .children import Child
from .cluster import Cluster
from .identity import Identity, by_kubeconfig
from .places import ROOT
from .say import say
from .wait import wait_until

MUSTER = ROOT / "build/release/muster"
QUICK_AUDIT = "--audit-rate=5000"  # everything again and again, so that whatever is remembered wrongly is found within a test
LARGEST_REPLAY = 16 << 20  # bytes
_WRONG = ("audit: an object is not remembered", "what is remembered of the cluster is wrong")


class Scheduler:
    """One replica. It dies with the test. What it saw and decided is recorded, unless it is measured: a failed test keeps that."""

    def __init__(self, cluster: Cluster, dialect: str = "volcano", config: pathlib.Path | None = None, user: str = "admin",
                 name: str = "scheduler", *flags: str, recorded: bool = True, identity: Identity | None = None):
        identity = identity or by_kubeconfig(cluster.plane.kubeconfig(user))
        command: list[str | pathlib.Path] = [*identity.before, MUSTER, "scheduler", f"--dialect={dialect}", *identity.flags]
        if config:
            command.append(f"--scheduler-conf={config}")
        if recorded and not any(flag.startswith("--audit-rate") for flag in flags):
            command.append(QUICK_AUDIT)
        self._recording = cluster.plane.folder / f"recording-{name}"
        if recorded:
            command += [f"--record={self._recording}", "--record-max-bytes=64Mi"]
            cluster.at_end.append(self._check_replay)
        if not any(flag.startswith("--listen-address") for flag in flags):
            command.append("--listen-address=127.0.0.1:0")  # the usual port may be somebody's
        self.child = Child(name, [*command, *flags], cluster.plane.folder / f"{name}.log", identity.environment)
        self._cuts = cluster.cuts
        cluster.companions.append(self.child)
        cluster.at_end.append(self._check_memory)

    def text(self) -> str:
        return self.child.log.read_text(errors="replace")

    def wait_for(self, text: str, seconds: float = 30) -> None:
        wait_until(f"{self.child.name} says {text!r}", lambda: text in self.text(), seconds)

    def port(self) -> str:
        """Where it listens, by its log."""
        return wait_until(f"{self.child.name} listens", lambda: _port(self.text()))

    def is_ready(self) -> bool:
        """As the kubelet is told."""
        if not _port(self.text()):
            return False
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port()}/readyz", timeout=20):
                return True
        except urllib.error.URLError:  # also while it says that it is not
            return False

    def ask(self, path: str) -> tuple[int, dict]:
        """Status and answer of its JSON API."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port()}{path}", timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def metrics(self) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port()}/metrics", timeout=20) as answer:
            return answer.read().decode()

    def _check_memory(self) -> None:
        wrong = [line for line in self.text().splitlines() if any(sign in line for sign in _WRONG)]
        assert not wrong, "\n".join(wrong[:10])

    def _check_replay(self) -> None:
        """What was recorded, decided again, is the same. One that was killed, or runs, is compared to its last whole block."""
        size = sum(file.stat().st_size for file in self._recording.glob("*.recording"))
        if size > LARGEST_REPLAY:
            return say(f"not replayed: {size >> 20} MiB of {self.child.name}")
        if size == 0:
            return  # killed before it wrote anything
        done = subprocess.run([MUSTER, "replay", self._recording], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"replay of {self.child.name}, status {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-2000:]}"

    def resident_megabytes(self, which: str = "VmRSS") -> float:
        """Now, or with VmHWM at most."""
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(which + r":\s+(\d+)", status).group(1)) / 1024

    def histogram(self, name: str) -> dict[str, float]:
        """Counts by bucket, of one without labels."""
        return {bound: float(count) for bound, count in re.findall(name + r'_bucket\{le="([^"]+)"\} (\S+)', self.metrics())}

    def kill(self) -> None:
        """As by a machine that fails."""
        self.child.kill()
        self._cuts.append(time.time())

    def stop(self, seconds: float = 20) -> int:
        """Politely; its exit status."""
        self.child.send(signal.SIGTERM)
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.child.name} did not stop:\n{self.child.last_lines()}") from None


def _port(text: str) -> str:
    line = next((line for line in text.splitlines() if "listening" in line), "")
    return line.partition("port=")[2].split()[0] if "port=" in line else ""
