// Which of Kubernetes' filters are asked, what they say in the original's words, and what is remembered.

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

class PredicatesTest : public testing::Test {
 protected:
  void open(std::vector<std::pair<std::string, Value>> arguments = {}) {
    cycles.emplace(a_config({an_option("gang"), an_option("predicates", std::move(arguments))}));
    cycles->add(a_volcano_queue("default")).add(a_pod_group("job"));
  }
  void add_tainted(const std::string& name) {
    auto node = a_volcano_node(name).cpu("8").object();
    node.taints.push_back({"team", "x", TaintEffect::kNoSchedule});
    cycles->add_object(node);
  }
  std::string why(const CycleOutcome& outcome, const std::string& pod = "p") { return outcome.pod_conditions.at(pod); }

  std::optional<VolcanoCycles> cycles;
};

TEST_F(PredicatesTest, RefusalsAreCountedByReason) {
  open();
  add_tainted("n1"), add_tainted("n2");
  auto cordoned = a_volcano_node("n3").cpu("8").object();
  cordoned.unschedulable = true;
  cycles->add_object(cordoned);
  cycles->add(a_volcano_node("n4").cpu("8").has("pods", "0")).add(a_volcano_node("n5").cpu("1"));
  cycles->add(a_volcano_pod("p").group("job").cpu("2"));
  EXPECT_EQ(why(cycles->run()),
            "Unschedulable: 0/5 nodes are unavailable: 1 Insufficient cpu, 1 Insufficient pods, 1 node(s) were unschedulable, 2 "
            "node(s) had untolerated taint(s).");
}

TEST_F(PredicatesTest, ASwitchedOffFilterIsNotAsked) {
  open({{"predicate.TaintTolerationEnable", value_of(false)}});
  add_tainted("n1");
  cycles->add(a_volcano_pod("p").group("job").cpu("2"));
  EXPECT_EQ(cycles->run().binds.at("p"), "n1");
}

TEST_F(PredicatesTest, PlacedPodsAreSeenByThoseThatFollow) {
  open();
  cycles->add(a_volcano_node("n1").cpu("8")).add(a_volcano_node("n2").cpu("8"));
  for (const char* name : {"j-w-0", "j-w-1", "j-w-2"}) {
    auto pod = a_volcano_pod(name).group("job").cpu("1").object();
    pod.spec.containers.front().ports.push_back({8080, "", "TCP"});
    cycles->add_object(pod);
  }
  const auto outcome = cycles->run();
  EXPECT_EQ(outcome.binds, (Names{{"j-w-0", "n1"}, {"j-w-1", "n2"}}));
  EXPECT_EQ(why(outcome, "j-w-2"),
            "Unschedulable: 0/2 nodes are unavailable: 2 node(s) didn't have free ports for the requested pod ports.");
}

TEST_F(PredicatesTest, WhatFitsNowhereIsSaidOfEveryNode) {
  open();
  cycles->add(a_volcano_node("n1").cpu("8")).add(a_volcano_node("n2").cpu("8"));
  auto pod = a_volcano_pod("p").group("job").cpu("1").object();
  pod.spec.affinity.node_required = NodeSelector{{{{}, {{"metadata.name", SelectorOp::kIn, {"elsewhere"}}}}}};
  cycles->add_object(pod);
  EXPECT_EQ(cycles->run().binds, Names{});
}

// Pods of one template ask the stable filters once; later ones only learn that somebody was refused before.
TEST_F(PredicatesTest, RefusalsOfATemplateAreRememberedWithoutTheirReason) {
  open({{"predicate.CacheEnable", value_of(true)}});
  add_tainted("n1");
  cycles->add(a_pod_group("second").created(9));
  cycles->add(a_volcano_pod("a").group("job").cpu("1").annotation("volcano.sh/template-uid", "t"));
  cycles->add(a_volcano_pod("b").group("second").cpu("1").annotation("volcano.sh/template-uid", "t"));
  const auto outcome = cycles->run();
  EXPECT_EQ(outcome.binds, Names{});
  EXPECT_EQ(why(outcome, "b"), "Unschedulable: 0/1 nodes are unavailable: 1 plugin equivalence cache predicates failed.");
}

}  // namespace
}  // namespace muster::volcano
