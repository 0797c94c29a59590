// Tables, discovery and what else kubectl reads before it does anything.

#include <gtest/gtest.h>

#include "sim/age.h"
#include "sim/columns.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

const std::string kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

// "Name=a Ready=0/1 …" of the first row, narrow columns only.
std::string row(const TestReply& reply) {
  std::string out;
  const auto& columns = *reply.body.at("columnDefinitions")->as_list();
  const auto& cells = *reply.body.at("rows")->as_list()->front().find("cells")->as_list();
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].integer_at("priority") == 0)
      out += (out.empty() ? "" : " ") + std::string(columns[i].text_at("name")) + "=" + cells.at(i).scalar_text();
  return out;
}

TEST(Tables, OfTheKindsThatPeopleLookAt) {
  TestCluster cluster;
  cluster.post(kPods, pod_text("p"));
  EXPECT_EQ(row(cluster.get(kPods, kTable)), "Name=p Ready=0/1 Status=Pending Restarts=0 Age=0s");
  cluster.pass(130);
  EXPECT_EQ(row(cluster.get(kPods + "/p", kTable)), "Name=p Ready=0/1 Status=Pending Restarts=0 Age=2m10s");
  cluster.merge(
      kPods + "/p/status",
      R"({"status":{"phase":"Failed","containerStatuses":[{"name":"c","restartCount":3,"state":{"terminated":{"exitCode":2}}}]}})");
  EXPECT_EQ(row(cluster.get(kPods, kTable)), "Name=p Ready=0/1 Status=ExitCode:2 Restarts=3 Age=2m10s");
  cluster.post("/api/v1/nodes",
               R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"node-role.kubernetes.io/worker":""}},)"
               R"("spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  EXPECT_EQ(row(cluster.get("/api/v1/nodes", kTable)), "Name=n Status=Ready,SchedulingDisabled Roles=worker Age=0s Version=<none>");
  EXPECT_EQ(row(cluster.get("/api/v1/namespaces?limit=1", kTable)), "Name=default Status=Active Age=2m10s");
  const auto rows = cluster.get(kPods + "?includeObject=Object", kTable);
  EXPECT_EQ(rows.body.at("rows")->as_list()->front().text_at("object.kind"), "Pod");
  EXPECT_EQ(cluster.get(kPods, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io").text_at("kind"),
            "PartialObjectMetadataList");
}

TEST(Tables, EveryKindHasColumnsAndANameOrAnObject) {
  for (const auto& kind : kinds()) {
    const auto columns = columns_of(kind);
    ASSERT_FALSE(columns.empty());
    EXPECT_TRUE(columns.front().name == "Name" || kind.kind == "Event") << kind.kind;
    for (const auto& column : columns) EXPECT_NO_FATAL_FAILURE(column.value(Tree::map(), {})) << kind.kind << " " << column.name;
  }
}

TEST(Ages, AsKubectlWritesThem) {
  const struct {
    std::int64_t seconds;
    const char* text;
  } cases[] = {{-5, "<invalid>"},
               {0, "0s"},
               {119, "119s"},
               {120, "2m"},
               {599, "9m59s"},
               {600, "10m"},
               {3 * 3600, "3h"},
               {8 * 3600 - 60, "7h59m"},
               {47 * 3600, "47h"},
               {2 * 86400, "2d"},
               {7 * 86400 + 3600, "7d1h"},
               {400 * 86400, "400d"},
               {800 * 86400, "2y70d"}};
  for (const auto& one : cases) EXPECT_EQ(duration_text(one.seconds), one.text);
}

TEST(Discovery, BothForms) {
  TestCluster cluster;
  EXPECT_EQ(cluster.get("/api").text_at("kind"), "APIVersions");
  EXPECT_EQ(cluster.get("/apis").text_at("kind"), "APIGroupList");
  EXPECT_EQ(cluster.get("/apis/apps").text_at("preferredVersion.groupVersion"), "apps/v1");
  EXPECT_EQ(cluster.get("/apis/none").status, 404);
  const auto core = cluster.get("/api/v1");
  std::string pods;
  for (const auto& resource : *core.body.at("resources")->as_list())
    if (const auto name = resource.text_at("name"); name.starts_with("pods")) pods += std::string(name) + " ";
  EXPECT_EQ(pods, "pods pods/status pods/binding pods/eviction ");
  const auto all = cluster.get("/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json");
  EXPECT_EQ(all.text_at("kind"), "APIGroupDiscoveryList");
  std::size_t count = 0;
  for (const auto& group : *all.body.at("items")->as_list())
    for (const auto& version : *group.find("versions")->as_list()) count += version.find("resources")->as_list()->size();
  for (const auto& kind : kinds()) count -= kind.group.empty() ? 0U : 1U;
  EXPECT_EQ(count, 0U) << "every kind of a group, once";
}

TEST(OpenApi, SaysThatFieldsAreChecked) {
  TestCluster cluster;
  const auto index = cluster.get("/openapi/v3");
  const auto* apps = index.body.find("paths")->find("apis/apps/v1");
  ASSERT_NE(apps, nullptr);
  const auto document = cluster.get(std::string(apps->text_at("serverRelativeURL")));
  const auto* patch = document.body.find("paths")->find("/apis/apps/v1/namespaces/{namespace}/deployments/{name}");
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(patch->at("patch.parameters")->as_list()->front().text_at("name"), "fieldValidation");
  EXPECT_EQ(cluster.get("/openapi/v3/apis/none/v1").status, 404);
}

}  // namespace
}  // namespace muster::sim
