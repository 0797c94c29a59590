"""Everything that ever happened to pods, as the API told it: the evidence on which laws.py judges."""
import dataclasses
import threading
import time

from .api import LOST, Api, ApiError, Object

PODS = "/api/v1/pods"


@dataclasses.dataclass(frozen=True)
class Sight:
    """A pod at one moment; gone when it was deleted."""
    time: float
    pod: Object
    gone: bool = False

    @property
    def key(self) -> str:
        return f"{self.pod['metadata']['namespace']}/{self.pod['metadata']['name']}"

    @property
    def uid(self) -> str:
        return self.pod["metadata"]["uid"]

    @property
    def node(self) -> str:
        """Where it holds room: nowhere when it is gone or has ended."""
        ended = self.gone or self.pod.get("status", {}).get("phase") in ("Succeeded", "Failed")
        return "" if ended else self.pod["spec"].get("nodeName", "")


class PodHistory:
    """Watches from the start; a lost watch is taken up again, and what was missed is found by comparing lists."""

    def __init__(self, api: Api):
        self._api = api
        self._seen: list[Sight] = []
        self._known: dict[str, Object] = {}  # by uid
        self._guard = threading.Lock()
        self._stop = threading.Event()
        self._version = self._list()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def sights(self) -> list[Sight]:
        """In the order of time, until now."""
        with self._guard:
            return list(self._seen)

    def is_current(self) -> bool:
        """Whether it has seen what the server has now."""
        listed = {pod["metadata"]["uid"]: pod["metadata"]["resourceVersion"] for pod in self._api.get(PODS)["items"]}
        return listed == {uid: pod["metadata"]["resourceVersion"] for uid, pod in self._known.copy().items()}

    def __enter__(self) -> "PodHistory":
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def _follow(self) -> None:
        while not self._stop.is_set():
            try:
                if not self._version:
                    self._version = self._list()
                self._watch()
            except (ApiError, ValueError, *LOST):
                self._version = ""
                time.sleep(0.2)

    def _watch(self) -> None:
        for event in self._api.watch(PODS, self._version, seconds=30, allowWatchBookmarks="true"):
            if self._stop.is_set():
                return
            if event["type"] == "ERROR":
                self._version = ""
                return
            self._version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                self._note(event["object"], event["type"] == "DELETED")

    def _list(self) -> str:
        answer = self._api.get(PODS)
        present = {pod["metadata"]["uid"]: pod for pod in answer["items"]}
        for pod in present.values():
            self._note(pod, gone=False)
        for pod in [pod for uid, pod in self._known.items() if uid not in present]:
            self._note(pod, gone=True)
        return answer["metadata"]["resourceVersion"]

    def _note(self, pod: Object, gone: bool) -> None:
        uid = pod["metadata"]["uid"]
        known = self._known.get(uid)
        if known is not None and known["metadata"]["resourceVersion"] == pod["metadata"]["resourceVersion"] and not gone:
            return
        if gone:
            self._known.pop(uid, None)
        else:
            self._known[uid] = pod
        with self._guard:
            self._seen.append(Sight(time.monotonic(), pod, gone))
