"""What the how-to pages say of a scheduler that runs, tried on an embedded cluster.

A block ```log of a page holds lines of the log or of a command; "…" stands for anything. They must come, in their order, when the
steps of the page are done.
"""
import contextlib
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cluster"))
from embedded import Cluster  # noqa: E402  pylint: disable=wrong-import-position

LOG = re.compile(r"^```log\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
PLACES = {"Node": "/api/v1/nodes", "Queue": "/apis/scheduling.volcano.sh/v1beta1/queues", "Pod": "/api/v1/namespaces/lab/pods",
          "PodGroup": "/apis/scheduling.volcano.sh/v1beta1/namespaces/lab/podgroups"}
PATIENCE = 30


def checked(muster):
    """(what was checked, what is wrong with it or None) of each page."""
    with tempfile.TemporaryDirectory() as folder:
        log, replay = night(muster, pathlib.Path(folder))
    yield compared("docs/how-to/change-the-configuration.md", log)
    yield compared("docs/how-to/record-and-replay.md", replay)


def night(muster, folder):
    """A scheduler places seven pods, is given a bad configuration, a good one and for a while none at all, and ends; (its log, what
    the replay says)."""
    config = folder / "live.conf"
    good = (ROOT / "examples/configurations/batch.conf").read_text(encoding="utf-8")
    config.write_text(good, encoding="utf-8")
    log = folder / "log"
    with Cluster(muster, folder) as cluster:
        create_all(cluster, ROOT / "examples/how-to/gang")
        with running(muster, folder, log):
            wait_for("seven pods are bound", lambda: bound(cluster) == 7)
            config.write_text(good.replace("allocate", "alocate"), encoding="utf-8")
            wait_for("the configuration is refused", lambda: "is no good" in log.read_text(encoding="utf-8"))
            config.write_text(good.replace("backfill", "preempt, backfill"), encoding="utf-8")
            wait_for("the configuration is taken", lambda: "is in force" in log.read_text(encoding="utf-8"))
            config.rename(folder / "aside.conf")
            wait_for("the configuration is missed", lambda: "cannot be read any more" in log.read_text(encoding="utf-8"))
            (folder / "aside.conf").rename(config)
            wait_for("the configuration is back", lambda: "can be read again" in log.read_text(encoding="utf-8"))
    return log.read_text(encoding="utf-8"), replayed(muster, folder) + replayed(muster, folder, "--until", "1")


def replayed(muster, folder, *options):
    done = subprocess.run([muster, "replay", "night", *options], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.stdout if done.returncode == 0 else f"exit status {done.returncode}: {done.stderr}"


@contextlib.contextmanager
def running(muster, folder, log):
    """A scheduler that records, until the block ends."""
    with log.open("w", encoding="utf-8") as file, subprocess.Popen(
            [muster, "scheduler", "--kubeconfig", "kubeconfig", "--scheduler-conf", "live.conf", "--record", "night", "--leader-elect=false"],
            cwd=folder, stdout=file, stderr=subprocess.STDOUT) as scheduler:
        try:
            wait_for("the scheduler knows all objects", lambda: "all objects are known" in log.read_text(encoding="utf-8"))
            yield
        finally:
            scheduler.send_signal(signal.SIGTERM)
            scheduler.wait(PATIENCE)


def create_all(cluster, folder):
    """The objects of a folder's files, and their namespace."""
    create(cluster, "Namespace", "/api/v1/namespaces", "apiVersion: v1\nkind: Namespace\nmetadata: {name: lab}")
    for path in sorted(folder.glob("*.yaml")):
        for text in path.read_text(encoding="utf-8").split("---\n"):
            kind = re.search(r"^kind: (\w+)$", text, re.MULTILINE)[1]
            create(cluster, kind, PLACES[kind], text)


def create(cluster, kind, path, text):
    connection = cluster.connect()
    connection.request("POST", cluster.prefix + path, text, {"Content-Type": "application/yaml", "Accept": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status not in (201, 409):  # the queue `default` is there already
        raise RuntimeError(f"{kind} cannot be created: {answer.status} {body[:300]!r}")


def bound(cluster):
    _, pods = cluster.ask(cluster.connect(), "GET", PLACES["Pod"])
    return sum(bool(pod["spec"].get("nodeName")) for pod in pods["items"])


def wait_for(what, is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(f"after {PATIENCE} s it is still not so that {what}")
        time.sleep(0.05)


def compared(page, text):
    """(page, what of its log blocks did not come)."""
    blocks = LOG.findall((ROOT / page).read_text(encoding="utf-8"))
    if not blocks:
        return f"{page} on a running scheduler", "it has no block of a log"
    position = 0
    for line in "\n".join(blocks).splitlines():
        found = re.compile(".*".join(re.escape(part) for part in line.split("…"))).search(text, position)
        if not found:
            return f"{page} on a running scheduler", f"this line did not come: {line}\n{text}"
        position = found.end()
    return f"{page} on a running scheduler", None
