"""muster as a process that schedules a test's cluster."""
import pathlib
import re
import signal
import subprocess
import urllib.request

from .children import Child
from .cluster import Cluster
from .places import ROOT
from .wait import wait_until

MUSTER = ROOT / "build/release/muster"


class Scheduler:
    """One replica. It dies with the test. What it saw and decided is recorded, unless it is measured: a failed test keeps that."""

    def __init__(self, cluster: Cluster, dialect: str = "volcano", config: pathlib.Path | None = None, user: str = "admin",
                 name: str = "scheduler", *flags: str, recorded: bool = True):
        command: list[str | pathlib.Path] = [MUSTER, "scheduler", f"--dialect={dialect}", f"--kubeconfig={cluster.plane.kubeconfig(user)}"]
        if config:
            command.append(f"--scheduler-conf={config}")
        if recorded:
            command += [f"--record={cluster.plane.folder / f'recording-{name}'}", "--record-max-bytes=64Mi"]
        self.child = Child(name, [*command, *flags], cluster.plane.folder / f"{name}.log")

    def text(self) -> str:
        return self.child.log.read_text(errors="replace")

    def wait_for(self, text: str, seconds: float = 30) -> None:
        wait_until(f"{self.child.name} says {text!r}", lambda: text in self.text(), seconds)

    def resident_megabytes(self, which: str = "VmRSS") -> float:
        """Now, or with VmHWM at most."""
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(which + r":\s+(\d+)", status).group(1)) / 1024

    def histogram(self, name: str) -> dict[str, float]:
        """Counts by bucket, of one without labels; where it listens, it has told by itself."""
        port = re.search(r"listening.*port=(\d+)", self.text()).group(1)
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode()
        return {bound: float(count) for bound, count in re.findall(name + r'_bucket\{le="([^"]+)"\} (\S+)', text)}

    def stop(self, seconds: float = 20) -> int:
        """Politely; its exit status."""
        self.child.send(signal.SIGTERM)
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.child.name} did not stop:\n{self.child.last_lines()}") from None
