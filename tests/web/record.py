#!/usr/bin/env python3
"""Records what the JSON API of a real scheduler answers, for the stand-in: the scheduler runs against a minimal Kubernetes API on the
loopback that holds the objects of an example and takes bindings.

    tests/web/record.py build/release/muster first-cluster
    tests/web/record.py build/release/muster kai-cluster --dialect kai

Needs PyYAML for the examples. The answers go to tests/web/recorded/NAME, jobs as jobs+NAMESPACE+NAME.json.
"""
import argparse
import contextlib
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = pathlib.Path(__file__).resolve().parent / "recorded"
PLURALS = {"PriorityClass": "priorityclasses"}
PATIENCE = 30


class Cluster:
    """Objects by path, as an API server has them. Watches tell what is written later."""

    def __init__(self, objects):
        self.changed = threading.Condition()
        self.version = 1
        self.objects = {}
        self.log = []
        for item in objects:
            self.put(path_of(item), item)

    def put(self, path, item):
        with self.changed:
            self.version += 1
            item["metadata"] |= {"resourceVersion": str(self.version)}
            item["metadata"].setdefault("uid", f"uid-{self.version}")
            item["metadata"].setdefault("creationTimestamp", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
            kind = "MODIFIED" if path in self.objects else "ADDED"
            self.objects[path] = item
            self.log.append((self.version, collection_of(path), kind, json.dumps(item)))
            self.changed.notify_all()

    def bind(self, path, node):
        pod = json.loads(json.dumps(self.objects[path]))
        pod["spec"]["nodeName"] = node
        pod["status"] = {"phase": "Running"}
        self.put(path, pod)

    def list(self, collection):
        with self.changed:
            items = [item for path, item in self.objects.items() if collection_of(path) == collection]
            return {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": str(self.version)}, "items": items}

    def since(self, version, collection, wait):
        with self.changed:
            self.changed.wait_for(lambda: self.version > version, wait)
            return self.version, [(kind, text) for number, where, kind, text in self.log if number > version and where == collection]


def path_of(item):
    version, meta = item["apiVersion"], item["metadata"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    namespace = f"/namespaces/{meta['namespace']}" if "namespace" in meta else ""
    return f"{root}{namespace}/{PLURALS.get(item['kind'], item['kind'].lower() + 's')}/{meta['name']}"


def collection_of(path):
    return re.sub(r"/namespaces/[^/]+/", "/", path.rpartition("/")[0])


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    cluster = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if "watch=" in query:
            version = re.search(r"resourceVersion=(\d+)", query)  # a list by way of a watch has none, and is not offered
            if not version:
                return self.send(400, {"kind": "Status", "status": "Failure", "code": 400})
            return self.watch(path, int(version.group(1)))
        if path in self.cluster.objects:
            return self.send(200, self.cluster.objects[path])
        if re.fullmatch(r"/(api|apis/[^/]+)/[^/]+/[^/]+", path):
            return self.send(200, self.cluster.list(path))
        self.send(404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404})

    def watch(self, collection, version):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                version, changes = self.cluster.since(version, collection, 1)
                for kind, text in changes:
                    self.wfile.write(f'{{"type":"{kind}","object":{text}}}\n'.encode())
                self.wfile.flush()
        except OSError:
            pass

    def write(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        path = self.path.partition("?")[0]
        if path.endswith("/binding"):
            self.cluster.bind(path.removesuffix("/binding"), body["target"]["name"])
            return self.send(201, {"kind": "Status", "status": "Success"})
        if self.command == "POST" and "name" in body.get("metadata", {}):
            self.cluster.put(f"{path}/{body['metadata']['name']}", body)
        self.send(200, body or {"kind": "Status", "status": "Success"})

    do_POST = do_PUT = do_PATCH = write

    def send(self, status, item):
        body = json.dumps(item).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def objects_of(example):
    found = []
    for file in sorted((ROOT / "examples" / example).rglob("*.yaml")):
        for item in yaml.load_all(file.read_text(), Loader=yaml.BaseLoader):  # all scalars as text, as quantities and times are
            found.append(typed(item))
    namespaces = {item["metadata"]["namespace"] for item in found if "namespace" in item["metadata"]}
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in sorted(namespaces)] + found


NUMBERS = {"minMember", "weight", "priority", "value", "quota", "overQuotaWeight", "limit", "minReplicas", "port", "replicas"}
FLAGS = {"unschedulable", "reclaimable", "globalDefault"}


def typed(value, key=""):
    """Text to numbers where Kubernetes has numbers."""
    if isinstance(value, dict):
        return {name: typed(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [typed(member, key) for member in value]
    if key in NUMBERS and re.fullmatch(r"-?\d+", value):
        return int(value)
    return value == "true" if key in FLAGS else value


def ask(address, path):
    with urllib.request.urlopen(f"{address}/{path}", timeout=20) as answer:
        return answer.read().decode()


def record(address, folder):
    views = {name: json.loads(ask(address, f"api/v1/{name}")) for name in ("state", "queues", "jobs", "nodes", "decisions")}
    views["state"]["leader"] = "muster-0"  # the name of this machine is nobody's business
    for job in views["jobs"]["jobs"]:
        views[f"jobs/{job['job']}"] = json.loads(ask(address, f"api/v1/jobs/{job['job']}"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, view in views.items():
        (folder / f"{name.replace('/', '+')}.json").write_text(json.dumps(view, indent=1) + "\n")
    lines = [line for line in ask(address, "metrics").splitlines() if line.startswith("muster_")]
    (folder / "metrics.txt").write_text("\n".join(lines) + "\n")


def wait_for(what, look):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.2)
    raise TimeoutError(f"{what}: not within {PATIENCE} seconds")


def is_ready(address):
    try:
        state = json.loads(ask(address, "api/v1/state"))
        return state["synced"] and state["leading"] and state["cycle"] > 5
    except (OSError, urllib.error.HTTPError):
        return False


@contextlib.contextmanager
def scheduler_of(muster, example, dialect):
    """A scheduler on the objects of an example, once it has decided; yields the address of its API, and the cluster."""
    cluster = Cluster(objects_of(example))
    api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Api,), {"cluster": cluster}))
    api.daemon_threads = True
    threading.Thread(target=api.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as scratch:
        log = pathlib.Path(scratch) / "log"
        config = ROOT / "examples" / f"{example}.conf"
        command = [muster, "scheduler", f"--dialect={dialect}", f"--kubeconfig={kubeconfig(scratch, api.server_port)}",
                   "--listen-address=127.0.0.1:0", "--leader-elect=false"]
        command += ["--enable-metrics"] if dialect == "volcano" else []
        command += [f"--scheduler-conf={config}"] if config.is_file() else []
        with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out) as scheduler:
            try:
                port = wait_for("the scheduler listens", lambda: re.search(r"listening.*?port=(\d+)", log.read_text()))
                address = f"http://127.0.0.1:{port.group(1)}"
                wait_for("the scheduler has begun", lambda: is_ready(address))
                yield address, cluster
            except Exception:
                sys.stderr.write(log.read_text())
                raise
            finally:
                scheduler.terminate()
                scheduler.wait()
                api.shutdown()
                api.server_close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("muster")
    parser.add_argument("example")
    parser.add_argument("--dialect", default="volcano")
    options = parser.parse_args()
    with scheduler_of(options.muster, options.example, options.dialect) as (address, _):
        time.sleep(2)
        record(address, RECORDED / options.example)


def kubeconfig(folder, port):
    file = pathlib.Path(folder) / "kubeconfig"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "here", "users": [{"name": "me", "user": {}}],
                                "clusters": [{"name": "here", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
                                "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}]}))
    return file


if __name__ == "__main__":
    main()
