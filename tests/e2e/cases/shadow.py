"""muster shadow beside a scheduler that works: muster itself, in the place of Volcano's and of KAI's."""
import contextlib
import json
import pathlib
import signal
import time
from typing import Iterator

from harness import places
from harness.api import Object
from harness.children import Child
from harness.cluster import Cluster, running
from harness.control_plane import Setup
from harness.kai_binder import RESERVATIONS, KaiBinder
from harness.objects import a_kai_gang, a_node, a_volcano_gang, creation, kai_queues
from harness.scheduler import MUSTER, Scheduler
from harness.wait import wait_until

QUICK = Setup(controllers=False)
PREEMPTS = ('actions: "enqueue, allocate, preempt"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: conformance\n'
            "- plugins:\n  - name: predicates\n  - name: nodeorder\n")
PACKS = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: binpack\n'
SPREADS = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: nodeorder\n'
KAI = 'actions: "allocate, consolidation, reclaim, preempt, stalegangeviction"\n'
KAI_PLACES = ('actions: "allocate"\ntiers:\n- plugins:\n  - name: predicates\n  - name: proportion\n  - name: priority\n'
              "  - name: nodeavailability\n  - name: resourcetype\n  - name: nodeplacement\n    arguments:\n"
              "      cpu: {how}\n      gpu: {how}\n")


class Shadow:
    """The one that looks on. It may list and watch, and nothing else. It dies with the test."""

    def __init__(self, cluster: Cluster, dialect: str, config: pathlib.Path, *flags: str):
        self.child = Child("shadow", [MUSTER, "shadow", f"--dialect={dialect}", f"--kubeconfig={cluster.plane.kubeconfig('scheduler')}",
                                      f"--scheduler-conf={config}", "-o", "json", "--all", *flags], cluster.plane.folder / "shadow.log")
        cluster.companions.append(self.child)
        wait_until("the shadow knows all objects", lambda: "all objects are known" in self._text(), seconds=60)

    def _text(self) -> str:
        return self.child.log.read_text(errors="replace")

    def _lines(self) -> list[Object]:
        return [json.loads(line) for line in self._text().splitlines() if line.startswith("{")]

    def findings(self) -> list[Object]:
        return [line for line in self._lines() if "verdict" in line]

    def verdicts(self, group: str, what: str = "start") -> list[str]:
        return [one["verdict"] for one in self.findings() if one["group"] == f"t/{group}" and one["what"] == what]

    def stop(self) -> tuple[int, Object]:
        """Its exit status and its summary."""
        self.child.send(signal.SIGTERM)
        status = self.child.wait(30)
        return status, self._lines()[-1]["summary"]


@contextlib.contextmanager
def _cluster(dialect: str, nodes: int) -> Iterator[Cluster]:
    with running(QUICK) as cluster:
        cluster.install_crds(places.DEPLOY / "crds" / dialect)
        for namespace in ("volcano-system", "kai-scheduler", RESERVATIONS, "t"):
            cluster.namespace(namespace)
        cluster.add_nodes([a_node(f"n-{index}", cpu="4") for index in range(nodes)])
        _create(cluster, [*_read_only(), *(kai_queues() if dialect == "kai" else [])])
        for name, value in (("train", 50), ("urgent", 90)):
            _create(cluster, [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}])
        yield cluster


def _read_only() -> list[Object]:
    """For the user of the shadow: a write would be refused, and said in its log."""
    group = "rbac.authorization.k8s.io"
    return [{"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": "looks-on"},
             "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["list", "watch"]}]},
            {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "looks-on"},
             "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "looks-on"},
             "subjects": [{"apiGroup": group, "kind": "Group", "name": "e2e:schedulers"}]}]


def _create(cluster: Cluster, items: list[Object]) -> None:
    cluster.create_all([creation(item) for item in items])


def _bound(cluster: Cluster, prefix: str) -> int:
    return sum(1 for pod in cluster.pods("t") if pod["metadata"]["name"].startswith(prefix) and pod["spec"].get("nodeName"))


def _all_run(cluster: Cluster, prefix: str) -> bool:
    return all(pod["status"].get("phase") == "Running" for pod in cluster.pods("t") if pod["metadata"]["name"].startswith(prefix))


def _config(cluster: Cluster, name: str, text: str) -> pathlib.Path:
    path = cluster.plane.folder / name
    path.write_text(text)
    return path


def _gang(dialect: str, name: str, members: int, priority: str = "train", minimum: int = 0) -> list[Object]:
    group, *pods = (a_kai_gang if dialect == "kai" else a_volcano_gang)("t", name, members, {"cpu": "1"})
    group["spec"]["priorityClassName"] = priority
    group["spec"]["minMember"] = minimum or members
    for pod in pods:
        pod["spec"]["priorityClassName"] = priority
        pod["metadata"]["annotations"]["volcano.sh/preemptable"] = "true"
    return [group, *pods]


def _same_everywhere(dialect: str, config: str, behaviour: str, *flags: str) -> None:
    """Gangs that start, one that waits, and one that others are evicted for."""
    with _cluster(dialect, nodes=3) as cluster, contextlib.ExitStack() as stack:
        if dialect == "kai":
            stack.enter_context(KaiBinder(cluster.admin))
        conf = _config(cluster, "scheduler.conf", config)
        scheduler = Scheduler(cluster, dialect, conf, "admin", "scheduler", f"--behaviour={behaviour}", *flags)
        scheduler.wait_for("all objects are known")
        shadow = Shadow(cluster, dialect, conf, f"--behaviour={behaviour}")
        _create(cluster, _gang(dialect, "large", 40))
        for index in range(3):
            _create(cluster, _gang(dialect, f"fits{index}", 4, minimum=2))
            wait_until("the gang is bound", lambda: _bound(cluster, f"fits{index}-") == 4)
        wait_until("all run", lambda: _all_run(cluster, "fits"))
        wait_until("the gangs are compared", lambda: all(shadow.verdicts(f"fits{index}") for index in range(3)))
        _create(cluster, _gang(dialect, "urgent", 2, "urgent"))
        wait_until("it has the room", lambda: _bound(cluster, "urgent-") == 2, seconds=60)
        wait_until("that is compared", lambda: bool(shadow.verdicts("urgent")))
        time.sleep(7)  # the time of grace, for those who wait
        status, summary = shadow.stop()
        for group in ("fits0", "fits1", "fits2", "urgent"):
            assert set(shadow.verdicts(group)) <= {"same", "timing"}, shadow.findings()
        evicted = [one for one in shadow.findings() if one["what"] == "evict"]
        assert evicted and all(one["verdict"] == "same" for one in evicted), shadow.findings()
        assert summary["otherwise"] == 0 and status == 0, (status, summary, shadow.findings())
        assert summary["pods_started"] == 14 and summary["pods_evicted"] >= 2 and summary["evictions_avoided"] == 0, summary
        assert summary["waits"]["gangs_waiting_with_both"] >= 1, summary
        assert scheduler.stop() == 0


def _other_nodes(dialect: str, live: str, here: str, *flags: str) -> None:
    """The one packs, the other spreads."""
    with _cluster(dialect, nodes=3) as cluster, contextlib.ExitStack() as stack:
        if dialect == "kai":
            stack.enter_context(KaiBinder(cluster.admin))
        scheduler = Scheduler(cluster, dialect, _config(cluster, "live.conf", live), "admin", "scheduler", "--behaviour=exact", *flags)
        scheduler.wait_for("all objects are known")
        shadow = Shadow(cluster, dialect, _config(cluster, "here.conf", here))
        for index in range(2):
            _create(cluster, _gang(dialect, f"gang{index}", 2))
            wait_until("the gang is bound", lambda: _bound(cluster, f"gang{index}-") == 2)
        wait_until("they are compared", lambda: all(shadow.verdicts(f"gang{index}") for index in range(2)))
        status, summary = shadow.stop()
        assert "other-nodes" in shadow.verdicts("gang0") + shadow.verdicts("gang1"), shadow.findings()
        assert all(one["why"] for one in shadow.findings() if one["verdict"] == "other-nodes"), shadow.findings()
        assert status == 4 and summary["otherwise"] > 0, (status, summary)


def test_volcano() -> None:
    """beside one that decides by the same rules nothing is told as different: gangs, waiting, preemption"""
    _same_everywhere("volcano", PREEMPTS, "exact")


def test_volcano_safe() -> None:
    """the same by muster's default behaviour, which evicts by way of the eviction API"""
    _same_everywhere("volcano", PREEMPTS, "safe")


def test_volcano_by_other_rules() -> None:
    """beside one that packs where muster would spread, the nodes are told"""
    _other_nodes("volcano", PACKS, SPREADS)


def test_kai() -> None:
    """the same for KAI's dialect, with BindRequests"""
    _same_everywhere("kai", KAI, "exact", "--listen-address=127.0.0.1:0")


def test_kai_safe() -> None:
    """the same by muster's default behaviour"""
    _same_everywhere("kai", KAI, "safe", "--listen-address=127.0.0.1:0")


def test_kai_by_other_rules() -> None:
    """the same for KAI's dialect"""
    _other_nodes("kai", KAI_PLACES.replace("{how}", "binpack"), KAI_PLACES.replace("{how}", "spread"), "--listen-address=127.0.0.1:0")
