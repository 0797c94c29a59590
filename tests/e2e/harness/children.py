"""Processes that never outlive the test that started them, however it ends."""
import ctypes
import os
import pathlib
import signal
import subprocess

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Child:
    """A program with its output in a file. Start it from the main thread: the kernel ties it to the thread that did."""

    def __init__(self, name: str, command: list[str | pathlib.Path], log: pathlib.Path, environment: dict[str, str] | None = None):
        self.name = name
        self.log = log
        with open(log, "ab") as output:
            self._process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
                                             stderr=subprocess.STDOUT, preexec_fn=_die_with_parent, start_new_session=True,
                                             env={**os.environ, **(environment or {})})

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def status(self) -> int | None:
        """The exit status, None while it runs."""
        return self._process.poll()

    def send(self, number: signal.Signals) -> None:
        if self.alive():
            self._process.send_signal(number)

    def kill(self) -> None:
        """At once: an API server that is asked politely waits a minute for open watches."""
        self.send(signal.SIGKILL)
        self._process.wait()

    def wait(self, seconds: float) -> int:
        """Its exit status; subprocess.TimeoutExpired when it still runs then."""
        return self._process.wait(seconds)

    def cpu_seconds(self) -> float:
        """Processor time that it has used so far, by all its threads."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def last_lines(self, count: int = 15) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-count:])
