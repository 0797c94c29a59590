// What is built in of the custom resources, against their definitions.

#include <algorithm>
#include <gtest/gtest.h>

#include "sim/bodies.h"
#include "sim/columns.h"
#include "sim/definition_files.h"
#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

std::vector<Tree> definitions() {
  std::vector<Tree> out;
  for (const auto& file : definition_files()) {
    auto tree = yaml_body(file.text);
    EXPECT_TRUE(tree.has_value()) << file.path << ": " << (tree ? "" : tree.error().message);
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
  EXPECT_EQ(definitions().size(), static_cast<std::size_t>(std::count_if(kinds().begin(), kinds().end(),
                                                                         [](const Kind& kind) { return kind.is_custom; })));
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
                                         R"("subGroupPolicy":[{"name":"a","subGroupSize":2},{"networkTopology":{}}]}})");
  ASSERT_EQ(pods.status, 201) << pods.message();
  EXPECT_EQ(pods.body.find("spec")->text(),
            R"({"networkTopology":{"highestTierAllowed":1,"mode":"hard"},"subGroupPolicy":[)"
            R"({"name":"a","subGroupSize":2,"minSubGroups":0},)"
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
