"""muster as deploy/ installs it: the arguments of its Deployment, the ServiceAccount and its token, and no right but those of the manifests."""
from harness import audit
from harness.api import Api
from harness.cluster import Cluster
from harness.dialects import KAI, KAI_REQUESTS, VOLCANO, Dialect, bound, create, scheduled
from harness.identity import Identity, ServiceAccount, can_be_as_in_a_pod
from harness.installed import Installed
from harness.objects import a_node
from harness.pod_history import PodHistory
from harness.suite import Skip
from harness.wait import wait_until

CONDITIONS = {"volcano": ("/apis/scheduling.volcano.sh/v1beta1", "conditions"), "kai": ("/apis/scheduling.run.ai/v2alpha2", "schedulingConditions")}
UNAUTHORIZED = 401


def _in_a_pod(account: ServiceAccount) -> Identity:
    if not can_be_as_in_a_pod():
        raise Skip("nothing can be mounted here")
    return account.as_in_a_pod()


def _conditions(cluster: Cluster, dialect: Dialect, group: str) -> list:
    version, field = CONDITIONS[dialect.name]
    return cluster.admin.get(f"{version}/namespaces/t/podgroups/{group}").get("status", {}).get(field, [])


def _works(dialect: Dialect, values: str, in_a_pod: bool) -> None:
    """A gang is bound, another one is told that there is no room, in its status and on its pods; the Lease is taken, and given back at the end."""
    with dialect.cluster([a_node("n-0", cpu="4")]) as cluster, PodHistory(cluster.admin) as history:
        installed = Installed(cluster, dialect.name, values)
        scheduler = installed.scheduler(_in_a_pod(installed.account) if in_a_pod else None)
        scheduler.wait_for("all objects are known")
        create(cluster, dialect.gang("t", "fits", 4, {"cpu": "1"}))
        wait_until("the gang is bound", lambda: len(bound(cluster)) == 4)
        create(cluster, dialect.gang("t", "large", 2, {"cpu": "1"}))
        wait_until("the other one's pods are told", lambda: scheduled(cluster, "large-0").get("status") == "False")
        wait_until("so is its group", lambda: _conditions(cluster, dialect, "large"))
        assert dialect.holder(cluster)
        wait_until("events tell of both", lambda: {"Scheduled", dialect.waits} <= {
            event["reason"] for event in cluster.admin.items("/apis/events.k8s.io/v1/namespaces/t/events")})
        assert scheduler.stop() == 0
        assert not dialect.holder(cluster), "the Lease is given back"
        assert {one.user for one in audit.noted(cluster) if one.is_bind or one.is_lease} == {installed.account.user}
        assert not audit.refusals(cluster), audit.refusals(cluster)[:10]
        for word in ("orbidden", "could not write", "failed"):
            assert word not in scheduler.text(), scheduler.text()[-4000:]
        dialect.hold(history, cluster, {"t/fits": 4, "t/large": 2})


def test_volcano() -> None:
    """by Volcano's manifests, as in a pod: the variables and the folder that every pod has"""
    _works(VOLCANO, "", in_a_pod=True)


def test_kai() -> None:
    """by KAI's manifests, as in a pod; a binder carries binds out"""
    _works(KAI_REQUESTS, "", in_a_pod=True)


def test_kai_direct() -> None:
    """by the chart with bind=direct, and a kubeconfig that names the token's file"""
    _works(KAI, "bind=direct", in_a_pod=False)


def test_renewed_token() -> None:
    """the token is replaced in its folder, and the first one is no longer any good: the scheduler goes on with the second"""
    with VOLCANO.cluster([a_node("n-0", cpu="4")]) as cluster, PodHistory(cluster.admin) as history:
        installed = Installed(cluster, "volcano")
        scheduler = installed.scheduler()
        scheduler.wait_for("all objects are known")
        create(cluster, VOLCANO.gang("t", "first", 2, {"cpu": "1"}))
        wait_until("a gang is bound", lambda: len(bound(cluster, "first-")) == 2)
        old = Api(cluster.plane.server, installed.account.token)
        installed.account.make_anew()
        installed.account.renew_token()
        wait_until("the first token is refused", lambda: old.status_of("GET", "/api/v1/pods") == UNAUTHORIZED)
        create(cluster, VOLCANO.gang("t", "second", 2, {"cpu": "1"}))
        wait_until("another gang is bound", lambda: len(bound(cluster, "second-")) == 2, seconds=60)
        assert scheduler.text().count('"leading"') == 1, "it led all the time"
        assert scheduler.stop() == 0
        VOLCANO.hold(history, cluster, {"t/first": 2, "t/second": 2})
