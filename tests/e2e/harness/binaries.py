"""The programs that the tests run, built once into build/e2e/bin and kept for other clones, too. Cold about nine minutes of CPU, a
moment afterwards."""
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import time

from . import go, places
from .say import say

KUBERNETES = "v1.36.3"
KWOK = ("sigs.k8s.io/kwok/cmd/kwok", "v0.8.0")
HELM = ("helm.sh/helm/v3/cmd/helm", "v3.19.0")
VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")


def are_there() -> bool:
    """Whether what every test needs has been built before, here or in another clone."""
    return all(_found(name) for name in (_control_plane_name(), _installed_name(*KWOK)))


def built_kubectl() -> str | None:
    """The words that run kubectl, where it has been built before."""
    found = _found(_control_plane_name())
    return None if found is None else f"{shlex.quote(str(found))} kubectl"


def control_plane() -> pathlib.Path:
    """etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl and `post` in one."""
    return _built(_control_plane_name(), lambda to: ["build", *_control_plane_flags(), "-o", to, "."], places.CONTROL_PLANE)


def kwok() -> pathlib.Path:
    """Pretends to be the kubelets of any number of nodes."""
    return _installed(*KWOK)


def helm() -> pathlib.Path:
    """Renders the chart."""
    return _installed(*HELM)


def _control_plane_flags() -> list[str]:
    return ["-trimpath", "-ldflags", "-s -w " + " ".join(_version_settings())]


def _control_plane_name() -> str:
    sources = sorted(places.CONTROL_PLANE.glob("*.go")) + [places.CONTROL_PLANE / "go.mod", places.CONTROL_PLANE / "go.sum"]
    texts = [*_control_plane_flags(), *(path.read_text() for path in sources)]
    return "control-plane-" + hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def _version_settings() -> list[str]:
    """What the programs say of themselves; clients and the API server look at it."""
    _, minor, _ = KUBERNETES.split(".")
    values = {"gitVersion": KUBERNETES, "gitMajor": "1", "gitMinor": minor, "gitTreeState": "clean", "gitCommit": "unknown",
              "buildDate": "1970-01-01T00:00:00Z"}
    return [f"-X {package}.{name}={value}" for package in VERSION_PACKAGES for name, value in values.items()]


def _installed(package: str, version: str) -> pathlib.Path:
    arguments = ["install", "-trimpath", "-ldflags", "-s -w", f"{package}@{version}"]
    return _built(_installed_name(package, version), lambda to: arguments, pathlib.Path("/"), made=package.rpartition("/")[2])


def _installed_name(package: str, version: str) -> str:
    return f"{package.rpartition('/')[2]}-{version}"


def _found(name: str) -> pathlib.Path | None:
    return next((path for path in (places.CACHE / "bin" / name, places.SHARED / name) if path.exists()), None)


def _share(program: pathlib.Path) -> None:
    """For other clones, which would build the same. Where that cannot be, each builds its own."""
    if (places.SHARED / program.name).exists():
        return
    try:
        places.SHARED.mkdir(parents=True, exist_ok=True)
        copy = places.SHARED / f"{program.name}.{os.getpid()}"
        shutil.copy2(program, copy)
        copy.rename(places.SHARED / program.name)
    except OSError as error:
        say(f"{program.name} is not kept for other clones: {error}")


def _built(name: str, arguments, folder: pathlib.Path, made: str = "") -> pathlib.Path:
    """The program, built by `go ARGUMENTS` in the folder when it is missing. A name contains what it was built from."""
    if found := _found(name):
        _share(found)
        return found
    target = places.CACHE / "bin" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.parent / f"unfinished.{os.getpid()}"
    say(f"building {name} (the first time takes minutes; quick from then on)")
    start = time.monotonic()
    output = unfinished / (made or name)
    unfinished.mkdir(exist_ok=True)
    subprocess.run([*go.command(), *arguments(output)], cwd=folder, check=True, env={**go.environment(), "GOBIN": str(unfinished)})
    output.rename(target)
    unfinished.rmdir()
    _share(target)
    say(f"built {name} in {time.monotonic() - start:.0f} s")
    return target
