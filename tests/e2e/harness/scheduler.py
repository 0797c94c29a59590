"""muster as a process that schedules a test's cluster."""
import pathlib
import re
import signal
import subprocess

from .children import Child
from .cluster import Cluster
from .places import ROOT
from .wait import wait_until

MUSTER = ROOT / "build/release/muster"


class Scheduler:
    """One replica. It dies with the test."""

    def __init__(self, cluster: Cluster, dialect: str = "volcano", config: pathlib.Path | None = None, user: str = "admin",
                 name: str = "scheduler", *flags: str):
        command: list[str | pathlib.Path] = [MUSTER, "scheduler", f"--dialect={dialect}", f"--kubeconfig={cluster.plane.kubeconfig(user)}"]
        if config:
            command.append(f"--scheduler-conf={config}")
        self.child = Child(name, [*command, *flags], cluster.plane.folder / f"{name}.log")

    def text(self) -> str:
        return self.child.log.read_text(errors="replace")

    def wait_for(self, text: str, seconds: float = 30) -> None:
        wait_until(f"{self.child.name} says {text!r}", lambda: text in self.text(), seconds)

    def resident_megabytes(self) -> float:
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def stop(self, seconds: float = 20) -> int:
        """Politely; its exit status."""
        self.child.send(signal.SIGTERM)
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.child.name} did not stop:\n{self.child.last_lines()}") from None
