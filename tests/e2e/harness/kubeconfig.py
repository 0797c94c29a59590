"""A kubeconfig for one token. JSON is YAML, so every client reads it."""
import json
import pathlib

from .api import Server


def write(path: pathlib.Path, server: Server, user: str, token: str) -> pathlib.Path:
    path.write_text(json.dumps({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": user,
        "contexts": [{"name": user, "context": {"cluster": "e2e", "user": user}}],
        "clusters": [{"name": "e2e", "cluster": {"server": server.url, "certificate-authority": str(server.authority)}}],
        "users": [{"name": user, "user": {"token": token}}],
    }, indent=1) + "\n")
    path.chmod(0o600)
    return path
