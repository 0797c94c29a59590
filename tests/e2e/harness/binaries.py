"""The programs that the tests run, built once into build/e2e/bin. Cold about nine minutes of CPU, a moment afterwards."""
import hashlib
import os
import pathlib
import subprocess
import time

from . import go, places
from .say import say

KUBERNETES = "v1.36.3"
KWOK = ("sigs.k8s.io/kwok/cmd/kwok", "v0.8.0")
HELM = ("helm.sh/helm/v3/cmd/helm", "v3.19.0")
VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")


def control_plane() -> pathlib.Path:
    """etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl and `post` in one."""
    flags = ["-trimpath", "-ldflags", "-s -w " + " ".join(_version_settings())]
    sources = sorted(places.CONTROL_PLANE.glob("*.go")) + [places.CONTROL_PLANE / "go.mod", places.CONTROL_PLANE / "go.sum"]
    stamp = hashlib.sha256("\0".join([*flags, *(path.read_text() for path in sources)]).encode()).hexdigest()[:12]
    return _built(f"control-plane-{stamp}", lambda to: ["build", *flags, "-o", to, "."], places.CONTROL_PLANE)


def kwok() -> pathlib.Path:
    """Pretends to be the kubelets of any number of nodes."""
    return _installed(*KWOK)


def helm() -> pathlib.Path:
    """Renders the chart."""
    return _installed(*HELM)


def _version_settings() -> list[str]:
    """What the programs say of themselves; clients and the API server look at it."""
    _, minor, _ = KUBERNETES.split(".")
    values = {"gitVersion": KUBERNETES, "gitMajor": "1", "gitMinor": minor, "gitTreeState": "clean", "gitCommit": "unknown",
              "buildDate": "1970-01-01T00:00:00Z"}
    return [f"-X {package}.{name}={value}" for package in VERSION_PACKAGES for name, value in values.items()]


def _installed(package: str, version: str) -> pathlib.Path:
    name = package.rpartition("/")[2]
    arguments = ["install", "-trimpath", "-ldflags", "-s -w", f"{package}@{version}"]
    return _built(f"{name}-{version}", lambda to: arguments, pathlib.Path("/"), made=name)


def _built(name: str, arguments, folder: pathlib.Path, made: str = "") -> pathlib.Path:
    """The program, built by `go ARGUMENTS` in the folder when it is missing. A name contains what it was built from."""
    target = places.CACHE / "bin" / name
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.parent / f"unfinished.{os.getpid()}"
    say(f"building {name} (the first time takes minutes; quick from then on)")
    start = time.monotonic()
    output = unfinished / (made or name)
    unfinished.mkdir(exist_ok=True)
    subprocess.run([*go.command(), *arguments(output)], cwd=folder, check=True, env={**go.environment(), "GOBIN": str(unfinished)})
    output.rename(target)
    unfinished.rmdir()
    say(f"built {name} in {time.monotonic() - start:.0f} s")
    return target
