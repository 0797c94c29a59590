#!/usr/bin/env python3
"""tools/try-dockerfile reads Dockerfiles rightly, and the project's has nothing in it that it cannot carry out."""
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load():
    loader = importlib.machinery.SourceFileLoader("try_dockerfile", str(ROOT / "tools/try-dockerfile"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("try_dockerfile", loader))
    sys.modules["try_dockerfile"] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module


TOOL = load()


class Reading(unittest.TestCase):
    def test_instructions(self):
        text = "# what it is\nFROM debian:12 AS build\n\nRUN --mount=type=cache,target=/c one \\\n# between\n && two\nCOPY --from=build /a /b\n"
        self.assertEqual(list(TOOL.instructions(text)), [
            (2, "FROM", [], "debian:12 AS build"), (4, "RUN", ["mount=type=cache,target=/c"], "one  && two"),
            (7, "COPY", ["from=build"], "/a /b")])

    def test_options_of_commands_are_no_flags(self):
        self.assertEqual(list(TOOL.instructions("RUN apt-get install --no-install-recommends x")),
                         [(1, "RUN", [], "apt-get install --no-install-recommends x")])

    def test_ignored(self):
        patterns = [".git", "build", "**/__pycache__"]
        for name, expected in [(".git", True), (".git/HEAD", True), ("build/release/muster", True), ("tests/tools/__pycache__", True),
                               ("tests/tools/__pycache__/a.pyc", True), (".gitignore", False), ("docs/build.md", False), ("src/build", False)]:
            with self.subTest(name):
                self.assertEqual(TOOL.ignored(name, patterns), expected)


class TheDockerfile(unittest.TestCase):
    def setUp(self):
        self.steps = list(TOOL.instructions((ROOT / "Dockerfile").read_text()))

    def last(self, wanted):
        return [rest for _, name, _, rest in self.steps if name == wanted][-1]

    def test_can_be_carried_out(self):
        for number, name, _, rest in self.steps:
            with self.subTest(line=number):
                self.assertTrue(hasattr(TOOL.Build, f"do_{name.lower()}"))
                if name == "FROM":
                    self.assertIn(rest.partition(" AS ")[0], TOOL.SUITES)

    def test_runs_as_the_manifests_say(self):
        user = re.search(r"runAsUser: (\d+)", (ROOT / "deploy/manifests/volcano.yaml").read_text())[1]
        self.assertEqual(self.last("USER"), f"{user}:{user}")
        self.assertEqual(json.loads(self.last("ENTRYPOINT")), ["/usr/local/bin/muster"])  # without a shell


if __name__ == "__main__":
    unittest.main()
