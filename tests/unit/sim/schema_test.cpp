// Custom resources are taken, and refused, as a server with their definitions does it.

#include "sim/schema.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "sim/bodies.h"
#include "sim/schema_fields.h"
#include "sim/schema_validation.h"
#include "unit/sim/controlled_cluster.h"

namespace muster::sim {
namespace {

const std::string kGroups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";
const std::string kQueues = "/apis/scheduling.volcano.sh/v1beta1/queues";
const std::string kHyperNodes = "/apis/topology.volcano.sh/v1alpha1/hypernodes";
const std::string kTopologies = "/apis/kai.scheduler/v1alpha1/topologies";
const std::string kQueuesOfKai = "/apis/scheduling.run.ai/v2/queues";

// An object called "x" with a spec.
std::string with_spec(const std::string& path, const std::string& spec) {
  const auto from = std::string("/apis/").size();
  const auto version = path.substr(from, path.find('/', path.find('/', from) + 1) - from);
  const auto plural = path.substr(path.rfind('/') + 1);
  const auto* kind = find_kind(version.substr(0, version.find('/')), version.substr(version.find('/') + 1), plural);
  EXPECT_NE(kind, nullptr) << path;
  return R"({"apiVersion":")" + version + R"(","kind":")" + std::string(kind->kind) + R"(","metadata":{"name":"x"},"spec":)" +
         spec + "}";
}

struct Refused {
  std::string path;
  std::string spec;
  std::string why;  // what follows "… is invalid: "
};

// In the words of v1.36: the validator of kube-openapi and the errors of apimachinery.
const std::vector<Refused> kRefused{
    {kGroups, R"({"minMember":"three"})",
     R"(spec.minMember: Invalid value: "string": spec.minMember in body must be of type integer: "string")"},
    {kGroups, R"({"minMember":true})", R"(spec.minMember: Invalid value: "": spec.minMember in body must be of type int32: "")"},
    {kGroups, R"({"minMember":[]})",
     R"(spec.minMember: Invalid value: "array": spec.minMember in body must be of type integer: "array")"},
    {kGroups, R"({"minMember":1.5})",
     R"([spec.minMember: Invalid value: "float64": spec.minMember in body must be of type int32: "float64", )"
     R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.minMember])"},
    {kGroups, R"({"minMember":3000000000})",
     R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.minMember)"},
    {kGroups, R"({"minMember":-1})",
     "spec.minMember: Invalid value: -1: spec.minMember in body should be greater than or equal to 0"},
    {kGroups, R"({"networkTopology":{"mode":"odd"}})",
     R"(spec.networkTopology.mode: Unsupported value: "odd": supported values: "hard", "soft")"},
    {kGroups, R"({"networkTopology":{"mode":3}})",
     R"([spec.networkTopology.mode: Invalid value: "integer": spec.networkTopology.mode in body must be of type string: )"
     R"("integer", spec.networkTopology.mode: Unsupported value: 3: supported values: "hard", "soft"])"},
    {kGroups, R"({"networkTopology":"hard"})",
     R"(spec.networkTopology: Invalid value: "string": spec.networkTopology in body must be of type object: "string")"},
    {kGroups, R"({"subGroupPolicy":["odd",null]})",
     R"([spec.subGroupPolicy[0]: Invalid value: "string": spec.subGroupPolicy[0] in body must be of type object: "string", )"
     R"(spec.subGroupPolicy[1]: Invalid value: "null": spec.subGroupPolicy[1] in body must be of type object: "null"])"},
    {kGroups, R"({"minResources":{"cpu":"many"}})",
     R"(spec.minResources.cpu: Invalid value: "many": spec.minResources.cpu in body should match )"
     R"('^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$')"},
    {kGroups, R"({"minResources":{"cpu":0.5}})",
     R"([spec.minResources.cpu: Invalid value: "number": spec.minResources.cpu in body must be of type integer,string: "number", )"
     R"(<nil>: Invalid value: "": "spec.minResources.cpu" must validate at least one schema (anyOf), )"
     R"(spec.minResources.cpu: Invalid value: "number": spec.minResources.cpu in body must be of type integer: "number", )"
     R"(<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.minResources.cpu])"},
    {kQueues, R"({"weight":0})", "spec.weight: Invalid value: 0: spec.weight in body should be greater than or equal to 1"},
    {kQueues, R"({"weight":70000})",
     "spec.weight: Invalid value: 70000: spec.weight in body should be less than or equal to 65535"},
    {kQueues, R"({"reclaimable":"yes"})",
     R"(spec.reclaimable: Invalid value: "string": spec.reclaimable in body must be of type boolean: "string")"},
    {kQueues, "3", R"(spec: Invalid value: "integer": spec in body must be of type object: "integer")"},
    {kHyperNodes, "{}", "spec.tier: Required value"},
    {kHyperNodes, R"({"tier":1,"members":[]})",
     "spec.members: Invalid value: 0: spec.members in body should have at least 1 items"},
    {kHyperNodes, R"({"tier":1,"tierName":")" + std::string(254, 'a') + "\"}",
     "spec.tierName: Too long: may not be more than 253 bytes"},
    {kHyperNodes, R"({"tier":1,"members":[{"type":"Node","selector":{}}]})",
     "spec.members[0].selector: Invalid value: 0: spec.members[0].selector in body should have at least 1 properties"},
    {kHyperNodes, R"({"tier":1,"members":[{"type":"Node","selector":{"exactMatch":{"name":""},"regexMatch":{"pattern":"a"}}}]})",
     R"([spec.members[0].selector: Too many: 2: must have at most 1 item, spec.members[0].selector.exactMatch.name: Invalid )"
     R"(value: "": spec.members[0].selector.exactMatch.name in body should be at least 1 chars long])"},
    {kTopologies, R"({"levels":[{}]})",
     R"([spec.levels[0].nodeLabel: Required value, <nil>: Invalid value: null: some validation rules were not checked because )"
     R"(the object was invalid; correct the existing errors to complete validation])"},
    {kTopologies, R"({"levels":[]})", "spec.levels: Invalid value: 0: spec.levels in body should have at least 1 items"},
    {kQueuesOfKai, R"({"resources":{"gpu":{"quota":"4"}}})",
     R"(spec.resources.gpu.quota: Invalid value: "string": spec.resources.gpu.quota in body must be of type number: "string")"},
    {kVolcanoJobs, R"({"minAvailable":-1,"tasks":[]})",
     "[spec.minAvailable: Invalid value: -1: spec.minAvailable in body should be greater than or equal to 0, spec.tasks: Invalid "
     "value: 0: spec.tasks in body should have at least 1 items]"},
    {kVolcanoJobs, R"({"policies":[{"event":"PodFaild","action":"RestartJob"}]})",
     R"(spec.policies[0].event: Unsupported value: "PodFaild": supported values: "*", "PodPending", "PodRunning", "PodFailed", )"
     R"("PodEvicted", "Unknown", "TaskCompleted", "OutOfSync", "CommandIssued", "JobUpdated", "TaskFailed")"},
};

TEST(Schemas, WhatTheyDoNotAllowIsRefused) {
  TestCluster cluster;
  for (const auto& one : kRefused) {
    const auto reply = cluster.post(one.path, with_spec(one.path, one.spec));
    EXPECT_EQ(reply.status, 422) << one.spec;
    EXPECT_EQ(reply.reason(), "Invalid");
    const auto message = reply.message();
    EXPECT_EQ(message.substr(message.find("\"x\" is invalid: ") + 16), one.why);
    EXPECT_EQ(cluster.get(one.path + "/x").status, 404);
  }
}

TEST(Schemas, CausesSayWhatKindOfMistakeItIs) {
  TestCluster cluster;
  const auto reasons = [&](const std::string& path, const std::string& spec) {
    std::vector<std::string> out;
    const auto reply = cluster.post(path, with_spec(path, spec));
    if (const auto* causes = reply.body.at("details.causes"))
      for (const auto& cause : *causes->as_list())
        out.push_back(std::string(cause.text_at("field")) + " " + std::string(cause.text_at("reason")));
    return out;
  };
  using Reasons = std::vector<std::string>;
  EXPECT_EQ(reasons(kGroups, R"({"minMember":"3"})"), Reasons{"spec.minMember FieldValueTypeInvalid"});
  EXPECT_EQ(reasons(kGroups, R"({"minMember":-3})"), Reasons{"spec.minMember FieldValueInvalid"});
  EXPECT_EQ(reasons(kQueues, R"({"dequeueStrategy":"lifo"})"), Reasons{"spec.dequeueStrategy FieldValueNotSupported"});
  EXPECT_EQ(reasons(kHyperNodes, "{}"), Reasons{"spec.tier FieldValueRequired"});
  EXPECT_EQ(reasons(
                kTopologies, R"({"levels":[)" +
                                 [] {
                                   std::string out;
                                   for (int i = 0; i < 17; ++i)
                                     out += (i == 0 ? "" : ",") + (R"({"nodeLabel":"l)" + std::to_string(i) + "\"}");
                                   return out;
                                 }() +
                                 "]}"),
            (Reasons{"spec.levels FieldValueTooMany", "<nil> FieldValueInvalid"}));
}

TEST(Schemas, WhatTheyAllowIsTaken) {
  TestCluster cluster;
  const std::vector<std::pair<std::string, std::string>> taken{
      {kGroups, R"({"minMember":3,"minTaskMember":{"any":1},"minResources":{"cpu":2,"memory":"1Gi","nvidia.com/gpu":"1.5"}})"},
      {kGroups, R"({"minMember":3.0,"subGroupPolicy":[{"labelSelector":{"matchLabels":{"a":"b"}}}]})"},
      {kQueues, R"({"weight":65535,"affinity":{"nodeGroupAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":["a"]}}})"},
      {kQueuesOfKai, R"({"resources":{"gpu":{"quota":0.5,"limit":-1}}})"},
      {kTopologies, R"({"levels":[{"nodeLabel":"topology.kubernetes.io/zone"}]})"},
      {kVolcanoJobs, R"({"tasks":[{"replicas":1,"template":{"any":{"thing":[1,"2"]}}}],"plugins":{"svc":[]}})"},
  };
  for (const auto& [path, spec] : taken) {
    const auto reply = cluster.post(path + "?dryRun=All&fieldValidation=Strict", with_spec(path, spec));
    EXPECT_EQ(reply.status, 201) << reply.message();
    EXPECT_EQ(reply.warnings, std::vector<std::string>());
  }
}

TEST(Schemas, UnknownFieldsAreDropped) {
  TestCluster cluster;
  const auto text =
      with_spec(kGroups, R"({"minMembers":3,"subGroupPolicy":[{"nam":"a","labelSelector":{"x":1}}],"queue":{"deep":1}})");
  const auto strict = cluster.post(kGroups + "?fieldValidation=Strict", text);
  EXPECT_EQ(strict.status, 400);
  EXPECT_EQ(strict.message(),
            R"(PodGroup in version "v1beta1" cannot be handled as a PodGroup: strict decoding error: unknown field )"
            R"("spec.minMembers", unknown field "spec.queue.deep", unknown field "spec.subGroupPolicy[0].labelSelector.x", )"
            R"(unknown field "spec.subGroupPolicy[0].nam")");
  const auto group = [](const std::string& metadata, const std::string& spec) {
    return R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"x")" + metadata + R"(},"spec":)" +
           spec + R"(,"top":{"deep":[1]}})";
  };
  const auto made = cluster.post(kGroups, group(R"(,"label":{})", R"({"minMembers":3,"minMember":2})"));
  EXPECT_EQ(made.status, 201) << made.message();
  EXPECT_EQ(made.warnings,
            (std::vector<std::string>{R"(299 - "unknown field \"metadata.label\"")", R"(299 - "unknown field \"spec.minMembers\"")",
                                      R"(299 - "unknown field \"top\"")"}));
  EXPECT_EQ(made.body.find("spec")->text(), R"({"minMember":2,"queue":"default"})");
  EXPECT_EQ(made.body.find("top"), nullptr);

  const auto merged = cluster.merge(kGroups + "/x", R"({"spec":{"minMembers":3}})");
  EXPECT_EQ(merged.status, 200);
  EXPECT_EQ(merged.warnings, std::vector<std::string>{R"(299 - "unknown field \"spec.minMembers\"")"});
  EXPECT_EQ(merged.body.integer_at("metadata.generation"), 1) << "nothing has changed";
  const auto refused = cluster.merge(kGroups + "/x?fieldValidation=Strict", R"({"spec":{"minMembers":3}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.message().ends_with(R"(strict decoding error: unknown field "spec.minMembers")")) << refused.message();
  EXPECT_EQ(cluster.merge(kGroups + "/x?fieldValidation=Ignore", R"({"spec":{"minMembers":3}})").warnings.size(), 0U);
  EXPECT_EQ(cluster.get(kGroups + "/x").body.at("spec.minMembers"), nullptr);
}

TEST(Schemas, NullsGoWhereTheyMayNotBe) {
  TestCluster cluster;
  const auto made = cluster.post(kGroups, with_spec(kGroups, R"({"minMember":null,"queue":null,"minResources":{"cpu":null}})"));
  EXPECT_EQ(made.status, 201) << made.message();
  EXPECT_EQ(made.body.find("spec")->text(), R"({"queue":"default","minResources":{}})");
}

TEST(Schemas, ChangesAreLookedAtHoweverTheyAreMade) {
  TestCluster cluster;
  ASSERT_EQ(cluster.post(kGroups, with_spec(kGroups, R"({"minMember":2})")).status, 201);
  const std::string why =
      R"(PodGroup.scheduling.volcano.sh "x" is invalid: spec.minMember: Invalid value: "string": spec.minMember in body must be of )"
      R"(type integer: "string")";
  const auto merged = cluster.merge(kGroups + "/x", R"({"spec":{"minMember":"2"}})");
  EXPECT_EQ(merged.status, 422);
  EXPECT_EQ(merged.message(), why);
  EXPECT_EQ(
      cluster.patch("json-patch+json", kGroups + "/x", R"([{"op":"replace","path":"/spec/minMember","value":"2"}])").message(),
      why);
  auto object = cluster.get(kGroups + "/x").body;
  object["spec"]["minMember"] = Tree("2");
  EXPECT_EQ(cluster.put(kGroups + "/x", object.text()).message(), why);
}

TEST(Schemas, AppliesWantTheirTypes) {
  TestCluster cluster;
  const auto apply = [&](const std::string& spec) {
    return cluster.patch("apply-patch+yaml", kGroups + "/x?fieldManager=m", with_spec(kGroups, spec));
  };
  const std::string head = "failed to create typed patch object (default/x; scheduling.volcano.sh/v1beta1, Kind=PodGroup): ";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"({"minMembers":3})", ".spec.minMembers: field not declared in schema"},
      {R"({"minMember":"3"})", ".spec.minMember: expected numeric (int or float), got string"},
      {R"({"queue":3})", ".spec.queue: expected string, got &value.valueUnstructured{Value:3}"},
      {R"({"networkTopology":"hard"})", ".spec.networkTopology: expected map, got &{hard}"},
      {R"({"subGroupPolicy":{"b":[2,1],"a":null}})", ".spec.subGroupPolicy: expected list, got &{map[a:<nil> b:[2 1]]}"},
      {R"({"subGroupPolicy":[{},{"nam":"a"}]})", ".spec.subGroupPolicy[1].nam: field not declared in schema"},
  };
  for (const auto& [spec, why] : wrong) {
    const auto reply = apply(spec);
    EXPECT_EQ(reply.status, 500) << spec;
    EXPECT_EQ(reply.message(), head + why);
  }
  const auto misnamed =
      cluster.patch("apply-patch+yaml", kGroups + "/x?fieldManager=m",
                    R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"label":{}}})");
  EXPECT_EQ(misnamed.message(), head + ".metadata.label: field not declared in schema");
  EXPECT_EQ(apply(R"({"minMember":-3})").status, 422);
  EXPECT_EQ(apply(R"({"minMember":3,"queue":null})").status, 201);
  EXPECT_EQ(apply(R"({"minMember":-3})").status, 422);
}

TEST(Schemas, AStatusIsLookedAtByItself) {
  TestCluster cluster;
  ASSERT_EQ(cluster.post(kQueues, with_spec(kQueues, "{}")).status, 201);
  const auto wrong = cluster.merge(kQueues + "/x/status", R"({"status":{"pending":"1","allocated":{"cpu":"x"}}})");
  EXPECT_EQ(wrong.status, 422);
  EXPECT_EQ(
      wrong.message(),
      R"(Queue.scheduling.volcano.sh "x" is invalid: [status.pending: Invalid value: "string": pending in body must be of type )"
      R"(integer: "string", status.allocated.cpu: Invalid value: "x": allocated.cpu in body should match )"
      R"('^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$'])");
  const auto dropped = cluster.merge(kQueues + "/x/status", R"({"status":{"pending":1,"wating":2}})");
  EXPECT_EQ(dropped.status, 200) << dropped.message();
  EXPECT_EQ(dropped.body.find("status")->text(), R"({"pending":1})");
  EXPECT_EQ(cluster.merge(kQueues + "/x/status", R"({"status":3})").message(),
            R"(Queue.scheduling.volcano.sh "x" is invalid: status: Invalid value: "integer":  in body must be of type object: )"
            R"("integer")");
  ASSERT_EQ(cluster.post(kVolcanoJobs, with_spec(kVolcanoJobs, "{}")).status, 201);
  const auto job = cluster.merge(kVolcanoJobs + "/x/status", R"({"status":{"state":{"lastTransitionTime":"today"}}})");
  EXPECT_EQ(job.message(), R"(Job.batch.volcano.sh "x" is invalid: status.state.lastTransitionTime: Invalid value: "today": )"
                           R"(state.lastTransitionTime in body must be of type date-time: "today")");
}

// As objects may be that are older than their definition: in a file, or written by the server itself.
TEST(Schemas, AChangeIsNotBlamedForWhatWasThere) {
  const auto& schema = *schema_of(kind_named("scheduling.volcano.sh", "podgroups"));
  const auto group = [](const std::string& minimum, const std::string& parts, const std::string& queue) {
    return json(R"({"spec":{"minMember":)" + minimum + R"(,"subGroupPolicy":)" + parts + R"(,"queue":")" + queue + "\"}}");
  };
  const auto before = group("\"a\"", "[{\"name\":1}]", "q");
  const auto fields = [&](const Tree& after) {
    std::vector<std::string> out;
    for (const auto& cause : newly_wrong_fields(schema, before, after)) out.push_back(cause.field);
    return out;
  };
  using Fields = std::vector<std::string>;
  EXPECT_EQ(fields(group("\"a\"", "[{\"name\":1}]", "other")), Fields());
  EXPECT_EQ(fields(group("\"b\"", "[{\"name\":1}]", "q")), Fields{"spec.minMember"});
  EXPECT_EQ(fields(group("\"a\"", "[{\"name\":1},{}]", "q")), Fields{"spec.subGroupPolicy[0].name"}) << "items have no names";
  EXPECT_EQ(fields(group("1", "[]", "q")), Fields());
}

TEST(Schemas, AnswersHaveAnEnd) {
  const auto& schema = *schema_of(kind_named("scheduling.volcano.sh", "podgroups"));
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"x\"";
  auto object = json(R"({"spec":{"minTaskMember":{)" + many + R"(},"odd":{)" + many + "}}}");
  EXPECT_EQ(wrong_fields(schema, object).size(), 100U);
  EXPECT_EQ(fields_not_in(schema, json("{" + many + "}")).size(), 100U);
  Tree long_name;
  long_name["spec"]["minTaskMember"][std::string(60'000, 'x')] = json("[]");
  for (int i = 0; i < 50; ++i) long_name["spec"]["minTaskMember"][std::string(60'000, 'y') + std::to_string(i)] = Tree("x");
  EXPECT_EQ(wrong_fields(schema, long_name).size(), 1U);
  auto other = object;
  other["spec"]["minTaskMember"]["0"] = Tree("y");
  EXPECT_EQ(newly_wrong_fields(schema, object, other).size(), 1U);
  shape(schema, object);
  EXPECT_EQ(object.at("spec.odd"), nullptr);
}

// What people write is right, and so is what is written here.
TEST(Schemas, AllowTheManifestsHere) {
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
        if (kind == nullptr || !kind->is_custom) continue;
        ++read;
        for (const auto& cause : wrong_fields(*schema_of(*kind), *object))
          ADD_FAILURE() << entry.path() << ": " << cause.field << ": " << cause.message;
      }
    }
  EXPECT_GT(read, 10U);
}

}  // namespace
}  // namespace muster::sim
