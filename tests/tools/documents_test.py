#!/usr/bin/env python3
"""tests/documents/places.py finds what is not there, and nothing else."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "documents"))
import places  # noqa: E402

TREE = {
    "README.md": "[a](docs/other.md) [b](docs/page.md)",
    "src/engine/books.h": "namespace muster { class Books { void take_in(); }; }",
    "src/engine/books.cpp": "",
    "docs/other.md": "# Other\n\n## What `it` does, and why\n\n## Twice\n\n## Twice\n\n```\n# no heading\n```\n",
}


def findings(text, more=None):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {**TREE, "docs/page.md": text, **(more or {})}.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        wrong = [wrong for _, wrong in places.Places(folder).checked() if wrong]
    return [line.strip() for one in wrong for line in one.strip().splitlines()]


class Places(unittest.TestCase):
    def test_what_is_there(self):
        for text in [
            "[a](other.md), [b](../src/engine/books.h), [c](https://example.com/docs/nothing), [d](#one)\n\n# One\n",
            "[a](other.md#what-it-does-and-why), [b](other.md#twice-1)",
            "`src/engine/books.{h,cpp}`, src/engine/, `src/eng*/books.h`, `src/<layer>/`, docs/o<name>.md.",
            "`engine/books.h`, `books.{h,cpp}`",
            "`Books::take_in`, `take_in()`",
            "    kubectl port-forward deploy/muster 8080\n",
            "```\n[a](nothing.md)\n```\n",
        ]:
            with self.subTest(text):
                self.assertEqual(findings(text), [])

    def test_what_is_not(self):
        for text, wrong in [
            ("[a](gone.md)", "links to gone.md, which is not there"),
            ("![a](pictures/gone.png)", "links to pictures/gone.png, which is not there"),
            ("[a](other.md#gone)", "links to other.md#gone, and there is no such heading"),
            ("[a](other.md#no-heading)", "links to other.md#no-heading, and there is no such heading"),
            ("[a](other.md#twice-2)", "links to other.md#twice-2, and there is no such heading"),
            ("[a](#gone)", "links to #gone, and there is no such heading"),
            ("`src/engine/gone`", "names src/engine/gone, which is not there"),
            ("    muster schedule -f docs/gone", "names docs/gone, which is not there"),
            ("`docs/*.txt`", "names docs/*.txt, which is not there"),
            ("`src/engine/books.{h,c}`", "names src/engine/books.{h,c}, which is not there"),
            ("see deploy/muster", "names deploy/muster, which is not there"),
            ("`oks.h`", "names oks.h, and no source file is called so"),
            ("`gone.{h,cpp}`", "names gone.h, and no source file is called so"),
            ("`Books::gone`", "names Books::gone, and no source file has both words"),
            ("`gone()`", "names gone(), and no source file has the word"),
        ]:
            with self.subTest(text):
                self.assertIn(wrong, findings(text))

    def test_what_is_too_far(self):
        self.assertEqual(findings("[a](third.md)", {"docs/third.md": "[a](fourth.md)", "docs/fourth.md": ""}), ["docs/fourth.md is not"])
        self.assertEqual(findings("[a](third.md)", {"docs/third.md": "", "src/README.md": ""}), [])

    def test_layers(self):
        layers = {"src/CMakeLists.txt": "", "src/engine/CMakeLists.txt": "", "src/policy/kai/CMakeLists.txt": ""}
        rows = "# Tree\n\n| folder | holds |\n|---|---|\n| `engine/` | x |\n"
        self.assertEqual(findings("", {**layers, "src/README.md": rows}), ["policy/kai is missing"])
        self.assertEqual(findings("", {**layers, "src/README.md": rows + "| `policy/kai/` | x |\n"}), [])


if __name__ == "__main__":
    unittest.main()
