#include "policy/volcano/plugins/nodegroup.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

constexpr const char* kLabel = "volcano.sh/nodegroup-name";
constexpr const char* kLimits = "volcano.sh/nodegroup-resource-limits";
constexpr const char* kNoLabel = "node group label not found";
constexpr const char* kNoAffinity = "node group affinity not specified";
constexpr const char* kUnsatisfied = "node does not satisfy the node group affinity";
constexpr const char* kExceeded = "node group resource limit exceeded";
constexpr const char* kInvalid = "node group resource limit annotation invalid";

// Nodes n1, n2, n3 of the groups g1, g2, g3, and one without a group; every queue has a pod of its name.
class NodeGroupTest : public testing::Test {
 protected:
  NodeGroupTest() {
    for (const char* group : {"1", "2", "3"})
      world.add(a_volcano_node("n" + std::string(group)).cpu("16").memory("16Gi").label(kLabel, "g" + std::string(group)));
    world.add(a_volcano_node("bare").cpu("16").memory("16Gi"));
  }
  void add(const VolcanoQueueBuilder& queue) {
    const auto& name = queue.object().meta.name;
    world.add(queue);
    world.add(a_pod_group("job-" + name).queue(name));
    world.add(a_volcano_pod(name).group("job-" + name).cpu("2").memory("1Gi"));
  }
  NodeGroup& open(PluginOption option = an_option("nodegroup")) {
    plugin.emplace(world.open(), option);
    plugin->open();
    return *plugin;
  }
  std::vector<std::string> refusals(const std::string& pod) {
    std::vector<std::string> all;
    for (const char* node : {"n1", "n2", "n3", "bare"}) all.push_back(world.refusal(*plugin, pod, node));
    return all;
  }
  using Texts = std::vector<std::string>;
  using Scores = std::vector<double>;

  VolcanoWorld world;
  std::optional<NodeGroup> plugin;
};

TEST_F(NodeGroupTest, AQueueWithoutAffinityMayUseNothing) {
  add(a_volcano_queue("plain"));
  add(a_volcano_queue("empty").affinity({}));
  open();
  for (const char* pod : {"plain", "empty"})
    EXPECT_EQ(refusals(pod), (Texts{kNoAffinity, kNoAffinity, kNoAffinity, kNoLabel})) << pod;
  EXPECT_EQ(world.scores(*plugin, "plain"), (Scores{0, 0, 0, 0}));
  EXPECT_EQ(plugin->order_dependence(world.pod("plain")), Dependence::kNothing);
}

TEST_F(NodeGroupTest, WithoutStrictnessItMayUseNodesWithoutAGroup) {
  add(a_volcano_queue("plain"));
  add(a_volcano_queue("picky").affinity({{"g1"}, {}}));
  open(an_option("nodegroup", {{"strict", value_of(false)}}));
  EXPECT_EQ(refusals("plain"), (Texts{kNoAffinity, kNoAffinity, kNoAffinity, ""}));
  EXPECT_EQ(refusals("picky"), (Texts{"", kUnsatisfied, kUnsatisfied, kNoLabel}));
}

TEST_F(NodeGroupTest, RequiredAndPreferredGroupsAreAllowedAndScore) {
  add(a_volcano_queue("q").affinity({{"g1"}, {"g1", "g2"}}));
  open();
  EXPECT_EQ(refusals("q"), (Texts{"", "", kUnsatisfied, kNoLabel}));
  EXPECT_EQ(world.scores(*plugin, "q"), (Scores{150, 50, 0, 0}));
}

TEST_F(NodeGroupTest, AntiAffinityOverrulesAffinityAndTheSoftOneTheHardOne) {
  add(a_volcano_queue("q").affinity({{"g1", "g2", "g3"}, {}}).anti_affinity({{"g1", "g2"}, {"g2", "g3"}}));
  add(a_volcano_queue("only-anti").anti_affinity({{"g1"}, {"g2"}}));
  open();
  EXPECT_EQ(refusals("q"), (Texts{kUnsatisfied, "", "", kNoLabel}));
  EXPECT_EQ(world.scores(*plugin, "q"), (Scores{100, -1, -1, 0}));
  EXPECT_EQ(refusals("only-anti"), (Texts{kUnsatisfied, "", kUnsatisfied, kNoLabel}));
}

TEST_F(NodeGroupTest, PreferredGroupsCanScoreByTheirPlace) {
  add(a_volcano_queue("q").affinity({{}, {"g2", "g3", "g1"}}));
  add(a_volcano_queue("twice").affinity({{}, {"g1", "g2", "g1"}}));
  open(an_option("nodegroup", {{"enablePreferredOrder", value_of("true")}}));
  EXPECT_EQ(world.scores(*plugin, "q"), (Scores{50.0 * 1 / 3, 50, 50.0 * 2 / 3, 0}));
  EXPECT_EQ(world.scores(*plugin, "twice"), (Scores{0, 25, 0, 0}));
}

TEST_F(NodeGroupTest, AffinityIsInheritedOnlyWithAHierarchy) {
  add(a_volcano_queue("root"));
  add(a_volcano_queue("top").affinity({{"g1"}, {}}));
  add(a_volcano_queue("middle").parent("top"));
  add(a_volcano_queue("leaf").parent("middle"));
  add(a_volcano_queue("own").parent("top").affinity({}));
  add(a_volcano_queue("orphan").parent("nobody"));
  add(a_volcano_queue("circle-a").parent("circle-b"));
  add(a_volcano_queue("circle-b").parent("circle-a"));
  open();
  EXPECT_EQ(world.refusal(*plugin, "leaf", "n1"), kNoAffinity);

  auto option = an_option("nodegroup");
  option.set(Hook::kHierarchy, true);
  world.config().tiers = {Tier{{option}}};
  open(option);
  EXPECT_EQ(world.refusal(*plugin, "leaf", "n1"), "");
  EXPECT_EQ(world.refusal(*plugin, "leaf", "n2"), kUnsatisfied);
  for (const char* pod : {"root", "own", "orphan", "circle-a"}) EXPECT_EQ(world.refusal(*plugin, pod, "n1"), kNoAffinity) << pod;
}

TEST_F(NodeGroupTest, LimitsCountWhatTheQueueHoldsOfAGroup) {
  add(a_volcano_queue("q").affinity({{"g1", "g2"}, {}}).annotation(kLimits, R"({"g1":{"cpu":"5","memory":"16Gi"},"g3":null})"));
  add(a_volcano_queue("other").affinity({{"g1"}, {}}));
  world.add(a_volcano_pod("held").group("job-q").cpu("2").on("n1"));
  world.add(a_volcano_pod("going").group("job-q").cpu("8").on("n1").terminating());
  world.add(a_volcano_pod("foreign").group("job-other").cpu("8").on("n1"));
  world.add(a_volcano_pod("next").group("job-q").cpu("1"));
  open();
  const auto pod = world.pod("q");
  EXPECT_EQ(plugin->predicate_dependence(pod), Dependence::kOthers);
  EXPECT_EQ(plugin->predicate_dependence(world.pod("other")), Dependence::kNode);
  EXPECT_EQ(refusals("q"), (Texts{"", "", kUnsatisfied, kNoLabel}));
  EXPECT_EQ(world.left_by_others(*plugin, "q").size(), 4u);

  world.allocate(*plugin, "next", "n1", PodState::kPipelined);  // 3 cores held: 2 more fill the limit exactly
  EXPECT_EQ(world.refusal(*plugin, "q", "n1"), "");
  world.allocate(*plugin, "q", "n1");
  world.add(a_volcano_pod("late").group("job-q").memory("1Gi"));
  EXPECT_EQ(world.refusal(*plugin, "late", "n1"), "");
  world.add(a_volcano_pod("later").group("job-q").cpu("1m"));
  EXPECT_EQ(world.refusal(*plugin, "later", "n1"), kExceeded);
  EXPECT_EQ(world.refusal(*plugin, "later", "n1", Dependence::kNode), "");
  EXPECT_EQ(world.refusal(*plugin, "later", "n2"), "");
  EXPECT_EQ(world.left_by_others(*plugin, "later"), (Texts{"n2", "n3", "bare"}));

  world.take_back(*plugin, "q");
  EXPECT_EQ(world.refusal(*plugin, "later", "n1"), "");
}

TEST_F(NodeGroupTest, AnUnreadableLimitClosesEveryNode) {
  int index = 0;
  for (const char* text : {"{", "[]", R"({"g1":3})", R"({"g1":{"cpu":"much"}})", R"({"g1":{"cpu":true}})", R"({"g1":{"cpu":""}})"})
    add(a_volcano_queue("bad-" + std::to_string(index++)).affinity({{"g1"}, {}}).annotation(kLimits, text));
  add(a_volcano_queue("good").affinity({{"g1"}, {}}).annotation(kLimits, R"( {"g1":{"cpu": 1e3, "memory":" 4Gi ","pods":null}} )"));
  add(a_volcano_queue("null").affinity({{"g1"}, {}}).annotation(kLimits, "null"));
  open();
  for (int i = 0; i < index; ++i)
    EXPECT_EQ(refusals("bad-" + std::to_string(i)), (Texts{kInvalid, kInvalid, kInvalid, kInvalid})) << i;
  EXPECT_EQ(world.refusal(*plugin, "good", "n1"), kExceeded);  // no pods at all
  EXPECT_EQ(world.refusal(*plugin, "null", "n1"), "");
}

TEST_F(NodeGroupTest, ClassesFollowWhatQueuesSayNotTheirNames) {
  add(a_volcano_queue("a").affinity({{"g1"}, {"g2"}}));
  add(a_volcano_queue("b").affinity({{"g1"}, {"g2"}}));
  add(a_volcano_queue("c").affinity({{"g1"}, {"g3"}}));
  add(a_volcano_queue("d").affinity({{"g1"}, {"g2"}}).annotation(kLimits, "?"));
  add(a_volcano_queue("plain"));
  open();
  const auto key = [&](const char* pod) { return plugin->class_key(world.pod(pod)); };
  EXPECT_EQ(key("a"), key("b"));
  EXPECT_NE(key("a"), key("c"));
  EXPECT_NE(key("a"), key("d"));
  EXPECT_EQ(key("plain"), 0u);

  world.add(a_volcano_queue("a").affinity({{"g1"}, {"g3"}}));
  const auto before = key("a");
  open();
  EXPECT_NE(key("a"), before);
  EXPECT_EQ(key("a"), key("c"));
}

}  // namespace
}  // namespace muster::volcano
