#include <gtest/gtest.h>

#include "codec/object_reader.h"

namespace muster {
namespace {

struct Reading {
  std::vector<Object> objects;
  std::vector<std::string> places;
  std::string error;
};

Reading read(std::string_view text) {
  Reading reading;
  const auto stats = read_objects_text(text, "f.yaml", [&](Object&& object, const Location& where) -> Result<void> {
    reading.places.push_back(object_name(object) + " at " + std::to_string(where.line) + ":" + std::to_string(where.column));
    reading.objects.push_back(std::move(object));
    return {};
  });
  if (!stats) reading.error = stats.error().text();
  return reading;
}

using Places = std::vector<std::string>;

TEST(YamlObjects, ReadsListsAndDocuments) {
  const auto reading = read(R"(apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-0
    namespace: ns
- {apiVersion: v1, kind: Node, metadata: {name: n1}}
kind: List
metadata: {}
---
# an empty document

---
apiVersion: v1
kind: Node
metadata:
  name: n2
...
)");
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.places, (Places{"Pod ns/web-0 at 3:3", "Node n1 at 8:3", "Node n2 at 15:1"}));
}

TEST(YamlObjects, NumbersInResourcesKeepTheirMeaning) {
  const auto reading = read(
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus:\n  allocatable: {cpu: 4, memory: 1.5Gi, x: 0.5, e: 1e3, z: 1_000, "
      "\"on\": 7, 8: 9}\n");
  ASSERT_EQ(reading.error, "");
  const auto& amounts = std::get<Node>(reading.objects.at(0)).allocatable;
  EXPECT_EQ(amounts.at("cpu").units(), 4);
  EXPECT_EQ(amounts.at("memory").units(), 1610612736);
  EXPECT_EQ(amounts.at("x").milli(), 500);
  EXPECT_EQ(amounts.at("e").units(), 1000);
  EXPECT_EQ(amounts.at("z").units(), 1000);
  EXPECT_EQ(amounts.at("on").units(), 7);
  EXPECT_EQ(amounts.at("8").units(), 9);
}

TEST(YamlObjects, AnchorsAndMultilineStringsWork) {
  const auto reading = read(R"(apiVersion: v1
kind: Pod
metadata:
  name: p
  labels: &labels
    app: web
  annotations:
    script: |
      line "one"
      line two
spec:
  nodeSelector: *labels
)");
  ASSERT_EQ(reading.error, "");
  const auto& pod = std::get<Pod>(reading.objects.at(0));
  EXPECT_EQ(pod.spec.node_selector.get("app"), "web");
  EXPECT_EQ(pod.meta.annotations.get("script"), "line \"one\"\nline two\n");
}

TEST(YamlObjects, ErrorsNameTheLineOfTheYaml) {
  struct Row {
    std::string_view text;
    std::string_view error;
  };
  const Row rows[] = {
      {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\nspec:\n  containers:\n  - name: c\n    resources:\n      requests:\n  "
       "      cpu: abc\n",
       "f.yaml:10:14: Pod web-0: spec.containers[0].resources.requests.cpu: \"abc\" is not a quantity: it has no digits"},
      {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\n  namespace: ns\nspec:\n  priority: yes\n",
       "f.yaml:7:13: Pod ns/web-0: spec.priority: must be an integer, not a boolean"},
      {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\n  labels:\n    version: 1.10\n",
       "f.yaml:6:14: Pod web-0: metadata.labels.version: must be a string, not a number"},
      {"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec:\n  taints: [{key: a, effect: Often}]\n",
       "f.yaml:5:29: Node n1: spec.taints[0].effect: \"Often\" is none of NoSchedule, NoExecute, PreferNoSchedule"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {priority: .inf}\n",
       "f.yaml:4:18: Pod a: spec.priority: must be an integer, not a string"},
      {"apiVersion: v1\nkind: Node\nmetadata: {name: n}\n", "f.yaml:3:18: Node: metadata.name: must be a string, not a boolean"},
      {"- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n- 5\n", "f.yaml:4:3: [1]: must be an object, not a number"},
      {"kind: Pod\n", "f.yaml:1:1: is a Pod without apiVersion"},
      {"just text\n", "f.yaml:1:1: must be an object or a list of objects"},
      {"apiVersion: v1\nkind: Pod\nkind: Node\n", "f.yaml:3:1: the key \"kind\" appears twice, first on line 2"},
      {"apiVersion: v1\nkind: [\n", "f.yaml:3:1: flow sequence without a closing bracket"},
  };
  for (const auto& [text, error] : rows) EXPECT_EQ(read(text).error, error) << text;
}

TEST(YamlObjects, WhatCameBeforeAnErrorWasRead) {
  const auto reading =
      read("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: [n2]}\n");
  EXPECT_EQ(reading.places, Places{"Node n1 at 1:1"});
  EXPECT_EQ(reading.error, "f.yaml:7:18: Node: metadata.name: must be a string, not a list");
}

}  // namespace
}  // namespace muster
