"""Many requests at once, by the compiled client: the harness must not be what is measured."""
import dataclasses
import json
import subprocess
from typing import Iterable

from . import binaries
from .api import Object, Server


@dataclasses.dataclass(frozen=True)
class Request:
    """One POST."""
    path: str
    body: Object


@dataclasses.dataclass(frozen=True)
class Speed:
    """How many were answered how fast, and by which status."""
    requests: int
    seconds: float
    per_second: float
    status: dict[str, int]
    refusals: list[str]


def post_all(server: Server, token: str, requests: Iterable[Request], connections: int) -> Speed:
    lines = "".join(json.dumps({"path": request.path, "body": request.body}) + "\n" for request in requests)
    command = [binaries.control_plane(), "post", f"--server={server.url}", f"--certificate-authority={server.authority}",
               f"--token={token}", f"--connections={connections}"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    return Speed(report["requests"], report["seconds"], report["per_second"], report["status"], report.get("refusals", []))
