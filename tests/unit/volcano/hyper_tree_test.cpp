#include "policy/volcano/hyper_tree.h"

#include <gtest/gtest.h>

#include "policy/volcano/hyper_sums.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

class HyperTreeTest : public testing::Test {
 protected:
  HyperTreeTest() {
    for (const char* name : {"n1", "n2", "n3", "n4"})
      world.add(a_volcano_node(name).cpu("8").label("rack", name[1] < '3' ? "a" : "b"));
    world.add(a_volcano_queue("default"));
  }
  const HyperTree& tree() {
    world.cluster().refresh();
    return world.cluster().hyper_tree();
  }
  HyperNodeId id(const std::string& name) { return tree().find(name); }
  std::vector<std::string> nodes(const std::string& domain) {
    std::vector<std::string> names;
    for (const auto node : tree().nodes(id(domain))) names.push_back(world.cluster().books().node(node).name);
    return names;
  }
  using Names = std::vector<std::string>;

  VolcanoWorld world;
};

TEST_F(HyperTreeTest, WithoutHyperNodesThereIsOnlyTheRoot) {
  EXPECT_TRUE(tree().bare());
  EXPECT_TRUE(tree().ready());
  EXPECT_EQ(tree().tier(HyperTree::root()), 1);
  EXPECT_EQ(tree().nodes(HyperTree::root()).size(), 4u);
  EXPECT_EQ(tree().lowest(world.node("n1")), HyperTree::root());
}

TEST_F(HyperTreeTest, MembersAreNamedMatchedOrLabelled) {
  world.add(a_hyper_node("exact", 1).node("n1").node("n9"));
  world.add(a_hyper_node("pattern", 1).nodes_matching("^n[23]$"));
  world.add(a_hyper_node("label", 1).nodes_labelled("rack", "b"));
  world.add(a_hyper_node("broken", 1).nodes_matching("n[").node("n4"));
  EXPECT_EQ(nodes("exact"), (Names{"n1"}));
  EXPECT_EQ(nodes("pattern"), (Names{"n2", "n3"}));
  EXPECT_EQ(nodes("label"), (Names{"n3", "n4"}));
  EXPECT_EQ(nodes("broken"), (Names{"n4"}));
}

TEST_F(HyperTreeTest, ParentsHoldTheNodesOfTheirChildren) {
  world.add(a_hyper_node("spine", 2).child("a").child("b"));
  world.add(a_hyper_node("a", 1).node("n1").node("n2")).add(a_hyper_node("b", 1).node("n3"));
  EXPECT_EQ(nodes("spine"), (Names{"n1", "n2", "n3"}));
  EXPECT_EQ(tree().parent(id("a")), id("spine"));
  EXPECT_EQ(tree().parent(id("spine")), HyperTree::root());
  EXPECT_EQ(tree().tiers(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(tree().holders(world.node("n1")), (std::vector<HyperNodeId>{id("a"), id("spine"), HyperTree::root()}));
  EXPECT_EQ(tree().lowest(world.node("n4")), HyperNodeId());
}

TEST_F(HyperTreeTest, TheLowestCommonDomain) {
  world.add(a_hyper_node("spine", 2).child("a").child("b"));
  world.add(a_hyper_node("a", 1).node("n1")).add(a_hyper_node("b", 1).node("n3")).add(a_hyper_node("c", 1).node("n4"));
  EXPECT_EQ(tree().common(id("a"), id("b")), id("spine"));
  EXPECT_EQ(tree().common(id("a"), id("spine")), id("spine"));
  EXPECT_EQ(tree().common(id("a"), id("c")), HyperTree::root());
  EXPECT_EQ(tree().common(id("a"), HyperNodeId()), id("a"));
  EXPECT_EQ(tree().common(HyperNodeId(), id("b")), id("b"));
}

TEST_F(HyperTreeTest, ChildrenThatDoNotExistYetAreEmptyDomains) {
  world.add(a_hyper_node("spine", 2).child("later"));
  EXPECT_TRUE(tree().exists(id("later")));
  EXPECT_TRUE(nodes("later").empty());
  world.add(a_hyper_node("later", 1).node("n2"));
  EXPECT_EQ(nodes("spine"), (Names{"n2"}));
}

TEST_F(HyperTreeTest, ContradictionsMakeItUnready) {
  struct Case {
    std::string what;
    std::vector<HyperNodeBuilder> objects;
  };
  const Case cases[] = {
      {"two parents", {a_hyper_node("p", 2).child("c"), a_hyper_node("q", 2).child("c"), a_hyper_node("c", 1).node("n1")}},
      {"a cycle", {a_hyper_node("p", 2).child("q"), a_hyper_node("q", 2).child("p")}},
      {"itself", {a_hyper_node("p", 2).child("p")}},
      {"a long cycle", {a_hyper_node("p", 1).child("q"), a_hyper_node("q", 2).child("r"), a_hyper_node("r", 3).child("p")}},
  };
  for (const auto& c : cases) {
    VolcanoWorld other;
    other.add(a_volcano_node("n1").cpu("1"));
    for (const auto& object : c.objects) other.add(object);
    other.cluster().refresh();
    EXPECT_FALSE(other.cluster().hyper_tree().ready()) << c.what;
  }
}

TEST_F(HyperTreeTest, ItIsWorkedOutAnewOnlyWhenSomethingChanged) {
  world.add(a_hyper_node("b", 1).nodes_labelled("rack", "b"));
  const auto version = tree().version();
  EXPECT_EQ(tree().version(), version);
  world.add(a_volcano_node("n5").cpu("8").label("rack", "b"));
  EXPECT_EQ(nodes("b"), (Names{"n3", "n4", "n5"}));
  EXPECT_NE(tree().version(), version);
}

TEST_F(HyperTreeTest, TiersHaveNames) {
  world.add(a_hyper_node("a", 1).tier_name("rack").node("n1")).add(a_hyper_node("s", 2).tier_name("row").child("a"));
  EXPECT_EQ(tree().tier_named("row"), 2);
  EXPECT_EQ(tree().tier_named("room"), std::nullopt);
}

TEST_F(HyperTreeTest, SumsFollowTheNodes) {
  world.add(a_hyper_node("a", 1).node("n1").node("n2")).add(a_hyper_node("b", 1).node("n3"));
  world.add(a_pod_group("job")).add(a_volcano_pod("p").group("job").cpu("3").on("n1"));
  auto& sums = world.cluster().hyper_sums();
  sums.update(world.cluster().books(), tree());
  EXPECT_EQ(sums.get(HyperSums::Of::kAllocatable, id("a"), kCpu), 16000);
  EXPECT_EQ(sums.get(HyperSums::Of::kIdle, id("a"), kCpu), 13000);
  EXPECT_EQ(sums.get(HyperSums::Of::kUsed, HyperTree::root(), kCpu), 3000);
  world.add(a_volcano_pod("q").group("job").cpu("2").on("n3").terminating());
  sums.update(world.cluster().books(), tree());
  EXPECT_EQ(sums.get(HyperSums::Of::kIdle, id("b"), kCpu), 6000);
  EXPECT_EQ(sums.get(HyperSums::Of::kLater, id("b"), kCpu), 8000);
  Amounts need;
  need.set(kCpu, 7000);
  EXPECT_FALSE(sums.covers(HyperSums::Of::kIdle, id("b"), need));
  EXPECT_TRUE(sums.covers(HyperSums::Of::kLater, id("b"), need));
}

}  // namespace
}  // namespace muster::volcano
