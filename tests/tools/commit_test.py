#!/usr/bin/env python3
"""cmake/WriteCommit.cmake knows the commit in a clone, in released sources, and from whoever builds without either."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "cmake/WriteCommit.cmake"
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.com")


class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.clone = self.folder / "clone"
        (self.clone / "cmake").mkdir(parents=True)
        for name in (".gitattributes", "cmake/commit.txt"):
            shutil.copy(ROOT / name, self.clone / name)
        self.git("init", "-q")
        self.commit("first")

    def git(self, *arguments):
        done = subprocess.run(["git", *IDENTITY, *arguments], cwd=self.clone, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        self.head = self.git("rev-parse", "HEAD")

    def archive_into(self, target):
        target.mkdir()
        archive = self.folder / "archive.tar"
        self.git("archive", "-o", str(archive), "HEAD")
        shutil.unpack_archive(archive, target)
        return target

    def write(self, tree, told=""):
        output = self.folder / "written.cpp"
        environment = {**os.environ, "MUSTER_COMMIT": told}
        return output, subprocess.run(["cmake", f"-DSOURCE={tree}", f"-DOUTPUT={output}", "-P", SCRIPT], env=environment,
                                      capture_output=True, text=True, check=False)

    def commit_of(self, tree, told=""):
        output, done = self.write(tree, told)
        self.assertEqual(done.returncode, 0, done.stderr)
        return output.read_text().split('return "')[1].split('"')[0]

    def test_clone(self):
        self.assertEqual(self.commit_of(self.clone), self.head[:12])
        (self.clone / "untracked").write_text("")
        self.assertEqual(self.commit_of(self.clone), self.head[:12])
        (self.clone / ".gitattributes").touch()
        self.assertEqual(self.commit_of(self.clone), self.head[:12])
        self.commit("second")
        self.assertEqual(self.commit_of(self.clone), self.head[:12])
        (self.clone / "untracked").write_text("now it is known, and changed")
        self.assertEqual(self.commit_of(self.clone), self.head[:12] + " with changes")

    def test_released_sources(self):
        self.assertEqual(self.commit_of(self.archive_into(self.folder / "released")), self.head[:12])

    def test_released_sources_inside_another_repository(self):
        released = self.archive_into(self.clone / "released")
        first = self.head
        self.commit("the released sources are somebody's third party")
        self.assertNotEqual(self.head, first)
        self.assertEqual(self.commit_of(released), first[:12])

    def test_told(self):
        plain = self.folder / "plain"
        plain.mkdir()
        self.assertEqual(self.commit_of(plain), "unknown")
        self.assertEqual(self.commit_of(plain, told="0123456789abcdef0123456789abcdef01234567"), "0123456789ab")
        self.assertNotEqual(self.write(plain, told='main"; evil("')[1].returncode, 0)

    def test_written_only_when_it_changes(self):
        output, _ = self.write(self.clone)
        os.utime(output, (1, 1))
        self.write(self.clone)
        self.assertEqual(output.stat().st_mtime, 1)
        self.commit("second")
        self.write(self.clone)
        self.assertNotEqual(output.stat().st_mtime, 1)


if __name__ == "__main__":
    unittest.main()
