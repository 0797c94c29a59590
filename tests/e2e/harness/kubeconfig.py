"""Kubeconfigs. JSON is YAML, so every client reads them."""
import json
import pathlib

from .api import Object, Server


def write(path: pathlib.Path, server: Server, user: str, token: str) -> pathlib.Path:
    """For one token."""
    return write_as(path, server, user, {"token": token})


def write_as(path: pathlib.Path, server: Server, user: str, who: Object) -> pathlib.Path:
    """For a user who says who he is in whatever way a kubeconfig knows."""
    path.write_text(json.dumps({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": user,
        "contexts": [{"name": user, "context": {"cluster": "e2e", "user": user}}],
        "clusters": [{"name": "e2e", "cluster": {"server": server.url, "certificate-authority": str(server.authority)}}],
        "users": [{"name": user, "user": who}],
    }, indent=1) + "\n")
    path.chmod(0o600)
    return path
