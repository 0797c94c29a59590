"""An admission webhook that is asked about every binding, as an administrator's might: an HTTPS server on the loopback."""
import base64
import contextlib
import dataclasses
import http.server
import json
import pathlib
import ssl
import subprocess
import threading
from typing import Callable, Iterator

from .api import Object
from .cluster import Cluster
from .rejected_bindings import wait_until_refused

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


@dataclasses.dataclass(frozen=True)
class Refusal:
    """How it says no, and what becomes of that: the code and a part of the words with which the API server answers."""
    code: int
    text: str
    answers: bool = True


DENIES = Refusal(403, "not this one")
TOO_BUSY = Refusal(429, "come again later")
SILENT = Refusal(500, "failed calling webhook", answers=False)  # until the API server waits no longer


class BindingWebhook:
    """Refuses pods whose names begin so, until it relents; allows all others."""

    def __init__(self, prefix: str, refusal: Refusal, folder: pathlib.Path):
        self.prefix = prefix
        self.refusal = refusal
        self.allowed = 0
        self.refused = 0
        self._guard = threading.Lock()
        self._ended = threading.Event()
        self._certificate, key = _certificate(folder)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def relent(self) -> None:
        """From now on everything is allowed."""
        self.prefix = "\0"

    def end(self) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def configuration(self) -> Object:
        """What makes the API server ask it, and refuse where it gets no answer within a second."""
        where = {"url": f"https://127.0.0.1:{self._server.server_address[1]}/", "caBundle": base64.b64encode(self._certificate.read_bytes()).decode()}
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods/binding"]}
        return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "bindings"},
                "webhooks": [{"name": "bindings.e2e.muster", "clientConfig": where, "rules": [rule], "failurePolicy": "Fail", "timeoutSeconds": 1,
                              "sideEffects": "None", "admissionReviewVersions": ["v1"]}]}

    def _judge(self, review: Object) -> Object | None:
        """The review with the answer, or none."""
        asked = review["request"]
        refuses = asked["name"].startswith(self.prefix)
        if not asked.get("dryRun"):
            with self._guard:
                self.refused += refuses
                self.allowed += not refuses
        if refuses and not self.refusal.answers:
            return None
        status = {"status": {"code": self.refusal.code, "message": self.refusal.text}} if refuses else {}
        return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": {"uid": asked["uid"], "allowed": not refuses, **status}}

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        webhook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                answer = webhook._judge(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                if answer is None:
                    webhook._ended.wait(30)
                    self.close_connection = True
                    return
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle(self) -> None:
                with contextlib.suppress(OSError):  # whoever asked has hung up
                    super().handle()

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        return Handler


@contextlib.contextmanager
def webhook_in_force(cluster: Cluster, prefix: str, refusal: Refusal) -> Iterator[Callable[[], None]]:
    """For the length of a with statement the API server asks it about every binding. The value makes it relent."""
    webhook = BindingWebhook(prefix, refusal, cluster.plane.folder)
    try:
        cluster.admin.create(CONFIGURATIONS, webhook.configuration())
        wait_until_refused(cluster, prefix, refusal.code)
        yield webhook.relent
        assert webhook.refused and webhook.allowed, f"asked in vain: {webhook.refused} refused, {webhook.allowed} allowed"
    finally:
        webhook.end()


def _certificate(folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """Its own, for the loopback, and the key."""
    certificate, key = folder / "webhook.crt", folder / "webhook.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key
