#include "demo/scenario.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "demo/job_stream.h"
#include "demo/layout.h"

namespace muster::demo {
namespace {

Scenario builtin() {
  auto out = read_scenario(builtin_scenario(), "built in");
  EXPECT_TRUE(out.has_value()) << (out ? "" : out.error().text());
  return out ? std::move(*out) : Scenario();
}

TEST(Scenarios, TheOneThatIsBuiltIn) {
  const auto scenario = builtin();
  EXPECT_EQ(scenario.nodes, 240);
  EXPECT_EQ(scenario.pools.size(), 3u);
  EXPECT_FALSE(scenario.jobs.empty());
}

// Two of its jobs must wait for ever, whatever else happens.
TEST(Scenarios, SomeJobsHaveReasonToWait) {
  const auto scenario = builtin();
  std::int64_t most_gpus = 0;
  for (const auto& pool : scenario.pools) most_gpus = std::max(most_gpus, pool.gpus);
  const auto waits = [&](const JobPlan& job) {
    return job.gpus > most_gpus || (job.rack == RackWish::kRequired && job.pods.front() > scenario.nodes_per_rack);
  };
  EXPECT_EQ(std::ranges::count_if(scenario.jobs, waits), 2);
}

TEST(Scenarios, AJobThatNoNodeIsLargeEnoughForIsKnown) {
  const auto of = [](const std::string& jobs) -> std::string {
    const auto scenario = read_scenario(
        "pools: [{name: a, cpu: 4, memoryGi: 4, gpus: 1}, {name: b, cpu: 8, memoryGi: 8}]\n"
        "queues: [{name: q, share: 1}]\njobs: [" +
            jobs + "]\n",
        "a test");
    EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().text());
    const auto* job = scenario ? too_large_job(*scenario) : nullptr;
    return job == nullptr ? "" : job->name;
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("{name: fits, queue: q, cpu: 8, memoryGi: 8}, {name: fits-too, queue: q, cpu: 4, gpus: 1}"), "");
  EXPECT_EQ(of("{name: neither, queue: q, cpu: 8, gpus: 1}, {name: more, queue: q, gpus: 2}"), "neither");
  EXPECT_EQ(of("{name: elsewhere, queue: q, cpu: 8, pool: a}"), "elsewhere");
  EXPECT_EQ(of("{name: many, queue: q, gpus: 2, every: 10}, {name: two, queue: q, gpus: 2, count: 2}"), "");
  EXPECT_EQ(too_large_job(builtin())->name, "wants-16-gpus");
}

struct Wrong {
  std::string text;
  std::string error;
};
class WrongScenarios : public testing::TestWithParam<Wrong> {};

TEST_P(WrongScenarios, AreToldWithTheirPlace) {
  const auto read = read_scenario(GetParam().text, "f");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().text(), GetParam().error);
}

const std::string kPools = "pools: [{name: a}]\n";
INSTANTIATE_TEST_SUITE_P(
    Each, WrongScenarios,
    testing::Values(
        Wrong{"[]", "f:1:1: a scenario is a map, not a list"}, Wrong{"nodes: 3", "f: there are no pools, so no nodes"},
        Wrong{kPools + "node: 3", "f:2:1: \"node\" is unknown here; is \"nodes\" meant?"},
        Wrong{kPools + "nodes: many", "f:2:8: nodes is a whole number from 1 to 20000"},
        Wrong{"pools: [{name: A}]", "f:1:9: name is missing, or is no lower-case letters, digits and hyphens, at most 40"},
        Wrong{kPools + "queues: [{name: q, share: 2}]", "f:2:27: share is a number from 0 to 1"},
        Wrong{kPools + "queues: [{name: q, parent: p}]", "f: queue q: its parent p is not listed before it"},
        Wrong{kPools + "jobs: [{name: j, queue: q}]", "f: job j: there is no queue \"q\""},
        Wrong{kPools + "queues: [{name: q}]\njobs: [{name: j, queue: q, pool: none}]", "f: job j: there is no pool \"none\""},
        Wrong{kPools + "queues: [{name: q}]\njobs: [{name: j, queue: q, rack: near}]",
              "f:3:34: rack is one of anywhere, preferred, required"},
        Wrong{kPools + "queues: [{name: q}]\njobs: [{name: j, queue: q, run: [9, 3]}]",
              "f:3:33: run is a number of seconds, or [least, most]"},
        Wrong{kPools + "queues: [{name: q}]\njobs: [{name: j, queue: q, pods: [2, 4], least: 3}]",
              "f: job j: least is more than it has pods"}));

TEST(Layouts, PoolsHaveTheirSharesAndRacksOfTheirOwn) {
  auto scenario = builtin();
  for (const std::int64_t nodes : {1, 2, 7, 100, 240, 1000}) {
    scenario.nodes = nodes;
    const auto laid = lay_out(scenario);
    ASSERT_EQ(laid.size(), static_cast<std::size_t>(nodes));
    std::map<std::string, std::set<const PoolPlan*>> pools_of_rack;
    std::map<std::string, std::int64_t> nodes_of_rack;
    std::set<std::string> names;
    for (const auto& node : laid) {
      pools_of_rack[node.rack].insert(node.pool);
      EXPECT_LE(++nodes_of_rack[node.rack], scenario.nodes_per_rack);
      EXPECT_TRUE(names.insert(node.name).second) << node.name;
    }
    for (const auto& [rack, pools] : pools_of_rack) EXPECT_EQ(pools.size(), 1u) << rack;
  }
  scenario.nodes = 240;
  std::map<std::string, int> by_pool;
  for (const auto& node : lay_out(scenario)) ++by_pool[node.pool->name];
  EXPECT_EQ(by_pool, (std::map<std::string, int>{{"cpu", 32}, {"h100", 160}, {"l40", 48}}));
}

std::vector<std::string> jobs_until(const Scenario& scenario, std::int64_t millis, double load = 1) {
  JobStream stream(scenario, load);
  std::vector<std::string> out;
  std::int64_t last = 0;
  while (const auto job = stream.next_until(millis)) {
    EXPECT_GE(job->at_millis, last);
    EXPECT_GE(job->pods, job->least);
    last = job->at_millis;
    out.push_back(std::to_string(job->at_millis) + " " + job->plan->queue + "/" + job->name + " " + std::to_string(job->pods) +
                  " " + std::to_string(job->run_seconds.value_or(0)));
  }
  return out;
}

TEST(JobStreams, TheSameSeedBringsTheSameJobs) {
  auto scenario = builtin();
  const auto jobs = jobs_until(scenario, 600'000);
  EXPECT_GT(jobs.size(), 200u);
  EXPECT_EQ(jobs, jobs_until(scenario, 600'000));
  scenario.seed = 2;
  EXPECT_NE(jobs, jobs_until(scenario, 600'000));
}

TEST(JobStreams, WhatComesUntilThenDoesNotDependOnHowOftenItIsAsked) {
  const auto scenario = builtin();
  JobStream stream(scenario, 1);
  std::size_t seen = 0;
  for (std::int64_t millis = 0; millis <= 600'000; millis += 500)
    while (stream.next_until(millis)) ++seen;
  EXPECT_EQ(seen, jobs_until(scenario, 600'000).size());
}

TEST(JobStreams, MoreLoadBringsMoreJobs) {
  const auto scenario = builtin();
  const auto usual = static_cast<double>(jobs_until(scenario, 600'000).size());
  const auto twice = static_cast<double>(jobs_until(scenario, 600'000, 2).size());
  EXPECT_NEAR(twice / usual, 2, 0.2);
}

TEST(JobStreams, TimeGoesOnUnderAnyLoad) {
  const auto scenario = *read_scenario(
      "nodes: 6\nnodesPerRack: 2\nracksPerZone: 1\n"
      "pools: [{name: big, cpu: 16, memoryGi: 64, gpus: 4}]\n"
      "queues: [{name: team, share: 1}]\n"
      "jobs: [{name: train, queue: team, pods: 1, cpu: 1, memoryGi: 1, every: 1, run: 10}]\n",
      "f");
  JobStream stream(scenario, 20'000.0 / 6);
  int jobs = 0;
  while (stream.next_until(100) && jobs < 1000) ++jobs;
  EXPECT_GT(jobs, 50);
  EXPECT_LT(jobs, 102);
}

TEST(JobStreams, OneJobIsOne) {
  const auto scenario = read_scenario(
      "pools: [{name: a}]\nqueues: [{name: q}]\njobs: [{name: one, queue: q}, {name: three, queue: q, count: 3, at: 1}]", "f");
  ASSERT_TRUE(scenario.has_value());
  EXPECT_EQ(jobs_until(*scenario, 1000),
            (std::vector<std::string>{"0 q/one 1 0", "1000 q/three-1 1 0", "1000 q/three-2 1 0", "1000 q/three-3 1 0"}));
}

}  // namespace
}  // namespace muster::demo
