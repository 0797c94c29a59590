#!/usr/bin/env python3
"""tools/check-layers finds what it is for, and lets everything else pass."""
import functools
import unittest

import small_trees

findings = functools.partial(small_trees.findings, "check-layers")


class CheckLayers(unittest.TestCase):
    def test_allowed(self):
        for path, line in [
            ("src/base/a.h", "#include <tl/expected.hpp>"),
            ("src/engine/a.cpp", '#include "model/taint.h"'),
            ("src/engine/deep/a.cpp", '#include "engine/books.h"'),
            ("src/engine/a.cpp", "#include <immintrin.h>"),
            ("src/codec/a.cpp", "#include <simdjson.h>"),
            ("src/policy/volcano/plugins/a.cpp", '#include "policy/volcano/session.h"'),
            ("src/policy/volcano/a.h", "// volcano is its name"),
            ("src/app/a.cpp", "#include <chrono>"),
            ("src/kube/a.cpp", "#include <curl/curl.h>"),
            ("src/server/a.cpp", "#include <boost/beast/core.hpp>"),
            ("src/engine/a.h", "// kaiser and mosaik are no dialects"),
        ]:
            with self.subTest(path=path, line=line):
                self.assertEqual(findings({path: line}), [])

    def test_forbidden(self):
        for path, line in [
            ("src/base/a.h", '#include "model/taint.h"'),
            ("src/model/a.h", '#include "engine/books.h"'),
            ("src/engine/a.h", '#include "codec/input.h"'),
            ("src/codec/a.h", '#include "engine/books.h"'),
            ("src/kube/a.h", '#include "engine/books.h"'),
            ("src/policy/volcano/a.h", '#include "policy/kai/session.h"'),
            ("src/policy/volcano/a.h", '#include "session.h"'),
            ("src/engine/a.h", "#include <simdjson.h>"),
            ("src/policy/volcano/a.h", "#include <curl/curl.h>"),
            ("src/policy/volcano/a.h", "#include <boost/beast/core.hpp>"),
            ("src/daemon/a.h", "#include <boost/asio/post.hpp>"),
            ("src/metrics/a.h", '#include "server/server.h"'),
            ("src/engine/a.h", "#include <sqlite3.h>"),
            ("src/engine/a.h", "#include <chrono>"),
            ("src/engine/a.h", "#include <sys/socket.h>"),
            ("src/engine/a.h", "// as Volcano does"),
            ("src/engine/a.h", "class KaiBooks;"),
            ("src/engine/a.h", "int kai_share;"),
            ("src/elsewhere/a.h", ""),
            ("src/base/utils.h", ""),
            ("tests/unit/base/string_helpers.cpp", ""),
            ("src/model/misc/a.h", ""),
        ]:
            with self.subTest(path=path, line=line):
                self.assertEqual(len(findings({path: line})), 1)

    def test_says_where(self):
        found = findings({"src/engine/a.h": "#pragma once\n\n#include <simdjson.h>\n"})
        self.assertEqual(found, ["src/engine/a.h:3: engine may not include <simdjson.h>"])


if __name__ == "__main__":
    unittest.main()
