#!/usr/bin/env python3
"""The chart lets muster read every kind of owner that its groupers know."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULE = re.compile(r"^- apiGroups: \[(\S+)\]\n  resources: \[(.*)\]\n  verbs: \[get\]$", re.MULTILINE)
ROW = re.compile(r'^    \{"([^"]+)", "[^"]+", "(\w+)", \w+\},$', re.MULTILINE)


class GroupRights(unittest.TestCase):
    def test_kai(self):
        rules = (ROOT / "deploy/helm/muster/templates/_group_rules.tpl").read_text(encoding="utf-8").partition('"muster.kaiOwnerRules"')[2]
        readable = {(group, name) for group, names in RULE.findall(rules) for name in names.split(", ")}
        known = {(group, kind.lower() + "s") for group, kind in ROW.findall((ROOT / "src/grouping/kai.cpp").read_text(encoding="utf-8"))}
        self.assertGreater(len(known), 20)
        # Beyond the table: what stands between a pod and those that are in it.
        self.assertEqual(readable - known, {("apps", "replicasets"), ("apps", "daemonsets"), ("apps", "statefulsets")})
        self.assertEqual(known - readable, set())


if __name__ == "__main__":
    unittest.main()
