#!/usr/bin/env python3
"""tools/package: the same bytes from the same contents, nothing in them that lies about, and versions that agree."""
import hashlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
PROGRAM = "/bin/true"
CHART = "deploy/helm/muster/Chart.yaml"
FILES = {"LICENSE": "free", "docs/a.md": "a", "docs/b.md": "b", "deploy/render": "#!/bin/sh", "cmake/commit.txt": "",
         "CMakeLists.txt": "project(muster VERSION 1.2.3 LANGUAGES CXX)\n", CHART: 'version: 1.2.3\nappVersion: "1.2.3"\n'}


def load(root):
    loader = importlib.machinery.SourceFileLoader("package", str(TOOLS / "package"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("package", loader))
    loader.exec_module(module)
    module.ROOT = root
    return module


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tree(self, name, umask=0o022, more=()):
        """A tree without git: what was released as sources."""
        root = self.folder / name
        before = os.umask(umask)
        for file, text in {**FILES, **dict(more)}.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text)
        (root / "deploy/render").chmod(0o777 & ~umask)
        (root / "tools").mkdir()
        (root / "tools/runtime-packages").write_text("#!/bin/sh\necho libc6\n")
        (root / "tools/runtime-packages").chmod(0o755)
        os.utime(root / "cmake/commit.txt", (1e9, 1e9))
        os.umask(before)
        return root

    def git(self, root, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments], cwd=root, check=True, capture_output=True)

    def test_same_bytes_everywhere(self):
        one, other = (load(self.tree(name, umask)) for name, umask in (("one", 0o022), ("other", 0o077)))
        made = one.archives(PROGRAM)
        self.assertEqual(made, other.archives(PROGRAM))
        with tarfile.open(fileobj=io.BytesIO(next(iter(made.values())))) as tar:
            self.assertEqual({(entry.mtime, entry.uid, entry.uname) for entry in tar}, {(1e9, 0, "")})
            modes = {entry.name.partition("/")[2]: entry.mode for entry in tar}
        self.assertEqual({name for name, mode in modes.items() if mode == 0o755}, {"muster", "deploy/render"})
        self.assertEqual({mode for mode in modes.values()}, {0o755, 0o644})

    def test_sums(self):
        held = load(self.tree("one")).contents(PROGRAM)
        listed = dict(reversed(line.split("  ")) for line in held["SHA256SUMS"][0].decode().splitlines())
        self.assertEqual(listed, {name: hashlib.sha256(data).hexdigest() for name, (data, _) in held.items() if name != "SHA256SUMS"})

    def test_what_lies_about_stays(self):
        root = self.tree("clone")
        self.git(root, "init", "-q")
        self.git(root, "add", "-A")
        self.git(root, "commit", "-q", "-m", "first")
        (root / "docs/secret.md").write_text("not tracked")
        tool = load(root)
        self.assertEqual(tool.files_to_pack(), sorted(["LICENSE", "docs/a.md", "docs/b.md", "deploy/render", CHART]))
        self.assertEqual(len(tool.archives(PROGRAM)), 2)

    def test_released_sources_inside_another_repository(self):
        around = self.folder / "around"
        around.mkdir()
        self.git(around, "init", "-q")
        self.assertIn("docs/a.md", load(self.tree("around/inner")).files_to_pack())

    def test_versions_agree(self):
        self.assertEqual(load(self.tree("one")).version(), "1.2.3")
        for text in ("version: 1.2.4\nappVersion: 1.2.3\n", "version: 1.2.3\nappVersion: 1.2.2\n"):
            with self.subTest(text), self.assertRaises(SystemExit):
                load(self.tree(hashlib.sha256(text.encode()).hexdigest(), more={CHART: text}.items())).version()

    def test_documents_name_the_packages(self):
        tool = load(self.tree("one", more={"docs/install.md": "apt-get install libc6 libcurl4\n"}.items()))
        tool.check_documents(b"libc6\nlibcurl4\n")
        with self.assertRaises(SystemExit):
            tool.check_documents(b"libc6\nlibcurl4\nzlib1g\n")


class RuntimePackages(unittest.TestCase):
    def packages(self, *programs):
        return subprocess.run([TOOLS / "runtime-packages", *programs], capture_output=True, text=True, check=True).stdout.split()

    def test_programs_of_debian(self):
        self.assertEqual(self.packages("/bin/true"), ["libc6"])
        self.assertIn("libc6", self.packages("/bin/true", "/usr/bin/cmake"))
        self.assertIn("libstdc++6", self.packages("/usr/bin/cmake"))


if __name__ == "__main__":
    unittest.main()
