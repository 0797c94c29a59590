#include "sim/protobuf.h"

#include <algorithm>

#include "sim/protobuf_messages.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

const std::string kProtobufType = "application/vnd.kubernetes.protobuf";

// A tiny encoder: the fields of a message are texts one after the other.
std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(value | 0x80U);
  return out + static_cast<char>(value);
}
std::string number(std::uint32_t field, std::int64_t value) {
  return varint(field << 3U) + varint(static_cast<std::uint64_t>(value));
}
std::string part(std::uint32_t field, std::string_view content = {}) {
  return varint(field << 3U | 2U) + varint(content.size()) + std::string(content);
}
std::string entry(std::uint32_t field, std::string_view key, std::string_view value) {
  return part(field, part(1, key) + part(2, value));
}
std::string enveloped(std::string_view version, std::string_view kind, std::string_view message) {
  using namespace std::string_literals;
  return "k8s\0"s + part(1, part(1, version) + part(2, kind)) + part(2, message) + part(3) + part(4);
}

// As a client in Go sends it: what is empty is there as well.
std::string meta(std::string_view name, const std::string& more = {}) {
  return part(1, part(1, name) + part(2) + part(3) + part(4) + part(5) + part(6) + number(7, 0) + part(8) + more);
}
std::string quantity(std::string_view text) { return part(1, text); }
std::string int_or_string(std::int64_t type, std::int64_t integer, std::string_view text) {
  return number(1, type) + number(2, integer) + part(3, text);
}
std::string container() {
  return part(1, "c") + part(2, "i") + part(5) + part(8) + part(13) + part(14) + number(16, 0) + number(18, 0);
}
std::string pod_spec(std::string_view restart = {}, const std::string& more = {}) {
  return part(2, container()) + part(3, restart) + part(10) + number(11, 0) + more;
}

TestReply send(TestCluster& cluster, server::Method method, const std::string& target, std::string body) {
  return cluster.ask(method, target, std::move(body), kProtobufType, kProtobufType + ",application/json");
}

struct SameObject {
  std::string target;
  std::string version;
  std::string kind;
  std::string message;
  std::string json;  // without apiVersion and kind
};

std::string deployment() {
  const auto labels = entry(1, "app", "web");
  const auto pod = part(1, entry(11, "app", "web")) + part(2, pod_spec());
  return meta("web", entry(11, "b", "2") + entry(11, "a", "1")) +
         part(2, number(1, 0) + part(2, labels) + part(3, pod) +
                     part(4, part(1, "RollingUpdate") + part(2, part(2, int_or_string(1, 0, "25%")))) + number(5, 0) +
                     number(7, 0)) +
         part(3, number(1, 0) + number(2, 0));
}

std::vector<SameObject> same_objects() {
  const std::string in_default = "/namespaces/default/";
  return {
      {"/api/v1/namespaces", "v1", "Namespace", meta("shop") + part(2) + part(3, part(1)),
       R"("metadata":{"name":"shop"},"spec":{},"status":{})"},
      {"/apis/apps/v1" + in_default + "deployments", "apps/v1", "Deployment", deployment(),
       R"("metadata":{"name":"web","labels":{"a":"1","b":"2"}},"spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"}},
          "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i","resources":{}}]}},
          "strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%"}}},"status":{})"},
      {"/api/v1" + in_default + "secrets", "v1", "Secret",
       meta("s") + entry(2, "key", std::string_view("\0\xFFz", 3)) + entry(2, "none", "") + part(3, "Opaque"),
       R"("metadata":{"name":"s"},"data":{"key":"AP96","none":""},"type":"Opaque")"},
      {"/api/v1" + in_default + "configmaps", "v1", "ConfigMap",
       meta("c") + entry(2, "b", "1") + entry(2, "a", "2") + entry(2, "b", "3"),
       R"("metadata":{"name":"c"},"data":{"a":"2","b":"3"})"},
      {"/api/v1" + in_default + "resourcequotas", "v1", "ResourceQuota",
       meta("q") + part(2, entry(1, "cpu", quantity("1500m")) + entry(1, "pods", "") + part(2, "BestEffort")) + part(3),
       R"("metadata":{"name":"q"},"spec":{"hard":{"cpu":"1500m","pods":"0"},"scopes":["BestEffort"]},"status":{})"},
      {"/apis/policy/v1" + in_default + "poddisruptionbudgets", "policy/v1", "PodDisruptionBudget",
       meta("b") + part(2, part(1, int_or_string(0, 0, "")) + part(2, entry(1, "app", "web"))) +
           part(3, number(1, 0) + number(3, 0) + number(4, 0) + number(5, 0) + number(6, 0)),
       R"("metadata":{"name":"b"},"spec":{"minAvailable":0,"selector":{"matchLabels":{"app":"web"}}},
          "status":{"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0})"},
      {"/apis/batch/v1" + in_default + "jobs", "batch/v1", "Job",
       meta("j") +
           part(2, number(2, 3) + part(6, part(1) + part(2, pod_spec("Never", part(14, part(4, varint(7) + varint(8)))))) +
                       number(8, 0)) +
           part(3, number(4, 0)),
       R"("metadata":{"name":"j"},"spec":{"completions":3,"ttlSecondsAfterFinished":0,
          "template":{"metadata":{},"spec":{"containers":[{"name":"c","image":"i","resources":{}}],
          "restartPolicy":"Never","securityContext":{"supplementalGroups":[7,8]}}}},"status":{})"},
      {"/api/v1" + in_default + "pods", "v1", "Pod",
       meta("p") +
           part(2, part(1, part(1, "v") + part(2, part(2, part(1)))) +
                       part(1, part(1, "w") + part(2, part(19, part(1, part(1, "m"))))) + pod_spec()) +
           part(3),
       R"("metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","emptyDir":{}},{"name":"w","configMap":{"name":"m"}}],
          "containers":[{"name":"c","image":"i","resources":{}}]},"status":{})"},
      {"/apis/coordination.k8s.io/v1" + in_default + "leases", "coordination.k8s.io/v1", "Lease",
       meta("l") + part(2, part(1) + number(2, 15) + part(4, number(1, 1'700'000'000) + number(2, 1'234'567))),
       R"("metadata":{"name":"l"},"spec":{"holderIdentity":"","leaseDurationSeconds":15,"renewTime":"2023-11-14T22:13:20.001234Z"})"},
      {"/apis/scheduling.k8s.io/v1/priorityclasses", "scheduling.k8s.io/v1", "PriorityClass",
       meta("low", part(17, part(1, "me") + part(4, number(1, 0) + number(2, 0)) + part(7, part(1, R"({"f:value":{}})")))) +
           number(2, -5) + number(3, 1) + part(4),
       R"("metadata":{"name":"low","managedFields":[{"manager":"me","time":"1970-01-01T00:00:00Z","fieldsV1":{"f:value":{}}}]},
          "value":-5,"globalDefault":true)"},
  };
}

// Every client that writes both forms means the same by them.
TEST(Protobuf, GivesTheObjectOfJson) {
  for (const auto& one : same_objects()) {
    SCOPED_TRACE(one.kind);
    TestCluster here;
    TestCluster there;
    const auto made = send(here, server::Method::kPost, one.target, enveloped(one.version, one.kind, one.message));
    const auto wanted =
        there.post(one.target, R"({"apiVersion":")" + one.version + R"(","kind":")" + one.kind + "\"," + one.json + "}");
    EXPECT_EQ(made.status, 201) << made.message();
    EXPECT_EQ(made.body, wanted.body) << made.body.text() << "\n" << wanted.body.text();
  }
}

TEST(Protobuf, MembersComeInTheSameOrder) {
  const auto first = protobuf_body(enveloped("v1", "ConfigMap", entry(2, "b", "1") + entry(2, "a", "2") + part(1)));
  EXPECT_EQ(first->text(), R"({"kind":"ConfigMap","apiVersion":"v1","data":{"a":"2","b":"1"},"metadata":{}})");
}

TEST(Protobuf, BindsScalesEvictsAndDeletes) {
  TestCluster cluster;
  cluster.post(kPods, pod_text("a"));
  cluster.post(kPods, pod_text("b"));
  const auto post = [&](const std::string& target, const std::string& body) {
    return send(cluster, server::Method::kPost, target, body);
  };
  EXPECT_EQ(post(kPods + "/a/binding", enveloped("v1", "Binding", meta("a") + part(2, part(1, "Node") + part(3, "n")))).status,
            201);
  EXPECT_EQ(cluster.get(kPods + "/a").text_at("spec.nodeName"), "n");

  const auto options = [](std::string_view uid) { return number(1, 7) + part(2, part(1, uid)); };
  const auto eviction = [&](std::string_view uid) { return enveloped("policy/v1", "Eviction", meta("a") + part(2, options(uid))); };
  EXPECT_EQ(post(kPods + "/a/eviction", eviction("other")).status, 409);
  EXPECT_EQ(post(kPods + "/a/eviction", eviction(cluster.get(kPods + "/a").text_at("metadata.uid"))).status, 201);
  EXPECT_EQ(cluster.get(kPods + "/a").body.integer_at("metadata.deletionGracePeriodSeconds"), 7);

  for (const auto* version : {"v1", "policy/v1", "meta.k8s.io/v1"})
    EXPECT_EQ(send(cluster, server::Method::kDelete, kPods + "/b", enveloped(version, "DeleteOptions", options("other"))).status,
              409);
  EXPECT_EQ(send(cluster, server::Method::kDelete, kPods, enveloped("v1", "DeleteOptions", part(5, "All"))).status, 200);
  EXPECT_EQ(cluster.get(kPods + "/b").status, 200);

  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  post(deployments, enveloped("apps/v1", "Deployment", deployment()));
  const auto scale = enveloped("autoscaling/v1", "Scale", meta("web") + part(2, number(1, 4)) + part(3, number(1, 0) + part(2)));
  EXPECT_EQ(send(cluster, server::Method::kPut, deployments + "/web/scale", scale).status, 200);
  EXPECT_EQ(cluster.get(deployments + "/web").body.integer_at("spec.replicas"), 4);
}

// But how they are deleted can be said in it.
TEST(Protobuf, CustomResourcesHaveNone) {
  TestCluster cluster;
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  const auto refused = send(cluster, server::Method::kPost, queues, enveloped("scheduling.volcano.sh/v1beta1", "Queue", meta("q")));
  EXPECT_EQ(refused.status, 415);
  EXPECT_EQ(refused.message(),
            "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml");
  cluster.post(queues, R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"}})");
  EXPECT_EQ(send(cluster, server::Method::kDelete, queues + "/q", enveloped("v1", "DeleteOptions", "")).status, 200);
  const auto other = cluster.ask(server::Method::kPost, kConfigs, "x", "application/cbor");
  EXPECT_EQ(other.status, 415);
  EXPECT_EQ(other.message(),
            "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf");
}

TEST(Protobuf, AKindMustBeThatOfThePath) {
  TestCluster cluster;
  EXPECT_EQ(send(cluster, server::Method::kPost, kConfigs, enveloped("v1", "Secret", meta("s"))).status, 400);
}

TEST(Protobuf, RefusesWhatIsBroken) {
  using namespace std::string_literals;
  struct Case {
    std::string body;
    std::string why;
  };
  const auto config = [](const std::string& message) { return enveloped("v1", "ConfigMap", message); };
  const auto lease = [](const std::string& time) { return enveloped("coordination.k8s.io/v1", "Lease", part(2, part(4, time))); };
  const std::string kind = "the body is no ConfigMap in protobuf: ";
  const std::vector<Case> cases{
      {"", "the body is no protobuf of Kubernetes: it does not begin with \"k8s\" and a zero"},
      {"{}", "the body is no protobuf of Kubernetes: it does not begin with \"k8s\" and a zero"},
      {"k8s\0"s, "Object 'Kind' is missing in the body of the request"},
      {"k8s\0"s + part(9), "the body is no object in protobuf: field 9 of Unknown is not known here"},
      {"k8s\0"s + part(1, part(1, "v1") + part(2, "Pod")) + part(3, "gzip"),
       "the body is no Pod in protobuf: it has the contentEncoding \"gzip\""},
      {enveloped("v1", "Endpoints", ""), "no kind \"Endpoints\" is registered for version \"v1\""},
      {enveloped("apps/v1", "Pod", ""), "no kind \"Pod\" is registered for version \"apps/v1\""},
      {config(part(99, "x")), kind + "field 99 of ConfigMap is not known here"},
      {config(part(1, part(1, "c")) + part(1, part(1, "d"))), kind + "field 1 of ConfigMap comes twice"},
      {config(part(1, part(16))), kind + "metadata: field 16 of ObjectMeta is not known here"},
      {config(number(1, 1)), kind + "metadata: has field 1 in wire type 0"},
      {config(part(4, "\1")), kind + "immutable: has field 4 in wire type 2"},
      {config(number(2, 1)), kind + "data: has field 2 in wire type 0"},
      {config(part(2, number(1, 1))), kind + "data: has field 2 in wire type 0"},
      {config(part(2, part(3))), kind + "data: an entry of a map has field 3"},
      {config(entry(2, "k", "\xFF")), kind + "data.k: is not UTF-8"},
      {config(entry(2, "\xFF", "v")), kind + "data: is not UTF-8"},
      {config("\x09\1\2\3\4\5\6\7\xA"), kind + "has field 1 in wire type 1, which no field of Kubernetes has"},
      {config(part(0)), kind + "has the field number 0"},
      {config(std::string(10, '\xFF')), kind + "has a number of more than 64 bits"},
      {config("\x0A\x05x"), kind + "ends within field 1"},
      {config("\x0A"), kind + "ends within a number"},
      {enveloped("apps/v1", "Deployment", part(2, number(1, 1LL << 31))),
       "the body is no Deployment in protobuf: spec.replicas: is 2147483648, which is no 32-bit integer"},
      {enveloped("policy/v1", "PodDisruptionBudget", part(2, part(1, number(1, 2)))),
       "the body is no PodDisruptionBudget in protobuf: spec.minAvailable: is of type 2, neither an integer (0) nor a text (1)"},
      {lease(number(1, 253'402'300'800)),
       "the body is no Lease in protobuf: spec.renewTime: is a time that RFC 3339 does not know"},
      {lease(number(2, -1)), "the body is no Lease in protobuf: spec.renewTime: is a time that RFC 3339 does not know"},
      {config(part(1, part(17, part(7, part(1, "{"))))),
       kind + "metadata.managedFields.fieldsV1: is no JSON: byte 1: the text ends where a field name in double quotes is expected"},
  };
  for (const auto& [body, why] : cases) {
    const auto read = protobuf_body(body);
    ASSERT_FALSE(read.has_value()) << why;
    EXPECT_EQ(read.error().code, 400);
    EXPECT_EQ(read.error().message, why);
  }
}

TEST(Protobuf, RefusesEveryBeginningOfABody) {
  for (const auto& one : same_objects()) {
    const auto whole = enveloped(one.version, one.kind, one.message);
    const auto last = whole.size() - 4;  // what says nothing may be missing
    for (std::size_t size = 0; size < last; ++size) {
      const auto read = protobuf_body(std::string_view(whole).substr(0, size));
      // Cut behind the envelope's type, it is an object without members.
      EXPECT_TRUE(!read.has_value() || read->as_map()->size() == 2) << one.kind << " " << size;
    }
    EXPECT_TRUE(protobuf_body(std::string_view(whole).substr(0, last)).has_value());
  }
}

// JSON within protobuf is what can be nested at will.
TEST(Protobuf, NestingHasAnEnd) {
  const auto nested = [](std::size_t levels) {
    std::string json;
    for (std::size_t i = 0; i < levels; ++i) json += R"({"a":)";
    json += "1" + std::string(levels, '}');
    const auto opaque = part(1, "driver.example") + part(2, part(1, json));
    return enveloped("resource.k8s.io/v1", "DeviceClass", meta("c") + part(2, part(2, part(1, part(1, opaque)))));
  };
  const std::string classes = "/apis/resource.k8s.io/v1/deviceclasses";
  TestCluster cluster;
  EXPECT_EQ(send(cluster, server::Method::kPost, classes, nested(1'000'000)).status, 400);
  EXPECT_EQ(send(cluster, server::Method::kPost, classes, nested(kMostLevels)).status, 422);
  EXPECT_EQ(send(cluster, server::Method::kPost, classes, nested(kMostLevels - 5)).status, 201);
}

TEST(Protobuf, ManyEntriesAreReadInTime) {
  std::string message;
  for (int i = 0; i < 50'000; ++i) message += entry(2, std::to_string(i * 7919 % 50'000), "");
  const auto read = protobuf_body(enveloped("v1", "ConfigMap", message));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->find("data")->as_map()->size(), 50'000u);
}

// How deep messages are read is so bounded by the table.
void expect_no_circle(const WireMessage& message, std::vector<const WireMessage*>& above) {
  ASSERT_EQ(std::count(above.begin(), above.end(), &message), 0) << message.name;
  above.push_back(&message);
  for (const auto& field : message.fields)
    if (field.message != nullptr) expect_no_circle(*field.message, above);
  above.pop_back();
}

TEST(ProtobufTable, NoMessageHoldsItself) {
  for (const auto* message : all_messages()) {
    std::vector<const WireMessage*> above;
    expect_no_circle(*message, above);
  }
}

TEST(ProtobufTable, HasEveryBuiltInKind) {
  for (const auto& kind : kinds()) EXPECT_EQ(find_message(kind.api_version(), kind.kind) != nullptr, !kind.is_custom) << kind.kind;
}

}  // namespace
}  // namespace muster::sim
