#include "engine/filters/topology.h"

#include <gtest/gtest.h>

#include "engine/filters/topology_tally.h"
#include "support/books_builder.h"

namespace muster {
namespace {

std::vector<std::size_t> indices(const Bitset& set) {
  std::vector<std::size_t> list;
  set.for_each([&](std::size_t n) { list.push_back(n); });
  return list;
}

struct TopologyTest : testing::Test {
  TestCluster cluster;
  Topology topology{cluster.books};
  TopologyKeyId zone = topology.key("zone");
  TopologyKeyId host = topology.key("host");
  NodeId n0 = cluster.add(a_node("n0").label("zone", "b").label("host", "n0"));
  NodeId n1 = cluster.add(a_node("n1").label("host", "n1"));
  NodeId n2 = cluster.add(a_node("n2").label("zone", "a").label("host", "n2"));
  NodeId n3 = cluster.add(a_node("n3").label("zone", "b"));
};

TEST_F(TopologyTest, DividesNodesByTheValueOfALabel) {
  const auto& zones = topology.domains(zone);
  EXPECT_EQ(zones.count(), 2u);
  EXPECT_FALSE(zones.single);
  EXPECT_EQ(zones.of_node[n0], zones.of_node[n3]);
  EXPECT_NE(zones.of_node[n0], zones.of_node[n2]);
  EXPECT_FALSE(zones.of_node[n1]);
  EXPECT_EQ(indices(zones.labelled), (std::vector<std::size_t>{0, 2, 3}));
  const auto in_b = zones.nodes(zones.of_node[n0]);
  EXPECT_EQ(std::vector(in_b.begin(), in_b.end()), (std::vector{n0, n3}));
  EXPECT_TRUE(topology.domains(host).single);
  EXPECT_EQ(topology.domains(topology.key("rack")).count(), 0u);
}

TEST_F(TopologyTest, FollowsTheNodes) {
  const auto stamp = topology.domains(zone).stamp;
  EXPECT_EQ(topology.domains(zone).stamp, stamp);
  cluster.add(a_node("n1").label("zone", "c"));
  EXPECT_NE(topology.domains(zone).stamp, stamp);
  EXPECT_EQ(topology.domains(zone).count(), 3u);
  cluster.books.remove_node(n2);
  EXPECT_EQ(topology.domains(zone).count(), 2u);
  cluster.books.intern_node("unknown");
  EXPECT_EQ(topology.domains(zone).of_node.size(), 5u);
}

TEST_F(TopologyTest, TalliesSumThingsPerDomain) {
  TopologyTally tally;
  tally.add(topology, n0, 2);
  EXPECT_EQ(tally.total(topology, zone), 2);
  tally.add(topology, n1, 5);
  tally.add(topology, n3, 1);
  EXPECT_EQ(tally.total(topology, zone), 3) << "n1 is in no zone";
  EXPECT_EQ(tally.total(topology, host), 7) << "n3 has no host label";
  Bitset near(4), near_host(4);
  tally.mark_near(topology, zone, near);
  tally.mark_near(topology, host, near_host);
  EXPECT_EQ(indices(near), (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(indices(near_host), (std::vector<std::size_t>{0, 1}));
  std::vector<std::int64_t> points(4), sums;
  tally.add_points(topology, zone, 10, points);
  tally.add_points(topology, host, -1, points);
  EXPECT_EQ(points, (std::vector<std::int64_t>{28, -5, 0, 30}));
  tally.sum_domains(topology, zone, nullptr, sums);
  EXPECT_EQ(sums, (std::vector<std::int64_t>{3, 0}));
  Bitset only(4);
  only.set(3);
  tally.sum_domains(topology, zone, &only, sums);
  EXPECT_EQ(sums, (std::vector<std::int64_t>{1, 0}));

  cluster.add(a_node("n3").label("zone", "a"));
  tally.sum_domains(topology, zone, nullptr, sums);
  EXPECT_EQ(sums, (std::vector<std::int64_t>{2, 1}));
}

TEST(NodeCounts, KeepsNumbersPerNode) {
  NodeCounts counts;
  EXPECT_EQ(counts.at(NodeId(1000)), 0);
  counts.add(NodeId(130), 2);
  counts.add(NodeId(3), 1);
  counts.add(NodeId(130), -1);
  counts.add(NodeId(64), 4);
  counts.add(NodeId(64), -4);
  EXPECT_EQ(counts.at(NodeId(130)), 1);
  EXPECT_EQ(counts.at(NodeId(64)), 0);
  EXPECT_EQ(counts.at(NodeId(65)), 0);
  std::vector<std::pair<std::uint32_t, int>> seen;
  counts.for_each([&](NodeId node, int count) { seen.emplace_back(node.index(), count); });
  EXPECT_EQ(seen, (std::vector<std::pair<std::uint32_t, int>>{{3, 1}, {130, 1}}));
  counts.clear();
  EXPECT_EQ(counts.at(NodeId(3)), 0);
}

}  // namespace
}  // namespace muster
