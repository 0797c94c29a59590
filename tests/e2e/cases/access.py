"""Who the scheduler is, in all the ways that a kubeconfig knows, to a real API server: each leads, binds a gang, and gives the Lease back."""
import dataclasses
import pathlib
import re
import tempfile
import time

from harness import audit
from harness.cluster import Cluster
from harness.control_plane import Setup
from harness.dialects import VOLCANO, bound, create
from harness.identity import ClientAuthority, Identity, Plugin, impersonating
from harness.objects import a_node
from harness.wait import wait_until

GROUP = "e2e:schedulers"  # may do everything in these tests
QUICK = Setup(controllers=False, audited=True)


def _works(cluster: Cluster, way: str, identity: Identity, seconds: float = 0) -> None:
    scheduler = VOLCANO.scheduler(cluster, name=way, identity=identity)
    scheduler.wait_for("all objects are known")
    time.sleep(seconds)
    create(cluster, VOLCANO.gang("t", way, 2, {"cpu": "1"}))
    wait_until(f"a gang is bound by {way}", lambda: len(bound(cluster, f"{way}-")) == 2)
    assert scheduler.stop() == 0


def test_certificate() -> None:
    """a client certificate that the server's authority for clients has signed, by name and group"""
    with tempfile.TemporaryDirectory(prefix="muster-e2e-") as folder:
        authority = ClientAuthority(pathlib.Path(folder))
        with VOLCANO.cluster([a_node("n-0", cpu="4")], dataclasses.replace(QUICK, api_flags=authority.flags)) as cluster:
            _works(cluster, "certificate", authority.identity(cluster, audit.SCHEDULER, GROUP))
            assert {one.user for one in audit.noted(cluster) if one.is_bind} == {audit.SCHEDULER}


def test_plugin_and_impersonation() -> None:
    """a program that gives tokens for some seconds, which is run again in time; an administrator who acts as somebody else, with his rights alone"""
    with VOLCANO.cluster([a_node("n-0", cpu="4")], QUICK) as cluster:
        plugin = Plugin(cluster, "scheduler", seconds=12)
        _works(cluster, "plugin", plugin.identity(), seconds=13)
        assert len(plugin.asked()) >= 2 and set(plugin.asked()) == {cluster.plane.server.url}, plugin.asked()
        nobody = VOLCANO.scheduler(cluster, name="nobody", identity=impersonating(cluster, "e2e-nobody"))
        wait_until("the server's answer names who may not list", lambda: re.search(r'User \\*"e2e-nobody\\*" cannot list', nobody.text()))
        assert "all objects are known" not in nobody.text()
        assert nobody.stop() == 0
        _works(cluster, "impersonated", impersonating(cluster, "e2e-somebody", GROUP))
