#include "policy/volcano/plugins/numa_aware.h"

#include <gtest/gtest.h>

#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

// Cycles with the index and with the plain search, which must agree.
class NumaCycles {
 public:
  explicit NumaCycles(Behaviour behaviour = Behaviour::exact())
      : index_(config(), behaviour, {}, SearchKind::kIndex), plain_(config(), behaviour, {}, SearchKind::kReference) {
    add(a_volcano_queue("default"));
  }
  template <class Builder>
  NumaCycles& add(const Builder& builder) {
    index_.add(builder);
    plain_.add(builder);
    return *this;
  }
  NumaCycles& pod(const std::string& name, const char* cpus, const char* policy = "single-numa-node") {
    add(a_pod_group(name).created(++age_));
    return add(a_volcano_pod(name)
                   .group(name)
                   .created(age_)
                   .uses("cpu", cpus)
                   .uses("memory", "1Mi")
                   .annotation("volcano.sh/numa-topology-policy", policy));
  }
  CycleOutcome run() {
    auto outcome = index_.run();
    const auto plain = plain_.run();
    EXPECT_EQ(outcome.binds, plain.binds);
    EXPECT_EQ(outcome.conditions, plain.conditions);
    return outcome;
  }
  void bound_pods_run() {
    index_.bound_pods_run();
    plain_.bound_pods_run();
  }

 private:
  static Config config() { return a_config({an_option("gang"), an_option("predicates"), an_option("numa-aware")}); }
  VolcanoCycles index_;
  VolcanoCycles plain_;
  std::int64_t age_ = 0;
};

auto a_numa_node(const std::string& name) { return a_volcano_node(name).cpu("64").memory("64Gi"); }

TEST(NumaAwareTest, CpusGivenInACycleAreGone) {
  NumaCycles cycles;
  cycles.add(a_numa_node("n1")).add(a_numatopology("n1").policy("single-numa-node").numa_nodes(2, 4));
  for (const auto* name : {"a", "b", "c"}) cycles.pod(name, "3");
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, (Names{{"a", "n1"}, {"b", "n1"}}));
  EXPECT_EQ(outcome.conditions.at("c"),
            "Unschedulable: 1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 minAvailable; Pending: 1 "
            "Unschedulable. Origin reason is c: 0/1 nodes are unavailable: 1 container main cannot be assigned by numa.");
}

TEST(NumaAwareTest, CpusOfBoundPodsAreKeptUntilTheNodeListsAllOfThem) {
  NumaCycles cycles;
  const auto topology = [] { return a_numatopology("n1").policy("single-numa-node").numa_nodes(2, 4); };
  cycles.add(a_numa_node("n1")).add(topology());
  cycles.pod("a", "3").pod("b", "3");
  EXPECT_EQ(cycles.run().binds.size(), 2u);
  cycles.bound_pods_run();
  cycles.pod("c", "3");
  EXPECT_EQ(cycles.run().binds, Names{});
  cycles.add(topology().lists("a").free("4-7"));
  EXPECT_EQ(cycles.run().binds, Names{});  // b is still missing
  cycles.add(topology().lists("a").lists("b").free("4-7"));
  EXPECT_EQ(cycles.run().binds, (Names{{"c", "n1"}}));
}

TEST(NumaAwareTest, FewNumaNodesScoreHigh) {
  NumaCycles cycles;
  cycles.add(a_numa_node("wide")).add(a_numatopology("wide").policy("best-effort").numa_nodes(4, 2));
  cycles.add(a_numa_node("narrow")).add(a_numatopology("narrow").policy("best-effort").numa_nodes(2, 4));
  cycles.pod("p", "4", "best-effort");
  EXPECT_EQ(cycles.run().binds, (Names{{"p", "narrow"}}));
}

TEST(NumaAwareTest, WhatAGangGivesBackIsFree) {
  NumaCycles cycles;
  cycles.add(a_numa_node("n1")).add(a_numatopology("n1").policy("single-numa-node").numa_nodes(1, 4));
  cycles.add(a_pod_group("gang").minimum(2));
  for (const auto* name : {"g0", "g1"})
    cycles.add(a_volcano_pod(name)
                   .group("gang")
                   .uses("cpu", "3")
                   .uses("memory", "1Mi")
                   .annotation("volcano.sh/numa-topology-policy", "single-numa-node"));
  cycles.pod("p", "3");
  EXPECT_EQ(cycles.run().binds, (Names{{"p", "n1"}}));
}

TEST(NumaAwareTest, OthersAreNotAsked) {
  VolcanoWorld world;
  world.add(a_volcano_queue("default")).add(a_numa_node("n1")).add(a_pod_group("p"));
  world.add(a_volcano_pod("p").group("p").cpu("1"));
  NumaAware plugin(world.open(), an_option("numa-aware"));
  plugin.open();
  EXPECT_EQ(plugin.predicate_dependence(world.pod("p")), Dependence::kNothing);
  EXPECT_EQ(plugin.order_dependence(world.pod("p")), Dependence::kNothing);
  EXPECT_EQ(plugin.class_key(world.pod("p")), 0u);
  plugin.close();
}

}  // namespace
}  // namespace muster::volcano
