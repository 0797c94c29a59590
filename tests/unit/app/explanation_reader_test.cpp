// What a running scheduler explains is shown as an explanation from files.

#include "app/explanation_reader.h"

#include <gtest/gtest.h>

#include "app/kai_explanation.h"
#include "app/offline_views.h"
#include "app/view_list.h"

namespace muster {
namespace {

OfflineOptions example(const std::string& cluster, const std::string& config) {
  const auto root = std::string(MUSTER_SOURCE_DIR) + "/examples/";
  OfflineOptions options;
  options.files = {root + cluster};
  if (!config.empty()) options.config = root + config;
  options.now = Timestamp::parse_rfc3339("2026-01-01T00:10:00Z").value();
  return options;
}

const Progress kNobody = [](std::string_view, std::uint64_t) {};

std::vector<std::string> jobs_in(Dialect dialect, const OfflineOptions& options) {
  auto told = offline_views({ViewKind::kJobs}, dialect, options, kNobody);
  EXPECT_TRUE(told) << (told ? "" : told.error().text());
  std::vector<std::string> names;
  const auto list = ViewList::read(ViewKind::kJobs, told ? told->json.at(ViewKind::kJobs) : R"({"jobs":[]})", {});
  for (const auto* job : list->items()) names.push_back(text_at(job, "job"));
  return names;
}

void expect_same(const Explanation& explanation) {
  const auto json = explanation_json(explanation);
  const auto read = explanation_of_json(json);
  ASSERT_TRUE(read) << json;
  EXPECT_EQ(explanation_text(*read, Paint::none()), explanation_text(explanation, Paint::none()));
  EXPECT_EQ(read->code, explanation.code);
}

TEST(ExplanationReader, ReadsWhatIsExplainedInVolcanosDialect) {
  std::size_t explained = 0;
  for (const std::string name : {"first-cluster", "configurations/priorities", "configurations/teams", "configurations/topology"}) {
    const auto options = example(name, name + ".conf");
    for (const auto& job : jobs_in(Dialect::kVolcano, options)) {
      auto run = OfflineRun::prepare(options, kNobody);
      ASSERT_TRUE(run) << run.error().text();
      const auto explanation = explain(*run, job, kNobody);
      ASSERT_TRUE(explanation) << job;
      expect_same(*explanation);
      ++explained;
    }
  }
  EXPECT_GE(explained, 8u);
}

TEST(ExplanationReader, ReadsWhatIsExplainedInKaisDialect) {
  const auto options = example("kai-cluster", "");
  const auto jobs = jobs_in(Dialect::kKai, options);
  EXPECT_EQ(jobs.size(), 3u);
  for (const auto& job : jobs) {
    auto run = KaiOfflineRun::prepare(options, kNobody);
    ASSERT_TRUE(run) << run.error().text();
    const auto explanation = explain_kai(*run, job, kNobody);
    ASSERT_TRUE(explanation) << job;
    expect_same(*explanation);
  }
}

TEST(ExplanationReader, ReadsEverythingThatTheTextTells) {
  Explanation all;
  all.job.name = "a/j";
  all.job.queue = "q";
  all.job.phase = "Inqueue";
  all.job.state = JobState::kWaiting;
  all.job.pods = 9;
  all.job.minimum = 5;
  all.job.holding = 1;
  all.job.gated = 2;
  all.job.leaving = 1;
  all.job.succeeded = 1;
  all.job.failed = 1;
  all.job.would_fit = 3;
  all.job.sentence = "it waits";
  all.job.refusals = {.id = PodId(), .pod = "a/j-0", .nodes = 7, .reasons = {{"too small", 6}, {"cordoned", 1}}};
  all.pod = "a/j-0";
  all.pod_place = "has no node";
  all.hint = "wait";
  all.room_is_gone = true;
  all.closest = ClosestNode{.name = "n1",
                            .freeing = Freeing::kEnough,
                            .shortages = {{"cpu", 2500, 100}, {"memory", 4096, 1024}},
                            .held_by = {{"a/k", 1500}}};
  all.needs_of = JobNeeds::Of::kRest;
  all.needing_pods = 2;
  all.needs = {{"nvidia.com/gpu", 16000, 4000, 64000}};
  all.evicted = {{"a/j-1", "a/j", "n1", "preempt", "b/x", "b/x-0"}};
  all.made_way = {{"c/y-0", "c/y", "n2", "reclaim", "a/j", "", "for a/j, which gets n2"}};
  all.chances = {
      {.action = "preempt", .obstacle = "", .looked_at = "queue q", .running = 3, .may_go = 0, .kept = {{"too urgent", 3}}}};
  all.ahead = {{"a/k", JobState::kPlaced}};
  all.competitors = 9;
  all.place = 5;
  all.queue = {{.resource = "cpu",
                .deserved = 4000,
                .fair_share = 5000,
                .allocated = 1000,
                .promised = 500,
                .requested = 9000,
                .limit = 8000,
                .limit_of = "top"}};
  QueueRow above;
  above.resource = "cpu";
  above.allocated = 1000;
  above.requested = 9000;
  all.above = {{"top", {above}}};
  all.messages = {"one", "two"};
  expect_same(all);
}

TEST(ExplanationReader, RefusesAnythingElse) {
  for (const auto* text : {"", "{}", R"({"jobs":[]})", R"({"job":"a/b","state":"asleep"})"})
    EXPECT_FALSE(explanation_of_json(text)) << text;
}

}  // namespace
}  // namespace muster
