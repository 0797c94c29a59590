"""Finds a Go that can build the control plane; from an old one, fetches a new one through Go's own module proxy.

Debian 12 ships Go 1.19, which cannot build Kubernetes. But a Go toolchain is an ordinary Go module, so any Go can download
it, checked by Go's checksum database like every other module, and no other source of software is needed.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess

from . import places
from .say import say

NEEDED = (1, 26)
TOOLCHAIN = "golang.org/toolchain@v0.0.1-go1.26.0.linux-amd64"
USUAL_PLACES = ("/usr/local/go/bin/go", "/usr/lib/go/bin/go")


class NoGo(RuntimeError):
    """No usable Go, with what to do about it."""


def command() -> list[pathlib.Path | str]:
    """The go command to run."""
    fetched = places.CACHE / "go" / "bin" / "go"
    if fetched.exists():
        return [fetched]
    found = _installed()
    if found is None:
        raise NoGo("Go is missing: apt-get install golang-go (any version; a newer one is fetched when it is too old)")
    return [found if _version(found) >= NEEDED else _fetch_with(found)]


def environment() -> dict[str, str]:
    """Settings of every build: no C compiler, and no toolchain but the one chosen here."""
    inherited = {name: value for name, value in os.environ.items() if name != "GOROOT"}
    return {**inherited, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false", "GOWORK": "off"}


def _installed() -> pathlib.Path | None:
    candidates = [os.environ.get("MUSTER_GO"), shutil.which("go"), *USUAL_PLACES]
    return next((pathlib.Path(name) for name in candidates if name and os.access(name, os.X_OK)), None)


def _version(go: pathlib.Path) -> tuple[int, int]:
    text = subprocess.run([go, "version"], capture_output=True, text=True, check=True, env=environment()).stdout
    found = re.search(r"go(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _fetch_with(old: pathlib.Path) -> pathlib.Path:
    say(f"{old} is too old; fetching {TOOLCHAIN.rpartition('@')[2]} with it")
    answer = subprocess.run([old, "mod", "download", "-json", TOOLCHAIN], capture_output=True, text=True, env=environment(), cwd="/")
    if answer.returncode != 0:
        raise NoGo(f"{old} cannot fetch a newer Go: {answer.stdout}{answer.stderr}")
    return _unpack(pathlib.Path(json.loads(answer.stdout)["Dir"]))


def _unpack(module: pathlib.Path) -> pathlib.Path:
    """A copy that can run: modules are stored read-only, without execute bits, and with go.mod files renamed."""
    target = places.CACHE / "go"
    unfinished = target.with_name("go.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(module, unfinished, symlinks=True, copy_function=shutil.copyfile)
    for folder in (path for path in unfinished.rglob("*") if path.is_dir()):
        folder.chmod(0o755)
    for renamed in list(unfinished.rglob("_go.mod")):
        renamed.rename(renamed.with_name("go.mod"))
    for tool in [*(unfinished / "bin").iterdir(), *(unfinished / "pkg" / "tool").rglob("*")]:
        tool.chmod(0o755)
    unfinished.rename(target)
    return target / "bin" / "go"
