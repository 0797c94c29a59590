"""The script that the embedded cluster is measured by (tests/kubectl), on the server that its answers were recorded from."""
import subprocess
import sys

from harness import binaries, places
from harness.cluster import running
from harness.control_plane import Setup


def test_recorded_answers() -> None:
    """kubectl says of a real server what tests/kubectl/expected.txt says it does"""
    with running(Setup(controllers=False, kubelets=False)) as cluster:
        for dialect in ("volcano", "kai"):
            cluster.install_crds(places.DEPLOY / "crds" / dialect)
        run = [sys.executable, str(places.ROOT / "tests" / "kubectl" / "run"), f"{binaries.control_plane()} kubectl",
               "--real", str(cluster.plane.kubeconfig("admin"))]
        done = subprocess.run(run, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
