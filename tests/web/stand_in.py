#!/usr/bin/env python3
"""Serves web/ and, in the place of a scheduler, its JSON API: recorded answers of a real one, a made-up large cluster, or a running one.

    tests/web/stand_in.py                        # the recorded answers of the first example
    tests/web/stand_in.py --large 5000 10000     # so many nodes and jobs
    tests/web/stand_in.py --large 200 500 --full # with what came after the first version of the API, and events
    tests/web/stand_in.py --scheduler http://127.0.0.1:8080   # what a running scheduler answers

Standard library only; listens on the loopback only.
"""
import argparse
import contextlib
import gzip
import http.server
import json
import pathlib
import threading
import time
import urllib.error
import urllib.request

import large_cluster

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
RECORDED = pathlib.Path(__file__).resolve().parent / "recorded"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
STATE = {"dialect": "volcano", "synced": True, "cycle": 1, "leading": True, "leader": "muster-0", "evictions_stopped": False,
         "config_hash": "00000000deadbeef", "nodes": 0, "pods": 0, "jobs": 0, "queues": 0}
FITS_IF = [{"text": "spec.minMember were 1 and not 2", "kind": "members", "path": "spec.minMember", "from": 2, "to": 1}]
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"


class Recorded:
    """Answers as a scheduler once gave them."""

    def __init__(self, name):
        self.folder = RECORDED / name

    def get(self, path):
        # Names of jobs have a slash, names of files have "+" in its place.
        file = self.folder / (path.replace("/", "+") + (".txt" if path == "metrics" else ".json"))
        return file.read_text() if file.is_file() else None

    def post(self, path, body):
        return None


class Running:
    """Answers of a scheduler that runs, passed on."""

    def __init__(self, address):
        self.address = address.rstrip("/")

    def get(self, path):
        try:
            where = path if path == "metrics" else f"api/v1/{path}"
            with urllib.request.urlopen(f"{self.address}/{where}", timeout=20) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def post(self, path, body):
        return None


class Large:
    """Answers about a made-up cluster; `full` adds what came after the first version of the API."""

    def __init__(self, node_count, job_count, full):
        self.full = full
        self.trying, self.found = 1.5, threading.Event()  # seconds for which changes are tried, or until they are found
        self.asked = []  # what if
        views = {"nodes": large_cluster.nodes(node_count), "queues": large_cluster.queues()}
        views["jobs"] = large_cluster.jobs(job_count, node_count)
        self.names = [node["node"] for node in views["nodes"]["nodes"]]
        self.nodes = {node["node"]: node for node in views["nodes"]["nodes"]}
        self.jobs = {job["job"]: job for job in views["jobs"]["jobs"]}
        views["decisions"] = large_cluster.decisions(1000, views["jobs"]["jobs"], self.names)
        views["state"] = STATE | {"cycle": 91000, "nodes": node_count, "pods": sum(node["pods"] for node in views["nodes"]["nodes"]),
                                  "jobs": job_count, "queues": len(views["queues"]["queues"])}
        if full:
            views["state"]["tells"] = ["cycles", "configuration", "whatif", "timelines", "events", "node", "fits_if"]
            views |= {"cycles": large_cluster.cycles(500), "configuration": large_cluster.configuration()}
        else:
            _take_away(views)
        if full:
            large_cluster.number_decisions(views["decisions"])
        self.views = {name: json.dumps(view) for name, view in views.items()}

    def get(self, path):
        if path == "metrics":
            return large_cluster.metrics()
        if path.endswith("?fits_if") and self.full:
            return self.with_changes(path.removesuffix("?fits_if"))
        if path.startswith("decisions?before=") and self.full:
            return json.dumps(large_cluster.older_decisions(json.loads(self.views["decisions"]), int(path.rpartition("=")[2])))
        if path.startswith("jobs/") and path[5:] in self.jobs:
            ahead = [{"job": name, "state": "waiting"} for name in list(self.jobs)[:40]]
            return json.dumps(large_cluster.explanation(self.jobs[path[5:]], self.names, ahead))
        if path.startswith("nodes/") and self.full and path[6:] in self.nodes:
            return json.dumps(large_cluster.one_node(self.nodes[path[6:]]))
        if path.startswith("timelines/") and self.full:
            return json.dumps({"events": [{"time": large_cluster.moment(90), "kind": "state", "text": "came into the queue"}]})
        return self.views.get(path)

    def with_changes(self, path):
        """The explanation of a job with what would make it fit, which takes its time: as long as a test wants."""
        self.found.wait(self.trying)
        return json.dumps(json.loads(self.get(path)) | {"whatif": {"verdict": "waits", "notes": []}, "fits_if": FITS_IF})

    def post(self, path, body):
        if path != "whatif" or not self.full:
            return None
        self.asked.append(body)
        self.found.wait(self.trying)
        waiting = next(job for job in self.jobs.values() if job["state"] == "waiting")
        told = large_cluster.explanation(waiting, self.names, [])
        return json.dumps(large_cluster.foretold(told, self.names, FITS_IF))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    source = None
    stopping = threading.Event()

    def log_message(self, *_):
        pass

    def handle(self):
        with contextlib.suppress(ConnectionError):  # a page that is left does not wait for its answers
            super().handle()

    def is_lost(self):
        """A source may be `lost`: then nobody answers."""
        self.close_connection = getattr(self.source, "lost", False)
        return self.close_connection

    def is_admitted(self):
        """A source may want a `token`."""
        token = getattr(self.source, "token", None)
        return token is None or self.headers.get("Authorization") == f"Bearer {token}"

    def do_GET(self):
        if self.is_lost():
            return
        path, _, query = self.path.lstrip("/").partition("?")
        if path.startswith("api/") and not self.is_admitted():
            return self.answer((401, '{"error": "needs a bearer token"}\n'))
        if path == "api/v1/events" and getattr(self.source, "full", False):
            return self.stream()
        if path.startswith("api/v1/"):
            asked = path.removeprefix("api/v1/")
            return self.answer(self.source.get(f"{asked}?{query}" if query == "fits_if" or query.startswith("before=") else asked))
        if path == "metrics":
            return self.answer(self.source.get("metrics"), "text/plain")
        self.file(path or "index.html")

    def do_POST(self):
        if self.is_lost():
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.answer(self.source.post(self.path.removeprefix("/api/v1/"), body))

    def file(self, name):
        file = (WEB / name).resolve()
        if WEB not in file.parents or not file.is_file() or file.suffix not in TYPES:
            return self.answer(None)
        self.send(200, file.read_bytes(), TYPES[file.suffix])

    def answer(self, text, kind="application/json"):
        if text is None:
            text = 404, '{"error": "there is nothing of this name"}\n'
        status, body = text if isinstance(text, tuple) else (200, text)
        self.send(status, body.encode(), kind)

    def send(self, status, body, kind):
        if len(body) > 10000 and "gzip" in self.headers.get("Accept-Encoding", ""):
            body, packed = gzip.compress(body, 1), True
        else:
            packed = False
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Security-Policy", POLICY)
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        cycle = 91000
        try:
            while not self.stopping.wait(1) and not self.is_lost():
                cycle += 1
                self.wfile.write(f": alive\n\nevent: cycle\ndata: {json.dumps({'cycle': cycle})}\n\n".encode())
                self.wfile.flush()
        except OSError:
            pass


def serve(source, port=0):
    """Starts a server in a thread; its address, and what ends it."""
    handler = type("Bound", (Handler,), {"source": source, "stopping": threading.Event()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def stop():
        handler.stopping.set()
        server.shutdown()
        server.server_close()

    return f"http://127.0.0.1:{server.server_port}", stop


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recorded", default="first-cluster", help="a folder of tests/web/recorded")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a running scheduler, by the address of its metrics")
    parser.add_argument("--large", nargs=2, type=int, metavar=("NODES", "JOBS"))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--port", type=int, default=8099)
    options = parser.parse_args()
    source = source_of(options)
    address, stop = serve(source, options.port)
    print(address, flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        stop()


def source_of(options):
    if options.scheduler:
        return Running(options.scheduler)
    return Large(*options.large, options.full) if options.large else Recorded(options.recorded)


def _take_away(views):
    """What the first version of the API does not tell."""
    for node in views["nodes"]["nodes"]:
        del node["domains"]
    for job in views["jobs"]["jobs"]:
        job.pop("position", None)
        job.pop("since", None)
        job.pop("workload", None)


if __name__ == "__main__":
    main()
