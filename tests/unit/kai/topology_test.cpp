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
  const Job& job_named(const std::string& name) {
    for (const auto id : scheduler_->cluster().all_jobs())
      if (scheduler_->cluster().job(id).name == name) return scheduler_->cluster().job(id);
    std::abort();
  }
  // What the last cycle told, error by error.
  std::vector<std::string> messages(const std::string& job) {
    std::vector<std::string> texts;
    for (const auto& error : job_named(job).errors) {
      auto& text = texts.emplace_back();
      for (const auto& sentence : error.told) text.append(text.empty() ? "" : ", ").append(sentence);
    }
    return texts;
  }
  // Within one zone a leader, which runs in z1, and three workers, which have to share a rack.
  enum class Workers : std::uint8_t { kAlike, kUnlike };
  void add_job_with_workers(const std::string& name, Workers workers) {
    KaiPodGroup group;
    group.meta.name = name;
    group.meta.ns = "ns";
    group.queue = "team";
    group.preemptibility = "non-preemptible";  // so that nobody moves for it
    group.constraint = {"dc", "zone", ""};
    group.sub_groups = {{"leader", {}, 1, {}, {}}, {"workers", {}, 3, {}, {"dc", "rack", ""}}};
    cluster_->apply(Object(group));
    for (int i = 0; i < 4; ++i) {
      Pod pod;
      pod.meta.name = pod.meta.uid = name + "-" + std::to_string(i);
      pod.meta.ns = "ns";
      pod.meta.annotations.set("pod-group-name", name);
      pod.meta.labels.set("kai.scheduler/subgroup-name", i == 0 ? "leader" : "workers");
      pod.spec.scheduler_name = "kai-scheduler";
      auto& requests = pod.spec.containers.emplace_back().requests;
      requests = {{"cpu", Quantity::from_units(1)}};
      if (i == 0 || workers == Workers::kAlike) requests["nvidia.com/gpu"] = Quantity::from_units(4);
      if ((i == 1 || i == 2) && workers == Workers::kUnlike) requests["nvidia.com/gpu"] = Quantity::from_units(6);
      if (i == 0) pod.spec.node_name = "z1r1b";
      pod.status.phase = i == 0 ? "Running" : "Pending";
      cluster_->apply(Object(pod));
    }
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

TEST_F(TopologyTest, EachDomainSaysHowManyItTakes) {
  add(a_kai_job("old", 1).gpus(8).running_on({"z1r1a"}));
  add(a_kai_job("new", 5).gpus(4).within("dc", "rack"));
  EXPECT_TRUE(run().empty());
  EXPECT_EQ(messages("new"), (std::vector<std::string>{"node-group z1.z1r1 can allocate only 2 of 5 required pods",
                                                       "node-group z1.z1r2 can allocate only 4 of 5 required pods",
                                                       "node-group z2.z2r1 can allocate only 4 of 5 required pods",
                                                       "node-group z2.z2r2 can allocate only 4 of 5 required pods",
                                                       "topology dc, requirement rack couldn't be satisfied for job <ns/new>"}));
}

// The job stands in zone z1, of which no rack has room for its workers: what racks of z2 have is of no use, however much it is.
TEST_F(TopologyTest, DomainsThatAreNotInQuestionTakeNothing) {
  add(a_kai_job("old", 2).gpus(8).running_on({"z1r1a", "z1r2a"}));
  add_job_with_workers("alike", Workers::kAlike);
  EXPECT_TRUE(run().empty());
  EXPECT_EQ(
      messages("alike"),
      (std::vector<std::string>{
          "node-group z1.z1r1 can allocate only 1 of 3 required pods", "node-group z1.z1r2 can allocate only 2 of 3 required pods",
          "node-group z2.z2r1 can allocate only 0 of 3 required pods", "node-group z2.z2r2 can allocate only 0 of 3 required pods",
          "topology dc, requirement rack couldn't be satisfied for job <ns/alike>, subgroup workers"}));
}

TEST_F(TopologyTest, OfUnlikeTasksEachResourceIsTold) {
  add(a_kai_job("old", 2).gpus(8).running_on({"z1r1a", "z1r2a"}));
  add_job_with_workers("unlike", Workers::kUnlike);
  EXPECT_TRUE(run().empty());
  const auto told = messages("unlike");
  ASSERT_EQ(told.size(), 5u);
  EXPECT_EQ(told[0], "node-group(s) didn't have enough resources: GPUs");
  EXPECT_NE(told[2].find("node-group(s) didn't have enough resources: CPU cores"), std::string::npos) << told[2];
  const auto& errors = job_named("unlike").errors;
  EXPECT_EQ(errors[0].detail,
            "<z1.z1r1>: subgroup workers: z1.z1r1 didn't have enough resource: GPUs, requested: 12, available: 4");
  EXPECT_NE(errors[2].detail.find("z2r1 didn't have enough resource: GPUs, requested: 12, available: 0"), std::string::npos)
      << errors[2].detail;
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
