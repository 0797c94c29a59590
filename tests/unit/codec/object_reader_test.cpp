#include "codec/object_reader.h"

#include <gtest/gtest.h>

#include "model/quoted.h"

namespace muster {
namespace {

struct Reading {
  std::vector<std::string> names;
  std::vector<Location> places;
  ReadStats stats;
  std::string error;
};

Reading read(std::string_view text, const std::string& file = "f.json") {
  Reading reading;
  auto stats = read_objects_text(text, file, [&](Object&& object, const Location& where) -> Result<void> {
    reading.names.push_back(object_name(object));
    reading.places.push_back(where);
    return {};
  });
  if (stats)
    reading.stats = *stats;
  else
    reading.error = stats.error().text();
  return reading;
}

constexpr std::string_view kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})";
constexpr std::string_view kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p1","namespace":"ns"}})";

using Names = std::vector<std::string>;

TEST(ObjectReader, ReadsOneObject) {
  const auto reading = read(kNode);
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.names, Names{"Node n1"});
  EXPECT_EQ(reading.stats.objects, 1u);
}

TEST(ObjectReader, ReadsEveryFormOfManyObjects) {
  const std::string node(kNode);
  const std::string pod(kPod);
  const std::string forms[] = {
      node + pod,
      node + "\n" + pod + "\n",
      "\n\n " + node + "   " + pod,
      "[" + node + "," + pod + "]",
      "[" + node + ",null," + pod + "]",
      "[[" + node + "],[" + pod + "]]",
      R"({"apiVersion":"v1","kind":"List","items":[)" + node + "," + pod + "]}",
      R"({"apiVersion":"v1","items":[)" + node + "," + pod + R"(],"kind":"List","metadata":{"resourceVersion":""}})",
      R"({"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}]})" + pod,
      node + R"({"items":[{"metadata":{"name":"p1","namespace":"ns"}}],"metadata":{},"kind":"PodList","apiVersion":"v1"})",
      R"({"apiVersion":"v1","kind":"List","items":[)" + node + R"(,{"apiVersion":"v1","kind":"List","items":[)" + pod + "]}]}",
  };
  for (const auto& form : forms) {
    const auto reading = read(form);
    EXPECT_EQ(reading.error, "") << form;
    EXPECT_EQ(reading.names, (Names{"Node n1", "Pod ns/p1"})) << form;
  }
}

TEST(ObjectReader, AnEmptyTextHasNoObjects) {
  for (const std::string_view text :
       {"", " \n", "[]", R"({"apiVersion":"v1","kind":"List","items":[]})", R"({"apiVersion":"v1","kind":"List"})",
        R"({"apiVersion":"v1","kind":"PodList","items":null})"}) {
    EXPECT_EQ(read(text).error, "") << text;
    EXPECT_EQ(read(text).stats.objects, 0u) << text;
  }
  EXPECT_EQ(read("", "f.yaml").error, "");
}

TEST(ObjectReader, CountsKindsThatItDoesNotRead) {
  const auto reading = read(R"([{"apiVersion":"apps/v1","kind":"Deployment","spec":5},{"kind":"Deployment","apiVersion":"apps/v1"},
                                {"apiVersion":"v2","kind":"Pod"},{"apiVersion":"x/v1","kind":"FooList","items":[{}]}])");
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.stats.objects, 0u);
  EXPECT_EQ(reading.stats.skipped,
            (std::map<std::string, std::uint64_t>{{"apps/v1 Deployment", 2}, {"v2 Pod", 1}, {"x/v1 Foo", 1}}));
}

TEST(ObjectReader, SaysWhereEachObjectBegins) {
  const auto reading =
      read("{\"apiVersion\":\"v1\",\"kind\":\"List\",\n \"items\":[\n  " + std::string(kNode) + ",\n  " + std::string(kPod) + "]}");
  ASSERT_EQ(reading.places.size(), 2u);
  EXPECT_EQ(reading.places[0], (Location{"f.json", 3, 3}));
  EXPECT_EQ(reading.places[1], (Location{"f.json", 4, 3}));
}

TEST(ObjectReader, PutsPodsWithoutNamespaceIntoTheDefaultOne) {
  EXPECT_EQ(read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})").names, Names{"Pod default/p"});
}

TEST(ObjectReader, TakesTheFieldsInAnyOrder) {
  EXPECT_EQ(read(R"({"metadata":{"namespace":"ns","name":"p1"},"spec":{},"kind":"Pod","apiVersion":"v1"})").names,
            Names{"Pod ns/p1"});
}

TEST(ObjectReader, UnescapesNamesAndKeys) {
  const auto reading = read(R"({"\u0061piVersion":"v\u0031","k\u0069nd":"Node","metadata":{"name":"n\u00e4\ud83d\ude00\"\\\/"}})");
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.names, Names{"Node nä😀\"\\/"});
  EXPECT_EQ(read(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"\ud800x\udc00"}})").names,
            Names{"Node \xEF\xBF\xBDx\xEF\xBF\xBD"});
}

TEST(ObjectReader, HandsOnTheSinksError) {
  const auto stats =
      read_objects_text(std::string(kNode) + std::string(kPod), "f.json", [](Object&& object, const Location&) -> Result<void> {
        if (std::holds_alternative<Pod>(object)) return fail(Error("no pods please", Location{"elsewhere", 1, 2}));
        return {};
      });
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().text(), "elsewhere:1:2: no pods please");
}

struct BadInput {
  std::string_view text;
  std::string_view error;
};

class BadObjects : public testing::TestWithParam<BadInput> {};

TEST_P(BadObjects, AreRefusedWithTheirPlace) { EXPECT_EQ(read(GetParam().text).error, GetParam().error); }

INSTANTIATE_TEST_SUITE_P(
    Syntax, BadObjects,
    testing::Values(BadInput{"{", "f.json:1:2: the text ends where a field name in double quotes is expected"},
                    BadInput{"{\"apiVersion\":\"v1\",\n\"junk\":[1 2]}", "f.json:2:11: '2' where ',' or ']' is expected"},
                    BadInput{"hello", "f.json:1:1: 'h' where a value is expected"},
                    BadInput{"5", "f.json:1:1: must be an object or a list of objects"},
                    BadInput{"[\n5]", "f.json:2:1: [0]: must be an object, not a number"},
                    BadInput{"[{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":{}}]",
                             "f.json:1:43: [0].items: must be a list, not an object"},
                    BadInput{"[{}, 1]", "f.json:1:2: [0]: has no kind, so it is not a Kubernetes object"},
                    BadInput{R"({"kind":5,"apiVersion":"v1"})", "f.json:1:1: has no kind, so it is not a Kubernetes object"},
                    BadInput{R"({"kind":"Pod"})", "f.json:1:1: is a Pod without apiVersion"},
                    BadInput{R"({"kind":"Pod","apiVersion":"v1"})", "f.json:1:1: Pod: metadata.name: is required"},
                    BadInput{R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":""}})",
                             "f.json:1:1: Pod: metadata.name: is required"},
                    BadInput{"\xEF\xBB\xBF{} x", "f.json:1:1: has no kind, so it is not a Kubernetes object"}));

std::string pod_with(std::string_view spec) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"default"},)" + std::string("\n") +
         std::string(spec) + "}";
}

TEST(ObjectReader, NamesObjectFieldLineAndColumnOfAWrongValue) {
  const BadInput rows[] = {
      {R"("spec":{"containers":[{"resources":{"requests":{"cpu":true}}}]})",
       "2:55: Pod default/web-0: spec.containers[0].resources.requests.cpu: must be a string or a number, not a boolean"},
      {R"("spec":{"containers":[{},{"resources":{"limits":{"nvidia.com/gpu":"x"}}}]})",
       "2:67: Pod default/web-0: spec.containers[1].resources.limits.nvidia.com/gpu: \"x\" is not a quantity: it has no digits"},
      {R"("spec":{"containers":{}})", "2:22: Pod default/web-0: spec.containers: must be a list, not an object"},
      {R"("spec":[])", "2:8: Pod default/web-0: spec: must be an object, not a list"},
      {R"("spec":{"priority":"high"})", "2:20: Pod default/web-0: spec.priority: must be an integer, not a string"},
      {R"("spec":{"priority":1.5})", "2:20: Pod default/web-0: spec.priority: must be an integer, not 1.5"},
      {R"("spec":{"priority":1e3})", "2:20: Pod default/web-0: spec.priority: must be an integer, not 1e3"},
      {R"("spec":{"priority":4294967296})", "2:20: Pod default/web-0: spec.priority: 4294967296 is too large: at most 2147483647"},
      {R"("spec":{"priority":99999999999999999999})",
       "2:20: Pod default/web-0: spec.priority: 99999999999999999999 is too large: at most 9223372036854775807"},
      {R"("spec":{"nodeName":7})", "2:20: Pod default/web-0: spec.nodeName: must be a string, not a number"},
      {R"("spec":{"hostNetwork":"true"})", "2:23: Pod default/web-0: spec.hostNetwork: must be a boolean, not a string"},
      {R"("spec":{"nodeSelector":{"a":1}})", "2:29: Pod default/web-0: spec.nodeSelector.a: must be a string, not a number"},
      {R"("spec":{"tolerations":[{"operator":"Maybe"}]})",
       "2:36: Pod default/web-0: spec.tolerations[0].operator: \"Maybe\" is none of Equal, Exists, Lt, Gt"},
      {R"("spec":{"tolerations":[{"effect":"Never"}]})",
       "2:34: Pod default/web-0: spec.tolerations[0].effect: \"Never\" is none of NoSchedule, NoExecute, PreferNoSchedule"},
      {R"("spec":{"topologySpreadConstraints":[{"labelSelector":{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}}]})",
       "2:98: Pod default/web-0: spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator: \"Gt\" is none of "
       "In, NotIn, Exists, "
       "DoesNotExist"},
      {R"("spec":{"topologySpreadConstraints":[{"labelSelector":{"matchExpressions":[{"key":"a"}]}}]})",
       "2:76: Pod default/web-0: spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0]: has no operator"},
      {R"("spec":{"topologySpreadConstraints":[{"whenUnsatisfiable":"Cry"}]})",
       "2:59: Pod default/web-0: spec.topologySpreadConstraints[0].whenUnsatisfiable: \"Cry\" is none of DoNotSchedule, "
       "ScheduleAnyway"},
      {R"("status":{"startTime":"yesterday"})",
       "2:23: Pod default/web-0: status.startTime: \"yesterday\" is not a time like 2026-01-31T23:59:59Z"},
      {R"("status":{"conditions":[{"lastTransitionTime":5}]})",
       "2:47: Pod default/web-0: status.conditions[0].lastTransitionTime: must be a string, not a number"},
  };
  for (const auto& [spec, error] : rows) EXPECT_EQ(read(pod_with(spec)).error, "f.json:" + std::string(error));
}

TEST(ObjectReader, NamesTheObjectEvenIfItsNameComesLater) {
  EXPECT_EQ(read(R"({"apiVersion":"v1","kind":"Pod","spec":{"priority":"x"},"metadata":{"name":"web-0","namespace":"ns"}})").error,
            "f.json:1:52: Pod ns/web-0: spec.priority: must be an integer, not a string");
  EXPECT_EQ(read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","labels":[]}})").error,
            "f.json:1:69: Pod web-0: metadata.labels: must be an object, not a list");
  EXPECT_EQ(read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":5}})").error,
            "f.json:1:52: Pod: metadata.name: must be a string, not a number");
  EXPECT_EQ(read(R"([{"apiVersion":"v1","kind":"PodList","items":[{},{"metadata":5}]}])").error,
            "f.json:1:47: Pod: metadata.name: is required");
}

TEST(ObjectReader, NamesAndTextsThatNoClusterHasAreRefused) {
  const auto named = [](const std::string& name) {
    return read(R"({"apiVersion":"v1","kind":"Pod",)"
                "\n"
                R"("metadata":{"name":")" +
                name + R"("}})")
        .error;
  };
  EXPECT_EQ(named(std::string(253, 'a')), "");
  EXPECT_EQ(named(std::string(254, 'a')), "f.json:2:20: Pod " + shortened(std::string(254, 'a')) +
                                              ": metadata.name: is 254 characters long; a name has at most 253");
  for (const auto* name : {R"(a\nb)", R"(a\u0000b)", R"(a\u001bb)",
                           "a\x7f"
                           "b"})
    EXPECT_NE(named(name).find(": metadata.name: has a control character in it: "), std::string::npos) << named(name);
  const std::string limit(3 << 20, 'x');
  EXPECT_EQ(read(pod_with(R"("spec":{"nodeName":")" + limit + "\"}")).error, "");
  EXPECT_EQ(read(pod_with(R"("spec":{"nodeName":"x)" + limit + "\"}")).error,
            "f.json:2:20: Pod default/web-0: spec.nodeName: is 3145729 bytes long; Kubernetes takes no object beyond 3145728");
  EXPECT_EQ(
      read(pod_with(R"("spec":{"nodeSelector":{"x)" + limit + R"(":"a"}})")).error,
      "f.json:2:3145757: Pod default/web-0: spec.nodeSelector: its key is 3145729 bytes long; Kubernetes takes no object beyond "
      "3145728");
}

TEST(ObjectReader, DeepNestingIsRefused) {
  const std::string deep = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"x":)" + std::string(100'000, '[');
  EXPECT_EQ(read(deep).error, "f.json:1:260: nested deeper than 200 levels");
  const std::string fine =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"x":)" + std::string(198, '[') + std::string(198, ']') + "}";
  EXPECT_EQ(read(fine).error, "");
}

TEST(ObjectReader, ReadsFlowYamlThatBeginsLikeJson) {
  EXPECT_EQ(read("{apiVersion: v1, kind: Node, metadata: {name: n1}}", "f.yaml").names, Names{"Node n1"});
  EXPECT_EQ(read(std::string(kNode) + "\n---\n" + std::string(kPod), "f.yml").names, (Names{"Node n1", "Pod ns/p1"}));
  EXPECT_EQ(read(std::string(kNode) + "\n" + std::string(kPod), "f.yaml").names, (Names{"Node n1", "Pod ns/p1"}));
}

TEST(ObjectReader, ReadsYamlFromStandardInputToo) {
  EXPECT_EQ(read("apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n", "standard input").names, Names{"Node n1"});
}

TEST(ObjectReader, ReadsAPath) {
  const auto missing = read_objects_at("/no/such/file.json", [](Object&&, const Location&) -> Result<void> { return {}; });
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(), "/no/such/file.json: cannot be read: No such file or directory");
}

TEST(ObjectReader, StatsAddUp) {
  ReadStats a{2, {{"x Y", 1}}, {"one"}};
  a.add({3, {{"x Y", 2}, {"z", 1}}, {"two"}});
  EXPECT_EQ(a.objects, 5u);
  EXPECT_EQ(a.skipped, (std::map<std::string, std::uint64_t>{{"x Y", 3}, {"z", 1}}));
  EXPECT_EQ(a.notes, (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace muster
