"""Runs the checks of tools/ on small trees of files."""
import pathlib
import subprocess
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


def findings(check, files):
    """What a check of tools/ says about a tree of these files: path -> content."""
    with tempfile.TemporaryDirectory() as root:
        for name, content in files.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return subprocess.run([TOOLS / check, root], capture_output=True, text=True, check=False).stdout.splitlines()
