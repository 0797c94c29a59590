"""A `muster cluster` of its own for a test, and a small client of it."""
import http.client
import json
import pathlib
import re
import signal
import subprocess

CONFIGS = "/api/v1/namespaces/default/configmaps"


class Cluster:
    """Served until the block ends, which asks it to stop; what it needs lies in `folder`."""

    def __init__(self, muster, folder, *arguments):
        kubeconfig = pathlib.Path(folder) / "kubeconfig"
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen([muster, "cluster", "--write-kubeconfig", kubeconfig, *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://([^:/]+):(\d+)(/\w+)", line)
        if not found:
            raise RuntimeError(f"muster cluster says {line!r} {self.process.stderr.read()!r}")
        self.host, self.port, self.prefix = found.group(1), int(found.group(2)), found.group(3)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()

    def kill(self):
        """As a crash would: without a word."""
        self.process.kill()
        self.process.wait()

    def connect(self, timeout=30):
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def ask(self, connection, method, path, body=None, kind="application/json"):
        """(status, answer) of one request."""
        text = None if body is None else json.dumps(body)
        connection.request(method, self.prefix + path, text, {"Content-Type": kind, "Accept": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def config(name, data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
