#!/usr/bin/env python3
"""The labels and annotations that docs/kai.md calls supported are those that the source of KAI's dialect names, and the other way round."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEY = re.compile(r'"(kai\.scheduler/(?!v\d)[a-z-]+|gpu-(?:fraction|memory)[a-z-]*|runai[a-z/-]*|pod-group-name|received-resource-type|'
                 r'nvidia\.com/(?:gpu|mig)\.[a-z]+|ray\.io/[a-z-]+|training\.kubeflow\.org/[a-z-]+)"')
SECTION = "\n## Labels and annotations\n"
ROW = re.compile(r"^\| `([^`]+)` \| [^|]+ \| (supported|differs|not) \|")
TABLE = ROOT / "src/policy/kai/settings_table.cpp"


def listed():
    section = (ROOT / "docs" / "kai.md").read_text(encoding="utf-8").split(SECTION)[1].split("\n## ")[0]
    return {match[1]: match[2] for line in section.splitlines() if (match := ROW.match(line))}


def named():
    folders = [ROOT / "src/policy/kai", ROOT / "src/app", ROOT / "src/codec"]
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".cpp", ".h") and path != TABLE]
    keys = {key for path in paths if "kai" in path.relative_to(ROOT).as_posix() or path.parent.name == "codec" for key in KEY.findall(path.read_text(encoding="utf-8"))}
    return {key.rstrip("/") for key in keys}


class Keys(unittest.TestCase):
    def test_supported_keys_are_named_in_the_source(self):
        rows, keys = listed(), named()
        self.assertGreater(len(rows), 20)
        for key, status in rows.items():
            if not KEY.match(f'"{key}"'):
                continue
            with self.subTest(key=key):
                if status == "not":
                    self.assertNotIn(key, keys, "the source names it now")
                else:
                    self.assertIn(key, keys, "no source names it")

    def test_keys_in_the_source_are_listed(self):
        rows = listed()
        for key in sorted(named()):
            with self.subTest(key=key):
                self.assertIn(key, rows, "docs/kai.md has no line for it")


if __name__ == "__main__":
    unittest.main()
