#include "policy/kai/plugins/topology.h"

#include <gtest/gtest.h>
#include <map>

#include "support/kai_builders.h"

namespace muster::kai {
namespace {

// Two zones of two racks of two nodes each, named after their places: "z1r1a".
class TopologyTest : public ::testing::Test {
 protected:
  TopologyTest() {
    add_open_queue(*cluster_);
    for (const std::string zone : {"z1", "z2"})
      for (const std::string rack : {"r1", "r2"})
        for (const std::string node : {"a", "b"}) add_node(zone, rack, zone + rack + node);
    cluster_->apply(Object(a_kai_topology("dc", {{"zone", "building"}, {"rack", ""}, {"host", ""}})));
  }
  void add_node(const std::string& zone, const std::string& rack, const std::string& name) {
    cluster_->apply(Object(a_kai_node(name).label("zone", zone).label("rack", zone + rack).label("host", name).build()));
  }
  void add(const KaiJobBuilder& job) { job.apply_to(*cluster_); }
  // Pods and the nodes that they were bound to.
  std::map<std::string, std::string> run() {
    struct Observer final : CycleObserver {
      std::map<std::string, std::string> binds;
      void closed(Session& session) override {
        for (const auto& decision : session.outbox())
          if (decision.kind == Decision::Kind::kBind)
            binds[session.books().pod(decision.pod).name] = session.books().node(decision.node).name;
      }
    };
    scheduler_.emplace(std::move(cluster_), default_config(), SearchKind::kIndex);
    Observer observer;
    scheduler_->run_cycle({}, observer);
    return observer.binds;
  }
  std::vector<std::string> reasons(const std::string& job) {
    std::vector<std::string> codes;
    for (const auto id : scheduler_->cluster().all_jobs())
      if (scheduler_->cluster().job(id).name == job && !scheduler_->cluster().job(id).conditions.empty())
        for (const auto& reason : scheduler_->cluster().job(id).conditions.back().reasons) codes.push_back(reason.code);
    return codes;
  }
  static std::map<std::string, int> count_by(const std::map<std::string, std::string>& binds, std::size_t letters) {
    std::map<std::string, int> counts;
    for (const auto& [pod, node] : binds) ++counts[node.substr(0, letters)];
    return counts;
  }
  using Counts = std::map<std::string, int>;

  std::unique_ptr<Cluster> cluster_ = std::make_unique<Cluster>();
  std::optional<Scheduler> scheduler_;
};

TEST_F(TopologyTest, ARequiredLevelIsTheFullestDomainWithRoom) {
  add(a_kai_job("old", 3).gpus(4).running_on({"z1r1a", "z2r1a", "z2r1a"}));
  add(a_kai_job("new", 3).gpus(4).within("dc", "rack"));
  EXPECT_EQ(count_by(run(), 4), (Counts{{"z2r2", 3}}));  // of the fuller zone, in which the fuller rack has too little for three
}

TEST_F(TopologyTest, AnAliasStandsForItsLevel) {
  add(a_kai_job("new", 8).gpus(4).within("dc", "building"));
  EXPECT_EQ(count_by(run(), 2), (Counts{{"z1", 8}}));
}

TEST_F(TopologyTest, APreferredLevelGivesWayUpToTheRequiredOne) {
  add(a_kai_job("new", 5).gpus(4).within("dc", "zone", "rack"));
  EXPECT_EQ(count_by(run(), 2), (Counts{{"z1", 5}}));
}

TEST_F(TopologyTest, AWiderDomainIsFilledFromItsEmptiestPart) {
  add(a_kai_job("old", 1).gpus(4).running_on({"z1r1a"}));
  add(a_kai_job("new", 5).gpus(4).within("dc", "zone", "rack"));
  EXPECT_EQ(count_by(run(), 4), (Counts{{"z1r1", 1}, {"z1r2", 4}}));
}

TEST_F(TopologyTest, AJobStaysWhereItIs) {
  add(a_kai_job("new", 3).min_member(1).gpus(4).within("dc", "rack").running_on({"z2r2a"}));
  EXPECT_EQ(count_by(run(), 4), (Counts{{"z2r2", 2}}));
}

TEST_F(TopologyTest, WhatDoesNotFitIsToldDomainByDomain) {
  add(a_kai_job("new", 5).gpus(4).within("dc", "rack"));
  EXPECT_TRUE(run().empty());
  const std::string domain(name_of(FitReason::kNotEnoughResources));
  EXPECT_EQ(reasons("new"), (std::vector<std::string>{domain, domain, domain, domain, "PodSchedulingErrors"}));
}

TEST_F(TopologyTest, WhatTheClusterCannotTakeIsToldOnce) {
  add(a_kai_job("new", 17).gpus(4).within("dc", "rack"));
  EXPECT_TRUE(run().empty());
  EXPECT_EQ(reasons("new"), std::vector<std::string>{"PodSchedulingErrors"});
}

TEST_F(TopologyTest, AnUnknownTopologyIsToldAndAnUnknownLevelIsNot) {
  add(a_kai_job("lost", 1).within("other", "rack"));
  add(a_kai_job("vague", 1).within("dc", "row"));
  add(a_kai_job("silent", 1).within("dc", ""));
  add(a_kai_job("inverted", 1).within("dc", "rack", "zone"));
  EXPECT_TRUE(run().empty());
  EXPECT_EQ(reasons("lost"), std::vector<std::string>{"PodSchedulingErrors"});
  for (const auto* job : {"vague", "silent", "inverted"}) EXPECT_TRUE(reasons(job).empty()) << job;
}

// The original looks at nothing above the domain that all nodes have in common, so a level above it has no domain with room.
TEST(Topology, ALevelAboveWhatAllNodesShareCanBeRequired) {
  struct Case {
    std::string level;
    Behaviour behaviour;
    bool bound;
  };
  for (const auto& c :
       {Case{"zone", Behaviour::exact(), false}, Case{"rack", Behaviour::exact(), true}, Case{"host", Behaviour::exact(), true},
        Case{"zone", Behaviour::safe(), true}, Case{"rack", Behaviour::safe(), true}, Case{"host", Behaviour::safe(), true}}) {
    ClusterOptions options;
    options.behaviour = c.behaviour;
    auto cluster = std::make_unique<Cluster>(std::move(options));
    add_open_queue(*cluster);
    for (const std::string name : {"a", "b"})
      cluster->apply(Object(a_kai_node(name).label("zone", "z").label("rack", "r").label("host", name).build()));
    cluster->apply(Object(a_kai_topology("dc", {{"zone", ""}, {"rack", ""}, {"host", ""}})));
    a_kai_job("new", 1).within("dc", c.level).apply_to(*cluster);
    struct Observer final : CycleObserver {
      std::size_t binds = 0;
      void closed(Session& session) override { binds = session.outbox().size(); }
    } observer;
    Scheduler(std::move(cluster), default_config(), SearchKind::kIndex).run_cycle({}, observer);
    EXPECT_EQ(observer.binds, c.bound ? 1u : 0u) << c.level;
  }
}

}  // namespace
}  // namespace muster::kai
