"""Finds the tests in cases/, runs those that were chosen, and sums up.

A test is a function test_NAME of a file cases/FILE.py, called FILE/NAME. It takes a shared Cluster as its argument `cluster`, or
nothing when it starts what it needs. AssertionError fails it; Skip says why it could not run.
"""
import dataclasses
import importlib
import inspect
import pathlib
import time
import traceback
import xml.etree.ElementTree as xml
from typing import Callable

from . import cluster as clusters
from . import places
from .cluster import Cluster, running


GUARD_MINUTES = 12  # that these may take, which is said and not enforced: a busy machine is no fault of a change
# What guards a change, in less than that on two cores: each promise once in each dialect, without measurements; in KAI's by way of
# BindRequests, where a promise holds in both its modes.
GUARDS = (
    "laws", "kubectl_script", "control_plane/pod_lives", "crds", "rbac", "deploy", "api", "installed/volcano", "operators/kai",
    *(f"policies/{dialect}_{name}" for dialect in ("volcano", "kai_requests") for name in (
        "fairness", "reclaim", "preemption", "topology", "best_effort", "kubectl")),
    *(f"volcano_scheduler/{name}" for name in (
        "gangs_all_or_nothing", "crds_come_later", "configuration_reload", "leader_killed_within_a_gang", "api_server_restart_under_load",
        "blocked_evictions")),
    *(f"kai_scheduler/{name}" for name in (
        "gangs_all_or_nothing", "shared_gpus", "failing_binder", "configuration_reload", "leader_killed_within_a_gang",
        "api_server_restart_under_load", "blocked_evictions")),
    *(f"troubles/{name}" for name in (
        "volcano_compaction", "volcano_node_lost", "kai_requests_node_lost", "volcano_webhook_denies", "kai_webhook_denies",
        "volcano_leader_paused_within_a_gang", "kai_requests_definitions_come_later")),
    *(f"claims/{name}" for name in ("volumes_and_their_controller", "devices_and_their_controller", "kai_direct", "kai_requests")),
    "shadow/volcano_safe", "shadow/kai_by_other_rules",
)


class Skip(Exception):
    """What is missing for this test."""


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    body: Callable

    @property
    def shares_cluster(self) -> bool:
        return "cluster" in inspect.signature(self.body).parameters

    @property
    def purpose(self) -> str:
        return (self.body.__doc__ or "").strip().split("\n")[0]


@dataclasses.dataclass(frozen=True)
class Outcome:
    test: Test
    seconds: float
    failure: str = ""
    skipped: str = ""


def found() -> list[Test]:
    """Every test, file by file in the order of their names, in a file from top to bottom."""
    tests = []
    for path in sorted((places.E2E / "cases").glob("*.py")):
        module = importlib.import_module(f"cases.{path.stem}")
        for name, body in vars(module).items():
            if name.startswith("test_") and body.__module__ == module.__name__:
                tests.append(Test(f"{path.stem}/{name.removeprefix('test_')}", body))
    return tests


def chosen(names: list[str]) -> list[Test]:
    """A name may be a whole file's, such as crds. ValueError for one that fits nothing."""
    tests = found()
    for name in names:
        if not any(_fits(test, name) for test in tests):
            raise ValueError(f"no test {name}; known: " + ", ".join(test.name for test in tests))
    return [test for test in tests if not names or any(_fits(test, name) for name in names)]


def run(tests: list[Test]) -> list[Outcome]:
    """One after the other; those that share a cluster first, on one that lives as long as they need it."""
    sharing = [test for test in tests if test.shares_cluster]
    outcomes = []
    if sharing:
        with running() as cluster:
            outcomes += [_attempt(test, cluster) for test in sharing]
    return outcomes + [_attempt(test, None) for test in tests if not test.shares_cluster]


def write_junit(outcomes: list[Outcome], path: pathlib.Path) -> None:
    suite = xml.Element("testsuite", name="e2e", tests=str(len(outcomes)), failures=str(sum(bool(o.failure) for o in outcomes)),
                        skipped=str(sum(bool(o.skipped) for o in outcomes)), time=f"{sum(o.seconds for o in outcomes):.3f}")
    for outcome in outcomes:
        folder, _, name = outcome.test.name.partition("/")
        case = xml.SubElement(suite, "testcase", classname=folder, name=name, time=f"{outcome.seconds:.3f}")
        if outcome.failure:
            xml.SubElement(case, "failure").text = outcome.failure
        if outcome.skipped:
            xml.SubElement(case, "skipped", message=outcome.skipped)
    xml.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _fits(test: Test, name: str) -> bool:
    return test.name == name or test.name.startswith(name + "/")


def _attempt(test: Test, cluster: Cluster | None) -> Outcome:
    start = time.monotonic()
    failure = skipped = ""
    clusters.evidence = places.CACHE / "failures" / test.name.replace("/", "-")
    try:
        test.body(*([cluster] if cluster else []))
        if cluster:
            cluster.plane.check_alive()
    except Skip as reason:
        skipped = str(reason)
    except Exception as error:  # whatever a test runs into is its failure, not the end of the run
        expected = isinstance(error, AssertionError) and error.args
        failure = str(error) if expected else traceback.format_exc()
        if cluster:
            clusters.keep_evidence(cluster.plane)
    outcome = Outcome(test, time.monotonic() - start, failure, skipped)
    _tell(outcome)
    return outcome


def _tell(outcome: Outcome) -> None:
    word = "FAIL" if outcome.failure else "skip" if outcome.skipped else "ok"
    print(f"{word:5} {outcome.seconds:7.2f} s  {outcome.test.name}" + (f"  ({outcome.skipped})" if outcome.skipped else ""), flush=True)
    for line in outcome.failure.splitlines():
        print(f"      {line}", flush=True)
