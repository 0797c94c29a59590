"""The Helm chart, as helm renders it."""
import pathlib
import subprocess

from . import binaries, places
from .suite import Skip

CHART = places.DEPLOY / "helm" / "muster"


def helm() -> pathlib.Path:
    """A machine that has the control plane may have no helm, nor be able to build it: then only what is about the chart is not tried."""
    try:
        return binaries.helm()
    except subprocess.CalledProcessError as error:
        raise Skip(f"helm cannot be built here: {error}") from error


def rendered(namespace: str, *values: str) -> subprocess.CompletedProcess[str]:
    command = [helm(), "template", "muster", CHART, "--namespace", namespace, "--kube-version", binaries.KUBERNETES, *values]
    return subprocess.run(command, capture_output=True, text=True)
