#!/usr/bin/env python3
"""tools/tidy looks at a source again when anything changes that clang-tidy would see."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/tidy"


def load(root):
    loader = importlib.machinery.SourceFileLoader("tidy", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tidy", loader))
    loader.exec_module(module)
    module.ROOT = root
    return module


class Fingerprints(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("src/a.cpp", '#include "a.h"\n#include <vector>\n')
        self.write("src/a.h", '#pragma once\n#include "deep/b.h"\n')
        self.write("src/deep/b.h", "int b();\n")
        self.write("src/unused.h", "int unused();\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def fingerprint(self, command="g++ a.cpp", settings=b"checks"):
        return load(self.root).fingerprint(self.root / "src/a.cpp", command, settings)

    def test_same_while_nothing_changes(self):
        before = self.fingerprint()
        self.write("src/unused.h", "int other();\n")
        self.assertEqual(before, self.fingerprint())

    def test_changes_with_what_is_seen(self):
        before = self.fingerprint()
        self.assertNotEqual(before, self.fingerprint(command="g++ -DX a.cpp"))
        self.assertNotEqual(before, self.fingerprint(settings=b"others"))
        self.write("src/deep/b.h", "int b(int);\n")
        after_header = self.fingerprint()
        self.assertNotEqual(before, after_header)
        self.write("src/a.cpp", '#include "a.h"\n')
        self.assertNotEqual(after_header, self.fingerprint())


if __name__ == "__main__":
    unittest.main()
