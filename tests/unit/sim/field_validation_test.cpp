// Fields that the types of Kubernetes do not have.

#include "sim/field_validation.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "sim/bodies.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";

std::string deployment_text(const std::string& spec, const std::string& container = {}) {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{)" + spec +
         R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)" +
         R"({"name":"c","image":"i"},{"name":"e","image":"i")" + container + "}]}}}}";
}

using Names = std::vector<std::string>;

Names unknown_in(const std::string& group, const std::string& plural, const std::string& text) {
  return unknown_fields(kind_named(group, plural), json(text));
}

TEST(FieldValidation, NamesUnknownFieldsByTheirPath) {
  EXPECT_EQ(unknown_in("apps", "deployments", deployment_text("")), Names());
  EXPECT_EQ(
      unknown_in("apps", "deployments", deployment_text(R"("replica":1,)", R"(,"ports":[{"containerPort":1,"x":2}],"imag":null)")),
      (Names{"spec.replica", "spec.template.spec.containers[1].ports[0].x", "spec.template.spec.containers[1].imag"}));
  EXPECT_EQ(unknown_in("", "configmaps",
                       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","label":{}},"dat":{},"data":{"any":"1"}})"),
            (Names{"metadata.label", "dat"}));
  // What has another form in JSON, or none at all, and what is of another type: only names count.
  EXPECT_EQ(
      unknown_in("", "pods",
                 R"({"metadata":{"creationTimestamp":"x","managedFields":[{"fieldsV1":{"f:any":{}}}]},"spec":{"containers":"odd"},)"
                 R"("status":{"conditions":[7],"startTime":{"x":1}}})"),
      Names());
  EXPECT_EQ(unknown_in("", "nodes", R"({"status":{"capacity":{"any.thing/x":"1"},"nodeInfo":{"kernel":"6"}}})"),
            (Names{"status.nodeInfo.kernel"}));
  // Members of a volume are those of its source as well; the claims of a StatefulSet are objects with a kind.
  EXPECT_EQ(unknown_in("apps", "statefulsets",
                       R"({"spec":{"template":{"kind":"Pod","spec":{"volumes":[{"name":"v","emptyDir":{},"emtyDir":{}}]}},)"
                       R"("volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{},"spec":{}}]}})"),
            (Names{"spec.template.kind", "spec.template.spec.volumes[0].emtyDir"}));
}

TEST(FieldValidation, NamesNoMoreThanCanBeRead) {
  std::string many = R"({"metadata":{"name":"c"})";
  for (int i = 0; i < 500; ++i) many += ",\"x" + std::to_string(i) + "\":1";
  EXPECT_EQ(unknown_in("", "configmaps", many + "}").size(), 100U);
  const std::string large(std::size_t{1} << 20, 'x');
  EXPECT_EQ(unknown_in("", "configmaps", R"({"a)" + large + R"(":1,"b":1})").size(), 1U);
}

// Each kind has a table, and what people write has no unknown fields.
TEST(FieldValidation, KnowsAllFieldsOfTheManifestsHere) {
  for (const auto& kind : kinds()) EXPECT_EQ(unknown_fields(kind, json(R"({"metadata":{},"bad":1})")), Names{"bad"}) << kind.kind;
  std::size_t read = 0;
  for (const std::string folder : {"/examples", "/tests/kubectl/manifests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(MUSTER_SOURCE_DIR + folder)) {
      if (entry.path().extension() != ".yaml" || entry.path().filename().string().starts_with("wrong-")) continue;
      std::stringstream content;
      content << std::ifstream(entry.path()).rdbuf();
      auto text = "\n" + content.str() + "\n---";
      for (std::size_t end = 0; (end = text.find("\n---")) != std::string::npos; text.erase(0, end + 4)) {
        const auto object = yaml_body(text.substr(0, end));
        if (!object || !object->is_map()) continue;
        const auto* kind = kind_of_object(object->text_at("apiVersion"), object->text_at("kind"));
        if (kind == nullptr) continue;
        ++read;
        EXPECT_EQ(unknown_fields(*kind, *object), Names()) << entry.path();
      }
    }
  EXPECT_GT(read, 50U);
}

TEST(FieldValidation, StrictRequestsAreRefused) {
  TestCluster cluster;
  const auto bad = deployment_text(R"("foo":1,)", R"(,"imag":"x")");
  for (const std::string type : {"application/json", "application/yaml"}) {
    const auto made = cluster.ask(server::Method::kPost, kDeployments + "?fieldValidation=Strict", bad, type);
    EXPECT_EQ(made.status, 400);
    EXPECT_EQ(made.reason(), "BadRequest");
    EXPECT_EQ(made.message(),
              "Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding error: unknown field \"spec.foo\", "
              "unknown "
              "field \"spec.template.spec.containers[1].imag\"");
  }
  EXPECT_EQ(cluster.get(kDeployments + "/d").status, 404) << "nothing was made";
  ASSERT_EQ(cluster.post(kDeployments + "?fieldValidation=Strict", deployment_text("")).status, 201);
  EXPECT_EQ(cluster.put(kDeployments + "/d?fieldValidation=Strict", bad).status, 400);
  const auto merged = cluster.merge(kDeployments + "/d?fieldValidation=Strict", R"({"spec":{"foo":1}})");
  EXPECT_EQ(merged.status, 422);
  EXPECT_TRUE(merged.message().ends_with("}\": strict decoding error: unknown field \"spec.foo\"")) << merged.message();
  const auto strategic = cluster.patch("strategic-merge-patch+json", kDeployments + "/d?fieldValidation=Strict",
                                       R"({"spec":{"paused":true,"foo":{"z":[1,null],"a":"b"}}})");
  EXPECT_EQ(strategic.status, 422);
  EXPECT_EQ(
      strategic.message(),
      " \"\" is invalid: patch: Invalid value: \"map[spec:map[foo:map[a:b z:[1 <nil>]] paused:true]]\": strict decoding error: "
      "unknown field \"spec.foo\"");
  EXPECT_EQ(
      cluster.patch("json-patch+json", kDeployments + "/d?fieldValidation=Strict", R"([{"op":"add","path":"/spec/foo","value":1}])")
          .status,
      422);
  EXPECT_EQ(cluster.merge(kDeployments + "/none?fieldValidation=Strict", R"({"spec":{"foo":1}})").status, 404);
  EXPECT_EQ(cluster.get(kDeployments + "/d").body.at("spec.foo"), nullptr);
  EXPECT_EQ(cluster.get(kDeployments + "/d").body.at("spec.paused"), nullptr);
}

TEST(FieldValidation, OtherRequestsAreWarnedOrNot) {
  TestCluster cluster;
  const Names warned{R"(299 - "unknown field \"spec.foo\"")"};
  EXPECT_EQ(cluster.post(kDeployments + "?dryRun=All", deployment_text(R"("foo":1,)")).warnings, warned) << "when it says nothing";
  const auto made = cluster.post(kDeployments + "?fieldValidation=Warn", deployment_text(R"("foo":1,)"));
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.warnings, warned);
  EXPECT_EQ(made.body.integer_at("spec.foo"), 1) << "it is kept";
  EXPECT_EQ(cluster.post(kDeployments + "?fieldValidation=Ignore&dryRun=All", deployment_text(R"("bar":1,"foo":1,)")).warnings,
            Names());
  // A patch is judged by what it adds.
  const auto patched = cluster.merge(kDeployments + "/d?fieldValidation=Strict", R"({"spec":{"paused":true}})");
  EXPECT_EQ(patched.status, 200) << patched.message();
  EXPECT_EQ(patched.warnings, Names());
  EXPECT_EQ(cluster.merge(kDeployments + "/d", R"({"spec":{"bar":1}})").warnings, Names{R"(299 - "unknown field \"spec.bar\"")"});
  EXPECT_EQ(cluster.merge(kDeployments + "/d?fieldValidation=Ignore", R"({"spec":{"baz":1}})").warnings, Names());
  EXPECT_EQ(cluster.merge(kDeployments + "/d/status", R"({"status":{"ready":1}})").warnings,
            Names{R"(299 - "unknown field \"status.ready\"")"});
}

TEST(FieldValidation, EventsAreJudgedInTheFormInWhichTheyCome) {
  TestCluster cluster;
  const std::string head =
      R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e"},"eventTime":"2023-11-14T22:13:10.000000Z",)"
      R"("action":"a","reason":"r","type":"Normal","reportingController":"c","reportingInstance":"i",)";
  const std::string path = "/apis/events.k8s.io/v1/namespaces/default/events";
  EXPECT_EQ(cluster.post(path + "?fieldValidation=Strict", head + R"("message":"core calls it so"})").status, 400);
  EXPECT_EQ(cluster.post(path + "?fieldValidation=Strict", head + R"("note":"n"})").status, 201);
  EXPECT_EQ(cluster.merge(path + "/e?fieldValidation=Strict", R"({"note":"m"})").status, 200);
  EXPECT_EQ(cluster.merge(path + "/e?fieldValidation=Strict", R"({"message":"m"})").status, 422);
}

TEST(FieldValidation, AppliesKnowNoUnknownFields) {
  TestCluster cluster;
  const auto apply = [&](const std::string& spec, const std::string& query = {}) {
    return cluster.patch("apply-patch+yaml", kDeployments + "/d?fieldManager=m" + query, deployment_text(spec));
  };
  const auto refused = apply(R"("foo":1,)", "&fieldValidation=Ignore");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.message(),
            "failed to create typed patch object (default/d; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema");
  EXPECT_EQ(refused.body.find("reason"), nullptr);
  const auto in_container = [&](const std::string& field) {
    return cluster.patch("apply-patch+yaml", kDeployments + "/d?fieldManager=m", deployment_text("", field)).message();
  };
  EXPECT_TRUE(
      in_container(R"(,"imag":1)").ends_with(": .spec.template.spec.containers[name=\"e\"].imag: field not declared in schema"));
  EXPECT_TRUE(in_container(R"(,"ports":[{"containerPort":80,"x":1}])")
                  .ends_with(": .spec.template.spec.containers[name=\"e\"].ports[containerPort=80,protocol=\"TCP\"].x: field not "
                             "declared in schema"));
  EXPECT_EQ(apply("").status, 201);
}

TEST(FieldValidation, WarningsAreHeadersWhateverTheFieldsAreCalled) {
  server::Response response;
  add_unknown_warnings(
      response, {"a\"\\\r\nX: y\x7f", std::string(300, 'x'), std::string(100, 'y') + std::string(137, 'z') + "\xC3\xA9\xC3\xA9"});
  Names values;
  for (const auto& [name, value] : response.headers) values.push_back(value);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0], R"(299 - "unknown field \"a\"\\??X: y?\"")");
  EXPECT_EQ(values[1], R"(299 - "unknown field \")" + std::string(256 - 15, 'x') + "\"");
  EXPECT_TRUE(Tree::parse("\"" + values[2].substr(values[2].find('y'), 237) + "\"").has_value()) << "in UTF-8";
  server::Response many;
  add_unknown_warnings(many, Names(1000, std::string(100, 'x')));
  EXPECT_LT(many.headers.count("Warning"), 50U);
}

TEST(FieldValidation, OnlyItsOwnWordsAreTaken) {
  TestCluster cluster;
  const auto refused = cluster.post(kConfigs + "?fieldValidation=Loud", config_text("c"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.message(),
            "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: \"Loud\": supported values: \"\", "
            "\"Ignore\", "
            "\"Strict\", \"Warn\"");
  EXPECT_EQ(cluster.merge(kConfigs + "/c?fieldValidation=Loud", "{}").status, 422);
}

}  // namespace
}  // namespace muster::sim
