#include "policy/volcano/plugins/network_topology_aware.h"

#include <gtest/gtest.h>

#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

using Names = std::vector<std::vector<std::string>>;

// Two racks of two nodes each below a spine; a third node pair is in no rack.
class NetworkTopologyAwareTest : public testing::Test {
 protected:
  NetworkTopologyAwareTest() {
    for (const char* name : {"a1", "a2", "b1", "b2", "x1"}) world.add(a_volcano_node(name).cpu("10").memory("10Gi"));
    world.add(a_volcano_queue("default"));
    world.add(a_hyper_node("a", 1).node("a1").node("a2")).add(a_hyper_node("b", 1).node("b1").node("b2"));
    world.add(a_hyper_node("spine", 2).child("a").child("b"));
  }
  NetworkTopologyAware& open(PluginOption option = an_option("network-topology-aware")) {
    world.open();
    plugin.emplace(world.session(), option);
    plugin->open();
    return *plugin;
  }
  Names names(const Gradients& rows) {
    Names out;
    for (const auto& row : rows) {
      out.emplace_back();
      for (const auto domain : row) out.back().push_back(world.session().hyper_tree().name(domain));
    }
    return out;
  }
  Names gradients(Purpose purpose = Purpose::kAllocate) {
    return names(plugin->gradients(world.job("job"), HyperTree::root(), purpose));
  }
  HyperNodeId id(const std::string& name) { return world.session().hyper_tree().find(name); }
  SubJob& sub_job() { return world.job("job").sub_jobs->all()[0]; }
  std::vector<double> domain_scores(const std::vector<std::string>& domains) {
    std::vector<HyperNodeId> ids;
    for (const auto& name : domains) ids.push_back(id(name));
    std::vector<double> totals(ids.size(), 0);
    plugin->add_hyper_node_order(sub_job(), ids, totals);
    return totals;
  }

  VolcanoWorld world;
  std::optional<NetworkTopologyAware> plugin;
};

TEST_F(NetworkTopologyAwareTest, NarrowDomainsComeFirstUpToTheHighestTier) {
  world.add(a_pod_group("job").within(2).needs("cpu", "15")).add(a_volcano_pod("p").group("job").cpu("1"));
  open();
  EXPECT_EQ(gradients(), (Names{{"a", "b"}, {"spine"}}));
  world.add(a_pod_group("job").close());
  open();
  EXPECT_EQ(gradients(), (Names{{"a", "b"}, {"spine"}, {"<cluster-top-hypernode>"}}));
}

TEST_F(NetworkTopologyAwareTest, DomainsThatAreTooSmallAreLeftOut) {
  world.add(a_pod_group("job").within(2).needs("cpu", "15")).add(a_volcano_pod("p").group("job").cpu("1"));
  world.add(a_volcano_pod("old").cpu("8").on("a1"));
  open();
  EXPECT_EQ(gradients(), (Names{{"b"}, {"spine"}}));
}

TEST_F(NetworkTopologyAwareTest, WhatWillBeFreeCounts) {
  world.add(a_pod_group("job").within(1).needs("cpu", "15")).add(a_volcano_pod("p").group("job").cpu("1"));
  world.add(a_volcano_pod("old").cpu("8").on("a1").terminating());
  open();
  EXPECT_EQ(gradients(), (Names{{"a", "b"}}));
}

TEST_F(NetworkTopologyAwareTest, WhereAJobRunsAlreadyItStays) {
  world.add(a_pod_group("job").within(1).needs("cpu", "99"));
  world.add(a_volcano_pod("p").group("job").cpu("1")).add(a_volcano_pod("old").group("job").cpu("1").on("b1"));
  open();
  EXPECT_EQ(gradients(), (Names{{"b"}}));
  world.job("job").sub_jobs->allocated = id("spine");  // wider than allowed
  EXPECT_EQ(gradients(), (Names{}));
}

TEST_F(NetworkTopologyAwareTest, EvictionLooksAtWideDomainsFirstAndAtAFew) {
  world.add(a_pod_group("job").within(2)).add(a_volcano_pod("p").group("job").cpu("1"));
  world.add(a_volcano_pod("old").cpu("9").on("a1"));
  open();
  EXPECT_EQ(gradients(Purpose::kEvict), (Names{{"spine"}, {"a", "b"}}));
  open(an_option("network-topology-aware", {{"hypernode.gradient.evict.max-hypernodes", value_of(2)}}));
  EXPECT_EQ(gradients(Purpose::kEvict), (Names{{"spine"}, {"b"}}));
}

TEST_F(NetworkTopologyAwareTest, WithoutAHardTierTheGivenDomainIsTheOnlyOne) {
  world.add(a_pod_group("job").within("room")).add(a_volcano_pod("p").group("job").cpu("1"));
  open();
  EXPECT_EQ(gradients(), (Names{{"<cluster-top-hypernode>"}}));
}

TEST_F(NetworkTopologyAwareTest, FullDomainsScoreHigher) {
  world.add(a_pod_group("job").within(1)).add(a_volcano_pod("p").group("job").cpu("5"));
  world.add(a_volcano_pod("old").cpu("10").on("b1"));
  open();
  EXPECT_EQ(domain_scores({"a", "b"}), (std::vector<double>{25, 75}));
  open(an_option("network-topology-aware", {{"weight", value_of(2)}}));
  EXPECT_EQ(domain_scores({"a", "b"}), (std::vector<double>{50, 150}));
}

TEST_F(NetworkTopologyAwareTest, MoreThanADomainHasScoresNothing) {
  world.add(a_pod_group("job").within(1)).add(a_volcano_pod("p").group("job").cpu("12"));
  world.add(a_volcano_pod("old").cpu("10").on("b1"));
  open();
  EXPECT_EQ(domain_scores({"a", "b"}), (std::vector<double>{60, 0}));
}

TEST_F(NetworkTopologyAwareTest, EqualDomainsAreToldApartByTheSubJobsPods) {
  world.add(a_pod_group("job").within(2));
  world.add(a_volcano_pod("p").group("job").cpu("1")).add(a_volcano_pod("q").group("job").cpu("1").on("b1"));
  world.add(a_volcano_pod("old").cpu("1").on("a1"));
  open();
  EXPECT_EQ(domain_scores({"a", "b"}), (std::vector<double>{15, 65}));
}

TEST_F(NetworkTopologyAwareTest, PlacementsOfTheCycleCountAndComeBack) {
  world.add(a_pod_group("job").within(1)).add(a_volcano_pod("p").group("job").cpu("4"));
  open();
  const auto before = domain_scores({"a", "b"});
  world.allocate(*plugin, "p", "a1");
  EXPECT_EQ(domain_scores({"a", "b"}), (std::vector<double>{40, 20}));
  world.take_back(*plugin, "p");
  EXPECT_EQ(domain_scores({"a", "b"}), before);
}

TEST_F(NetworkTopologyAwareTest, NodesCloseToTheSubJobsPodsScoreHigher) {
  world.add(a_pod_group("job").within(2)).add(a_volcano_pod("p").group("job").cpu("1"));
  open();
  EXPECT_EQ(world.scores(*plugin, "p"), (std::vector<double>{0, 0, 0, 0, 0}));  // nobody is anywhere yet
  sub_job().placing_at = id("b");
  EXPECT_EQ(world.scores(*plugin, "p"), (std::vector<double>{50, 50, 100, 100, 0}));
  sub_job().placing_at = HyperNodeId();
}

TEST_F(NetworkTopologyAwareTest, OtherPodsArePackedIntoFullDomains) {
  world.add(a_pod_group("job")).add(a_volcano_pod("p").group("job").cpu("2")).add(a_volcano_pod("old").cpu("6").on("b1"));
  open(an_option("network-topology-aware", {{"hypernode.binpack.normal-pod.fading", value_of(0)}}));
  // Only the lowest tier counts: (0+2)/20 and (6+2)/20, and 1 for a node that is in no domain.
  EXPECT_EQ(world.scores(*plugin, "p"), (std::vector<double>{10, 10, 40, 40, 100}));
  open(an_option("network-topology-aware", {{"hypernode.binpack.normal-pod.enable", value_of(false)}}));
  EXPECT_EQ(world.scores(*plugin, "p"), (std::vector<double>{0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace muster::volcano
