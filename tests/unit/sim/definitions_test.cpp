// What is built in of the custom resources, against their definitions in deploy/crds.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "sim/bodies.h"
#include "sim/columns.h"
#include "sim/custom_defaults.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

std::vector<Tree> definitions() {
  std::vector<Tree> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MUSTER_SOURCE_DIR "/deploy/crds")) {
    if (entry.path().extension() != ".yaml") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    auto tree = yaml_body(text.str());
    EXPECT_TRUE(tree.has_value()) << entry.path() << ": " << (tree ? "" : tree.error().message);
    if (tree) out.push_back(std::move(*tree));
  }
  return out;
}

const Tree& version_of(const Tree& definition) { return definition.at("spec.versions")->as_list()->front(); }

const Kind* kind_of(const Tree& definition) {
  return find_kind(definition.text_at("spec.group"), version_of(definition).text_at("name"),
                   definition.text_at("spec.names.plural"));
}

std::string short_names_of(const Tree& definition) {
  std::string out;
  if (const auto* names = definition.at("spec.names.shortNames"))
    for (const auto& name : *names->as_list()) out.append(out.empty() ? "" : " ").append(name.scalar_text());
  return out;
}

TEST(Definitions, AreInTheTableOfKinds) {
  EXPECT_EQ(definitions().size(), 9U);
  for (const auto& definition : definitions()) {
    const auto* kind = kind_of(definition);
    const auto name = definition.text_at("metadata.name");
    ASSERT_NE(kind, nullptr) << name;
    EXPECT_EQ(kind->kind, definition.text_at("spec.names.kind"));
    EXPECT_EQ(kind->singular, definition.text_at("spec.names.singular")) << name;
    EXPECT_EQ(kind->short_names, short_names_of(definition)) << name;
    EXPECT_EQ(kind->namespaced, definition.text_at("spec.scope") == "Namespaced") << name;
    EXPECT_EQ(kind->subresources.status, version_of(definition).at("subresources.status") != nullptr) << name;
    EXPECT_TRUE(kind->is_custom) << name;
  }
}

TEST(Definitions, HaveTheirColumns) {
  for (const auto& definition : definitions()) {
    std::string expected = "Name 0 metadata.name";
    const auto* columns = version_of(definition).find("additionalPrinterColumns");
    if (columns == nullptr) expected += ", Age 0 age";
    for (const auto& column : columns == nullptr ? Tree::List() : *columns->as_list()) {
      const auto path = column.text_at("jsonPath").substr(1);
      expected += ", " + std::string(column.text_at("name")) + " " + std::to_string(column.integer_at("priority").value_or(0)) +
                  " " + (path == "metadata.creationTimestamp" ? "age" : std::string(path));
    }
    std::string own;
    for (const auto& column : columns_of(*kind_of(definition)))
      own += (own.empty() ? "" : ", ") + std::string(column.name) + " " + std::to_string(column.priority) + " " +
             (column.cell == nullptr ? std::string(column.path) : "age");
    EXPECT_EQ(own, expected) << definition.text_at("metadata.name");
  }
}

using Defaults = std::map<std::string, std::string>;  // by "queues.scheduling.volcano.sh spec.weight"

void collect_defaults(const Tree& schema, const std::string& path, Defaults& out) {
  if (const auto* value = schema.find("default")) out[path] = value->text();
  if (const auto* properties = schema.find("properties"))
    for (const auto& [name, below] : *properties->as_map())
      collect_defaults(below, path + (path.ends_with(' ') ? "" : ".") + name, out);
  if (const auto* items = schema.find("items")) collect_defaults(*items, path + "[]", out);
  if (const auto* values = schema.find("additionalProperties"); values != nullptr && values->is_map())
    collect_defaults(*values, path + "{}", out);
}

TEST(Definitions, HaveTheirDefaults) {
  Defaults expected;
  for (const auto& definition : definitions())
    collect_defaults(*version_of(definition).at("schema.openAPIV3Schema"), std::string(definition.text_at("metadata.name")) + " ",
                     expected);
  Defaults own;
  for (const auto& one : custom_defaults())
    own[std::string(one.plural) + "." + std::string(one.group) + " " + std::string(one.path)] = one.value;
  EXPECT_EQ(own, expected);
}

TEST(Definitions, DefaultsAreWritten) {
  TestCluster cluster;
  const std::string group = R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":)";
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  const auto queue = cluster.post(queues, group + R"("Queue","metadata":{"name":"q"},"spec":{"weight":null,"parent":"p"}})");
  ASSERT_EQ(queue.status, 201) << queue.message();
  EXPECT_EQ(queue.body.find("spec")->text(), R"({"weight":1,"parent":"p","dequeueStrategy":"traverse"})");
  const auto changed = cluster.merge(queues + "/q", R"({"spec":{"weight":5,"dequeueStrategy":null}})");
  EXPECT_EQ(changed.body.find("spec")->text(), R"({"weight":5,"parent":"p","dequeueStrategy":"traverse"})");
  const auto bare = cluster.post(queues, group + R"("Queue","metadata":{"name":"bare"}})");
  EXPECT_EQ(bare.body.find("spec"), nullptr) << "they make nothing around them";

  const auto pods = cluster.post("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
                                 group + R"("PodGroup","metadata":{"name":"g"},"spec":{"networkTopology":{"highestTierAllowed":1},)"
                                         R"("subGroupPolicy":[{"name":"a","subGroupSize":2},"odd",{"networkTopology":{}}]}})");
  ASSERT_EQ(pods.status, 201) << pods.message();
  EXPECT_EQ(pods.body.find("spec")->text(),
            R"({"networkTopology":{"highestTierAllowed":1,"mode":"hard"},"subGroupPolicy":[)"
            R"({"name":"a","subGroupSize":2,"minSubGroups":0},"odd",)"
            R"({"networkTopology":{"mode":"hard"},"subGroupSize":1,"minSubGroups":0}],"queue":"default"})");
}

// Where there is no status subresource, its status is like everything else.
TEST(Definitions, GenerationsCountWhatIsNoStatusOfItsOwn) {
  TestCluster cluster;
  const std::string path = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";
  ASSERT_EQ(
      cluster.post(path, R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"g"},"spec":{}})")
          .status,
      201);
  EXPECT_EQ(cluster.merge(path + "/g", R"({"metadata":{"labels":{"a":"b"}}})").body.integer_at("metadata.generation"), 1);
  EXPECT_EQ(cluster.merge(path + "/g", R"({"status":{"phase":"Running"}})").body.integer_at("metadata.generation"), 2);
}

}  // namespace
}  // namespace muster::sim
