"""A small client of the Kubernetes API: JSON over HTTPS, one kept connection per thread."""
import dataclasses
import http.client
import json
import pathlib
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, Iterator

Object = dict[str, Any]
STARTING = 30.0  # seconds that a server may take after it is ready
LOST = (http.client.HTTPException, ConnectionError, ssl.SSLError, socket.timeout, OSError)


class ApiError(Exception):
    """An answer that is not a success."""

    def __init__(self, method: str, path: str, status: int, body: Object):
        super().__init__(f"{method} {path}: {status} {body.get('reason', '')}: {body.get('message', body)}")
        self.status = status
        self.body = body


@dataclasses.dataclass(frozen=True)
class Server:
    """Where the API server listens, and the file with the certificate that it shows."""
    port: int
    authority: pathlib.Path

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"


class Api:
    """Calls with the rights of one token."""

    def __init__(self, server: Server, token: str):
        self.server = server
        self.token = token
        self._kept = threading.local()

    # --- the verbs

    def get(self, path: str, **query: str) -> Object:
        return self.request("GET", _with_query(path, query))

    def create(self, path: str, body: Object, **query: str) -> Object:
        return self.request("POST", _with_query(path, query), body)

    def update(self, path: str, body: Object, **query: str) -> Object:
        return self.request("PUT", _with_query(path, query), body)

    def merge(self, path: str, body: Object, **query: str) -> Object:
        return self.request("PATCH", _with_query(path, query), body, "application/merge-patch+json")

    def apply(self, path: str, body: Object, manager: str = "muster-e2e", **query: str) -> Object:
        wanted = {"fieldManager": manager, "force": "true", **query}
        return self.request("PATCH", _with_query(path, wanted), body, "application/apply-patch+yaml")

    def delete(self, path: str, **query: str) -> Object:
        return self.request("DELETE", _with_query(path, query))

    def items(self, path: str, **query: str) -> list[Object]:
        return self.get(path, **query)["items"]

    def status_of(self, method: str, path: str, body: Object | None = None) -> int:
        """Only how the server answered."""
        try:
            self.request(method, path, body)
            return 200
        except ApiError as error:
            return error.status

    def watch(self, path: str, version: str, seconds: float = 60, **query: str) -> Iterator[Object]:
        """Events after that version until the server ends the stream. An error of the server is an event of type ERROR."""
        wanted = {"watch": "1", "resourceVersion": version, "timeoutSeconds": str(int(seconds)), **query}
        connection = self._connect(seconds + 15)
        try:
            connection.request("GET", _with_query(path, wanted), headers=self._headers())
            answer = connection.getresponse()
            if answer.status != 200:
                raise ApiError("WATCH", path, answer.status, _document(answer.read()))
            for line in answer:
                yield json.loads(line)
        finally:
            connection.close()

    # --- one request

    def request(self, method: str, path: str, body: Object | None = None, content: str = "application/json") -> Object:
        payload = None if body is None else json.dumps(body).encode()
        status, text = self._exchange(method, path, payload, content)
        until = time.monotonic() + STARTING
        while status in (429, 503) and method == "GET" and time.monotonic() < until:  # a server that is ready may not know its custom resources yet
            time.sleep(0.2)
            status, text = self._exchange(method, path, payload, content)
        document = _document(text)
        if status >= 300:
            raise ApiError(method, path, status, document)
        return document

    def _exchange(self, method: str, path: str, payload: bytes | None, content: str) -> tuple[int, bytes]:
        fresh = getattr(self._kept, "connection", None) is None
        if fresh:
            self._kept.connection = self._connect(60)
        try:
            self._kept.connection.request(method, path, payload, self._headers(content))
            answer = self._kept.connection.getresponse()
            return answer.status, answer.read()
        except LOST:
            self._kept.connection.close()
            self._kept.connection = None
            if fresh:
                raise
        return self._exchange(method, path, payload, content)  # the kept connection had gone stale

    def _connect(self, seconds: float) -> http.client.HTTPSConnection:
        trust = ssl.create_default_context(cafile=str(self.server.authority))
        return http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=seconds, context=trust)

    def _headers(self, content: str = "application/json") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": content, "Accept": "application/json", "User-Agent": "muster-e2e"}


def _with_query(path: str, query: dict[str, str]) -> str:
    return f"{path}?{urllib.parse.urlencode(query)}" if query else path


def _document(text: bytes) -> Object:
    try:
        return json.loads(text)
    except ValueError:
        return {"message": text.decode(errors="replace")}
