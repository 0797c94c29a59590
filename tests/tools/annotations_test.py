#!/usr/bin/env python3
"""The annotations, labels and resources that docs/plugins.md calls supported are those that the source names, and the other way round."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOMAINS = r"(?:scheduling\.k8s\.io|(?:scheduling\.)?volcano\.sh|hami\.io|huawei\.com|nvidia\.com)"
# Not the versions of APIs, and not a domain alone.
KEY = re.compile(rf'"({DOMAINS}/(?!v\d)[A-Za-z0-9._-]+|sla-waiting-time)"')
CONTROLLERS = {"demo", "grouper", "grouping", "sim"}
SECTION = "\n## Annotations, labels and resources\n"
ROW = re.compile(r"^\| `([^`]+)` \| [^|]+ \| (supported|differs|not) \| [^|]+ \|([^|]*)\|$")


def listed():
    """key -> (status, remark), from the page, and the number of its lines."""
    section = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8").split(SECTION)[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return {match[1]: (match[2], match[3].strip()) for line in rows if (match := ROW.match(line))}, len(rows)


def named():
    """The keys that the source spells out. The page is about Volcano's scheduler, so KAI's dialect is left aside, and so are the
    controllers: the embedded cluster's, the demo, and the grouping of pods."""
    paths = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".cpp", ".h") and "kai" not in path.relative_to(ROOT).as_posix()
             and path.relative_to(ROOT / "src").parts[0] not in CONTROLLERS]
    return {key for path in paths for key in KEY.findall(path.read_text(encoding="utf-8"))}


def same(entry, key):
    """Whether a line of the page, which may have a placeholder, is about this key."""
    key += "word" if key.endswith("-") else ""  # the beginning of a key that is put together at run time
    return re.fullmatch(re.sub(r"<[^>]*>", "[^/]+", re.escape(entry).replace(r"\<", "<").replace(r"\>", ">")), key) is not None


class Annotations(unittest.TestCase):
    def test_every_line_can_be_read(self):
        rows, lines = listed()
        self.assertGreater(lines, 0)
        self.assertEqual(len(rows), lines, "a line has no status, or a key is listed twice")
        for key, (status, remark) in rows.items():
            self.assertFalse(status != "supported" and not remark, f"{key}: the remark has to say why")

    def test_what_is_supported_is_in_the_source(self):
        keys = named()
        for entry, (status, _) in listed()[0].items():
            if "<" in entry:  # put together at run time
                continue
            with self.subTest(key=entry):
                if status == "not":
                    self.assertNotIn(entry, keys, "the source names it now: docs/plugins.md has to say supported or differs")
                else:
                    self.assertIn(entry, keys, "no source names it: docs/plugins.md has to say not")

    def test_what_is_in_the_source_is_listed(self):
        entries = listed()[0]
        for key in sorted(named()):
            with self.subTest(key=key):
                self.assertTrue(any(same(entry, key) for entry in entries), "docs/plugins.md has no line for it")


if __name__ == "__main__":
    unittest.main()
