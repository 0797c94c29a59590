#!/usr/bin/env python3
"""tools/check-names finds what it is for, and lets everything else pass."""
import functools
import unittest

import small_trees

findings = functools.partial(small_trees.findings, "check-names")


def source(own, space="muster"):
    """A source with declarations of its own."""
    return f"namespace {space} {{\nnamespace {{\n\n{own}\n\n}}  // namespace\n}}  // namespace {space}\n"


class CheckNames(unittest.TestCase):
    def test_one_name_for_two_things(self):
        for name, one, other in [
            ("constants", "constexpr int kMost = 1;", "constexpr double kMost{2};"),
            ("functions", "bool is_far(int x) { return x > 0; }", "bool is_far(int x) { return x > 1; }"),
            ("overloads", "bool is_far(int x) { return x > 0; }", "bool is_far(const Node& node);"),
            ("templates", "template <class T>\nstd::vector<T> far_of(T x) {}", "template <class T, int N>\nint far_of(T (&x)[N]) {}"),
            ("types", "struct Row {\n  int x;\n};", "class Row final : public Base {\n};"),
            ("enumerations", "enum class Row { kOne };", "using Row = int;"),
            ("arrays", 'constexpr std::string_view kRows[] = {"{", "}"};', "constexpr std::array<int, 2> kRows = {1, 2};"),
            ("computed", "const auto kTable = [] { return 1; }();", "constexpr int kTable = f(1);"),
            ("after a body", "void f() {\n  if (x) {\n  }\n}\n\nint far = 1;", "std::map<int, std::vector<int>> far;"),
        ]:
            with self.subTest(name):
                self.assertEqual(len(findings({"src/app/a.cpp": source(one), "src/app/b.cpp": source(other)})), 1)

    def test_outside_of_anonymous_namespaces(self):
        for name, one, other in [
            ("using declarations", "namespace muster {\nusing base::Job;\n}", "namespace muster {\nusing model::Job;\n}"),
            ("aliases", "namespace muster {\nusing Names = int;\n}", "namespace muster {\nusing Names = long;\n}"),
            ("namespaces", "namespace fs = a::b;", "namespace fs = a::c;"),
            ("static functions", "static int far() {}", "static int far() {}"),
            ("macros", "#define FAR 1\n", "#define FAR(x) x\n"),
        ]:
            with self.subTest(name):
                self.assertEqual(len(findings({"src/app/a.cpp": one, "src/app/b.cpp": other})), 1)

    def test_who_does_not_meet(self):
        one, other = source("int far(int x) {}"), source("int far(long x) {}")
        for a, b in [
            ("src/app/a.cpp", "src/model/a.cpp"),
            ("src/app/a.cpp", "src/app/kai_a.cpp"),
            ("src/policy/kai/a.cpp", "src/policy/volcano/a.cpp"),
        ]:
            with self.subTest(a=a, b=b):
                self.assertEqual(findings({a: one, b: other}), [])
        self.assertEqual(findings({"src/app/a.cpp": one, "src/app/b.cpp": source("using enum Colour;\nint far(long x) {}")}), [])
        self.assertEqual(len(findings({"src/app/kai_a.cpp": one, "src/app/kai_b.cpp": other})), 1)
        self.assertEqual(len(findings({"src/policy/kai/a.cpp": one, "src/policy/kai/plugins/b.cpp": other})), 1)

    def test_what_may_be_said_twice(self):
        for name, text in [
            ("the same using declaration", "namespace muster {\nusing model::Job;\n}"),
            ("the same namespace alias", "namespace fs = std::filesystem;"),
            ("a macro that is gone again", "#define FAR 1\n#undef FAR\n"),
            ("members", "namespace muster {\nint Job::count() const {\n}\n}"),
            ("what is in bodies", source("").replace("\n\n\n", "\nvoid Job::f() {\n  struct Row {};\n  int far = 1;\n}\n")),
            ("operators", source("bool operator<(Left l, Right r) {}")),
            ("comments and literals", source('// int far = 1;\n/* int far; */')),
        ]:
            with self.subTest(name):
                self.assertEqual(findings({"src/app/a.cpp": text, "src/app/b.cpp": text}), [])

    def test_hidden_names(self):
        header = "namespace muster {\n\nconstexpr int kMost = 1;\nint far(int x);\n\n}  // namespace muster\n"
        for name, file, own, count in [
            ("a constant", "src/daemon/a.cpp", "constexpr int kMost = 2;", 1),
            ("a function", "src/daemon/a.cpp", "int far(long x) {}", 1),
            ("another name", "src/daemon/a.cpp", "int near(int x) {}", 0),
            ("a header that the layer does not see", "src/server/a.cpp", "int far(long x) {}", 0),
        ]:
            with self.subTest(name):
                space = "muster::" + file.split("/")[1]
                self.assertEqual(len(findings({"src/model/a.h": header, file: source(own, space)})), count)

    def test_constants_of_functions(self):
        local = source("int f() {\n  constexpr int kMost = 3;\n  return kMost;\n}")
        self.assertEqual(len(findings({"src/app/a.cpp": source("constexpr int kMost = 1;"), "src/app/b.cpp": local})), 1)
        self.assertEqual(len(findings({"src/app/c.cpp": source("constexpr int kMost = 1;"), "src/app/b.cpp": local})), 1)
        self.assertEqual(len(findings({"src/app/a.cpp": source("constexpr int kMost = 1;"), "src/model/b.h": local})), 1)
        self.assertEqual(findings({"src/app/a.cpp": local, "src/app/b.cpp": local.replace("f()", "g()")}), [])
        member = source("class A {\n  static constexpr int kMost = 3;\n};")
        self.assertEqual(findings({"src/app/a.cpp": source("constexpr int kMost = 1;"), "src/app/b.cpp": member}), [])

    def test_says_where(self):
        found = findings({"src/app/a.cpp": source("int far = 1;"), "src/app/b.cpp": source("int near = 1;\nint far = 2;")})
        self.assertEqual(found, ["src/app/b.cpp:5: far is also a name of src/app/a.cpp, with which it may be compiled as one"])


if __name__ == "__main__":
    unittest.main()
