// Tables, discovery and what else kubectl reads before it does anything.

#include <gtest/gtest.h>

#include "sim/age.h"
#include "sim/columns.h"
#include "sim/discovery.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

const std::string kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

// "Name=a Ready=0/1 …" of the first row: narrow columns, or those with -o wide alone.
std::string row(const TestReply& reply, std::int64_t priority = 0) {
  std::string out;
  const auto& columns = *reply.body.at("columnDefinitions")->as_list();
  const auto& cells = *reply.body.at("rows")->as_list()->front().find("cells")->as_list();
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].integer_at("priority") == priority)
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
  EXPECT_EQ(row(cluster.get("/api/v1/nodes", kTable)), "Name=n Status=Ready,SchedulingDisabled Roles=worker Age=0s Version=");
  EXPECT_EQ(row(cluster.get("/api/v1/namespaces?limit=1", kTable)), "Name=default Status=Active Age=2m10s");
  const auto rows = cluster.get(kPods + "?includeObject=Object", kTable);
  EXPECT_EQ(rows.body.at("rows")->as_list()->front().text_at("object.kind"), "Pod");
  EXPECT_EQ(cluster.get(kPods, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io").text_at("kind"),
            "PartialObjectMetadataList");
}

std::string wide_row(const TestReply& reply) { return row(reply, 1); }

TEST(Tables, MoreOfThemIsWide) {
  TestCluster cluster;
  const auto shown = [&](const std::string& path, const std::string& object) {
    const auto made = cluster.post(path, object);
    EXPECT_EQ(made.status, 201) << made.message();
    return cluster.get(path, kTable);
  };
  const std::string nodes = "/api/v1/nodes";
  EXPECT_EQ(
      wide_row(shown(nodes,
                     R"({"kind":"Node","metadata":{"name":"a"},"status":{"addresses":[{"type":"ExternalIP","address":"1.2.3.4"}],)"
                     R"("nodeInfo":{"kernelVersion":"6.1","architecture":"arm64"}}})")),
      "Internal-IP=<none> External-IP=1.2.3.4 OS-Image=<unknown> Kernel-Version=6.1 (arm64) Container-Runtime=<unknown>");

  const std::string made =
      R"("template":{"metadata":{"labels":{"a":"b","x":"y"}},"spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"j"}]}}})";
  const std::string apps = "/apis/apps/v1/namespaces/default/";
  EXPECT_EQ(
      wide_row(shown(
          apps + "deployments",
          R"({"kind":"Deployment","metadata":{"name":"w"},"spec":{"selector":{"matchLabels":{"x":"y"},"matchExpressions":[)"
          R"({"key":"a","operator":"In","values":["c","b"]},{"key":"z","operator":"DoesNotExist"},{"key":"x","operator":"Exists"}]},)" +
              made + "}")),
      "Containers=c,d Images=i,j Selector=a in (b,c),x=y,x,!z");
  const auto daemons =
      shown(apps + "daemonsets",
            R"({"kind":"DaemonSet","metadata":{"name":"w"},"spec":{"selector":{"matchLabels":{"x":"y"}},)" + made + "}");
  EXPECT_EQ(row(daemons), "Name=w Desired=0 Current=0 Ready=0 Up-to-date=0 Available=0 Node Selector=<none> Age=0s");
  EXPECT_EQ(wide_row(daemons), "Containers=c,d Images=i,j Selector=x=y");
  const auto controllers =
      shown("/api/v1/namespaces/default/replicationcontrollers",
            R"({"kind":"ReplicationController","metadata":{"name":"w"},"spec":{"selector":{"x":"y","a":"b"},)" + made + "}");
  EXPECT_EQ(wide_row(controllers), "Containers=c,d Images=i,j Selector=a=b,x=y");
  EXPECT_EQ(cluster.get("/api/v1/namespaces/default/replicationcontrollers/w/scale").text_at("status.selector"), "a=b,x=y");
  const auto crons =
      shown("/apis/batch/v1/namespaces/default/cronjobs",
            R"({"kind":"CronJob","metadata":{"name":"w"},"spec":{"schedule":"@daily","jobTemplate":{"spec":{)" + made + "}}}");
  EXPECT_EQ(row(crons), "Name=w Schedule=@daily Timezone=<none> Suspend=false Active=0 Last Schedule=<none> Age=0s");
  EXPECT_EQ(wide_row(crons), "Containers=c,d Images=i,j Selector=<none>");
}

TEST(Tables, OfServicesEventsAndVolumes) {
  TestCluster cluster;
  const std::string core = "/api/v1/namespaces/default/";
  cluster.post(
      core + "services",
      R"({"kind":"Service","metadata":{"name":"s"},"spec":{"externalIPs":["1.1.1.1","2.2.2.2"],"ports":[{"port":80}],"selector":{"a":"b"}}})");
  EXPECT_EQ(row(cluster.get(core + "services", kTable)),
            "Name=s Type=ClusterIP Cluster-IP=<none> External-IP=1.1.1.1,2.2.2.2 Port(s)=80/TCP Age=0s");
  EXPECT_EQ(wide_row(cluster.get(core + "services", kTable)), "Selector=a=b");
  cluster.merge(core + "services/s", R"({"spec":{"type":"LoadBalancer","externalIPs":null,"selector":null}})");
  EXPECT_EQ(row(cluster.get(core + "services", kTable)),
            "Name=s Type=LoadBalancer Cluster-IP=<none> External-IP=<pending> Port(s)=80/TCP Age=0s");

  cluster.post(core + "events",
               R"({"kind":"Event","metadata":{"name":"e","namespace":"default"},"involvedObject":{"kind":"Node"},"message":"m"})");
  EXPECT_EQ(wide_row(cluster.get(core + "events", kTable)), "Subobject= Source= First Seen=<unknown> Count=1 Name=e");
  EXPECT_NE(row(cluster.get(core + "events", kTable)).find("Object=node "), std::string::npos);

  cluster.post(core + "persistentvolumeclaims",
               R"({"kind":"PersistentVolumeClaim","metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"]}})");
  const auto claim = [&] { return cluster.get(core + "persistentvolumeclaims", kTable); };
  EXPECT_EQ(row(claim()),
            "Name=v Status=Pending Volume= Capacity= Access Modes= StorageClass= VolumeAttributesClass=<unset> Age=0s");
  EXPECT_EQ(wide_row(claim()), "VolumeMode=Filesystem");
  cluster.merge(core + "persistentvolumeclaims/v", R"({"spec":{"volumeName":"pv"}})");
  cluster.merge(core + "persistentvolumeclaims/v/status",
                R"({"status":{"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"}}})");
  EXPECT_EQ(row(claim()),
            "Name=v Status=Bound Volume=pv Capacity=1Gi Access Modes=RWO StorageClass= VolumeAttributesClass=<unset> Age=0s");

  const std::string bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  cluster.post(bindings,
               R"({"kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[)"
               R"({"kind":"User","name":"u"},{"kind":"ServiceAccount","namespace":"n","name":"s"},{"kind":"User","name":"v"}]})");
  EXPECT_EQ(row(cluster.get(bindings, kTable)), "Name=b Role=ClusterRole/r Age=0s");
  EXPECT_EQ(wide_row(cluster.get(bindings, kTable)), "Users=u, v Groups= ServiceAccounts=n/s");
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
  const auto verbs = [&](const std::string& path) {
    return cluster.get(path).body.find("resources")->as_list()->front().find("verbs")->text();
  };
  EXPECT_EQ(verbs("/apis/batch/v1"), R"(["create","delete","deletecollection","get","list","patch","update","watch"])");
  EXPECT_EQ(verbs("/apis/kai.scheduler/v1alpha1"),
            R"(["delete","deletecollection","get","list","patch","create","update","watch"])");
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

// All that kubectl reads of it are definitions; what it cannot parse would be an error.
TEST(OpenApi, OfTheSecondVersionHasNoDefinitions) {
  const auto document = openapi_v2();
  EXPECT_EQ(document.content_type, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_EQ(document.body.size(), 2 + 3 + 2 + 0x1f + 2u);
  EXPECT_EQ(document.body.substr(7, 2), "\x0a\x19") << "the title, which is as long as it says";
  EXPECT_EQ(document.body.substr(9, 0x19), "muster's embedded cluster");
  EXPECT_EQ(document.body.substr(9 + 0x19), std::string("\x12\x02"
                                                        "v1"
                                                        "\x42\x00",
                                                        6));
}

}  // namespace
}  // namespace muster::sim
