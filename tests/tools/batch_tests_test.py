#!/usr/bin/env python3
"""Tests of tools/batch-tests: which test sources it would compile as one."""
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "batch-tests"


def anonymous(body):
    return f"namespace muster {{\nnamespace {{\n{body}\n}}\n}}\n"


class BatchTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.plan = self.folder / "plan"

    def make_plan(self, sources):
        paths = [self.folder / f"{name}_test.cpp" for name in sources]
        for path, text in zip(paths, sources.values()):
            path.write_text(text, encoding="utf-8")
        subprocess.run([TOOL, self.plan, *paths], check=True)
        return self.plan.read_text(encoding="utf-8")

    def batches(self, sources):
        """The names of the sources, batch by batch."""
        found = {}
        for line in self.make_plan(sources).splitlines():
            batch, path = line.split("=")
            found.setdefault(batch, []).append(pathlib.Path(path).name.removesuffix("_test.cpp"))
        return list(found.values())

    def test_strangers_meet(self):
        self.assertEqual(self.batches({"a": anonymous("int one() { return 1; }"), "b": anonymous("int two() { return 2; }")}), [["a", "b"]])

    def test_a_name_of_both_keeps_them_apart(self):
        self.assertEqual(self.batches({"a": anonymous("int one() { return 1; }"), "b": anonymous("int one() { return 2; }")}), [["a"], ["b"]])

    def test_a_name_that_the_other_takes_from_a_header_keeps_them_apart(self):
        mine = anonymous("constexpr int kSecond = 1;")
        self.assertEqual(self.batches({"a": mine, "b": anonymous("int wait() { return 2 * kSecond; }")}), [["a"], ["b"]])

    def test_a_name_of_a_header_of_tests_keeps_them_apart(self):
        (self.folder / "cycles.h").write_text("namespace muster {\nusing Names = int;\nstruct Outcome { Names names; };\n}\n", encoding="utf-8")
        mine = anonymous("using Names = char;")
        self.assertEqual(self.batches({"a": mine, "b": '#include "cycles.h"\n' + anonymous("int two() { return 2; }")}), [["a"], ["b"]])

    def test_the_same_alias_is_no_quarrel(self):
        alias = "namespace muster {\nusing kube::Clock;\n}\n"
        other = "namespace muster {\nusing engine::Clock;\n}\n"
        self.assertEqual(self.batches({"a": alias, "b": alias, "c": other}), [["a", "b"], ["c"]])

    def test_tests_of_one_suite_may_meet(self):
        self.assertEqual(self.batches({"a": anonymous("TEST(Suite, One) {}"), "b": anonymous("TEST(Suite, Two) {}")}), [["a", "b"]])

    def test_dialects_do_not_meet(self):
        self.assertEqual(self.batches({"a": anonymous("kai::Job* job();"), "b": anonymous("volcano::Job* work();")}), [["a"], ["b"]])

    def test_a_batch_is_not_too_large(self):
        sources = {f"s{number}": anonymous(f"int of_{number}() {{ return 0; }}") for number in range(9)}
        self.assertEqual([len(batch) for batch in self.batches(sources)], [8, 1])

    def test_who_asks_for_a_folder_is_in_no_batch(self):
        asks = anonymous("const char* kHere = MUSTER_SOURCE_DIR;")
        mentions = anonymous("int two();  // not MUSTER_BUILD_DIR")
        plan = self.make_plan({"a": asks, "b": mentions, "c": asks.replace("SOURCE", "BUILD")})
        self.assertEqual(plan, f"={self.folder}/a_test.cpp\n={self.folder}/c_test.cpp\n0={self.folder}/b_test.cpp\n")

    def test_the_plan_is_written_only_when_it_has_changed(self):
        sources = {"a": anonymous("int one();"), "b": anonymous("int two();")}
        self.make_plan(sources)
        os.utime(self.plan, (1, 1))
        self.make_plan(sources | {"b": anonymous("int two(); int three();")})
        self.assertEqual(self.plan.stat().st_mtime, 1)
        self.make_plan(sources | {"b": anonymous("void one();")})
        self.assertNotEqual(self.plan.stat().st_mtime, 1)


if __name__ == "__main__":
    unittest.main()
