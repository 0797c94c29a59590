#include "policy/kai/domains.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "policy/kai/domain_rooms.h"
#include "support/kai_builders.h"

namespace muster::kai {
namespace {

constexpr auto kDeepest = std::numeric_limits<std::size_t>::max();

struct Place {
  std::string node, zone, rack;
};

Cluster& with_nodes(Cluster& cluster, const std::vector<Place>& places) {
  for (const auto& place : places) {
    auto node = a_kai_node(place.node).label("host", place.node).label("zone", place.zone);
    if (place.rack != "-") node.label("rack", place.rack);
    cluster.apply(Object(node.build()));
  }
  cluster.apply(Object(a_kai_topology("dc", {{"zone", "building"}, {"rack", ""}, {"host", ""}})));
  cluster.refresh({});
  return cluster;
}

std::vector<NodeId> ids_of(const Cluster& cluster, const std::vector<std::string>& names) {
  std::vector<NodeId> ids;
  for (const auto& name : names) ids.push_back(cluster.books().find_node(name));
  return ids;
}

TEST(Domains, ANodeWithoutOneOfTheLabelsIsNoPart) {
  Cluster cluster;
  const auto& tree = with_nodes(cluster, {{"n1", "z1", "r1"}, {"n2", "z1", "-"}}).domain_rooms("dc")->tree();
  EXPECT_EQ(tree[tree.root()].nodes, ids_of(cluster, {"n1"}));
  EXPECT_FALSE(tree.domain_of(cluster.books().find_node("n2"), 1));
  EXPECT_EQ(tree[tree.domain_of(cluster.books().find_node("n1"), 2)].name, "z1.r1");
}

TEST(Domains, LevelsGoByTheirLabelsAndTheRootIsOne) {
  Cluster cluster;
  const auto& tree = with_nodes(cluster, {{"n1", "z1", "r1"}}).domain_rooms("dc")->tree();
  EXPECT_EQ(tree.depth_of("root"), 0u);
  EXPECT_EQ(tree.depth_of("rack"), 2u);
  EXPECT_EQ(tree.depth_of("building"), std::nullopt);  // aliases are resolved before
  EXPECT_EQ(tree.depth_of(""), std::nullopt);
  EXPECT_EQ(cluster.domain_rooms("other"), nullptr);
}

TEST(Domains, WhatNodesHaveInCommon) {
  Cluster cluster;
  const auto& tree =
      with_nodes(
          cluster,
          {{"n1", "z1", "r1"}, {"n2", "z1", "r1"}, {"n3", "z1", "r2"}, {"n4", "z2", "r1"}, {"n5", "z3", ""}, {"n6", "z3", "-"}})
          .domain_rooms("dc")
          ->tree();
  struct Row {
    std::vector<std::string> nodes;
    std::size_t deepest;
    std::string common;
  };
  for (const auto& row : std::vector<Row>{{{"n1"}, kDeepest, "z1.r1.n1"},
                                          {{"n1"}, 2, "z1.r1"},
                                          {{"n1", "n2"}, kDeepest, "z1.r1"},
                                          {{"n1", "n2", "n3"}, kDeepest, "z1"},
                                          {{"n1", "n4"}, kDeepest, "root"},
                                          {{"n2", "n6"}, kDeepest, "z1.r1.n2"},
                                          {{"n5"}, kDeepest, "z3"},
                                          {{"n6"}, kDeepest, "root"},
                                          {{}, kDeepest, "root"}})
    EXPECT_EQ(tree[tree.common(ids_of(cluster, row.nodes), row.deepest)].name, row.common)
        << row.nodes.size() << " " << row.deepest;
}

// ------------------------------------------------------------------------------------------------------- rooms

double naive_free(const Cluster& cluster, std::size_t r, NodeId node) {
  const auto& ledgers = cluster.books().ledgers();
  if (ledgers.allocatable[r][node.index()] == 0) return 0;
  const auto free = static_cast<double>(cluster.books().free_later(ResourceId(r), node));
  return r == cluster.gpu().index() ? free / kWholeGpu : free;
}

std::int64_t naive_takes(const Cluster& cluster, const Domain& domain, const Demand& demand) {
  std::int64_t total = 0;
  for (const auto node : domain.nodes) {
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (std::size_t r = 0; r < demand.largest.size(); ++r) {
      const auto free = naive_free(cluster, r, node);
      if (demand.largest[r] > free) most = 0;
      if (demand.largest[r] > 0) most = std::min(most, static_cast<std::int64_t>(free / demand.largest[r]));
    }
    total += std::max<std::int64_t>(most, 0);
  }
  return total;
}

double naive_ratio(const Cluster& cluster, const Domain& domain, const Demand& demand) {
  double ratio = 0;
  for (std::size_t r = 0; r < demand.sum.size(); ++r) {
    if (demand.sum[r] <= 0 || r == kPodCount.index()) continue;
    double free = 0;
    for (const auto node : domain.nodes) free += naive_free(cluster, r, node);
    ratio = std::max(ratio, free <= 0 ? 1000 : demand.sum[r] / free);
  }
  return ratio;
}

TEST(DomainRooms, FollowTheBooks) {
  Cluster cluster;
  add_open_queue(cluster);
  std::vector<Place> places;
  for (int i = 0; i < 12; ++i)
    places.push_back({"n" + std::to_string(i), "z" + std::to_string(i % 2), "r" + std::to_string(i % 6)});
  a_kai_job("small", 30).gpus(1).apply_to(cluster);
  a_kai_job("large", 10).gpus(3).asks("cpu", "9").apply_to(cluster);
  with_nodes(cluster, places);
  std::vector<PodId> small, large, placed;
  for (int i = 0; i < 30; ++i) small.push_back(cluster.find_pod("ns/small-" + std::to_string(i)));
  for (int i = 0; i < 10; ++i) large.push_back(cluster.find_pod("ns/large-" + std::to_string(i)));
  std::vector<PodId> waiting = small;
  waiting.insert(waiting.end(), large.begin(), large.end());

  std::mt19937 random(7);
  for (int step = 0; step < 300; ++step) {
    const auto node = cluster.nodes_by_name()[random() % cluster.nodes_by_name().size()];
    auto& from = random() % 2 == 0 || placed.empty() ? waiting : placed;
    if (from.empty()) continue;
    std::swap(from[random() % from.size()], from.back());
    const auto pod = from.back();
    from.pop_back();
    if (&from == &waiting) {
      cluster.place(pod, node, random() % 3 == 0 ? Status::kPipelined : Status::kAllocated);
      placed.push_back(pod);
    } else {
      cluster.unplace(pod, cluster.task(pod).places.back().node);
      waiting.push_back(pod);
    }
    auto& rooms = *cluster.domain_rooms("dc");
    for (const auto& tasks : {small, large}) {
      const Demand demand(cluster, tasks);
      const auto view = rooms.view(demand);
      for (const auto domain : IdRange<DomainId>(rooms.tree().size())) {
        ASSERT_EQ(view.takes(domain), naive_takes(cluster, rooms.tree()[domain], demand)) << step;
        ASSERT_DOUBLE_EQ(view.ratio(domain), naive_ratio(cluster, rooms.tree()[domain], demand)) << step;
      }
    }
  }
}

TEST(DomainRooms, UnlikeTasksAreMeasuredByTheirSum) {
  Cluster cluster;
  add_open_queue(cluster);
  a_kai_job("with", 1).gpus(8).apply_to(cluster);
  a_kai_job("without", 1).gpus(0).apply_to(cluster);
  with_nodes(cluster, {{"n1", "z1", "r1"}});
  const std::vector<PodId> both = {cluster.find_pod("ns/with-0"), cluster.find_pod("ns/without-0")};
  const Demand demand(cluster, both);
  EXPECT_FALSE(demand.alike);
  auto& rooms = *cluster.domain_rooms("dc");
  EXPECT_TRUE(rooms.view(demand).fits(rooms.tree().root()));
  EXPECT_EQ(rooms.view(demand).ratio(rooms.tree().root()), 1);
}

}  // namespace
}  // namespace muster::kai
