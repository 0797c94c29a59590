// The same for the KAI dialect: what a question is answered is what happens then.

#include "app/kai_whatif.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/kai_scenario.h"
#include "property/many_clusters.h"
#include "property/random_scenario.h"
#include "property/whatif_oracle.h"
#include "property/whatif_situations.h"
#include "support/kai_world.h"

namespace muster {
namespace {

using kai::KaiWorld;

constexpr int kKaiCycles = 12;
constexpr int kAllKaiTries = 200;  // more than any search needs

struct KaiAsked {
  Submission submission;
  kai::ClusterOptions options;
};

KaiAsked random_kai_question(Submission (*last_job)(std::vector<Object>)) {
  const auto scenario = random_kai_scenario();
  KaiAsked asked{last_job(scenario.objects), {}};
  switch (pick(4)) {
    case 0: break;
    case 1: make_urgent(asked.submission); break;
    default: crowd_whole_nodes(asked.submission);
  }
  RC_LOG() << description(scenario) << in_words(asked.submission);
  asked.options.behaviour = chance(4) ? kai::Behaviour::exact() : kai::Behaviour::safe();
  return asked;
}

bool are_leaving(const kai::Cluster& cluster) {
  for (const auto pod : IdRange<PodId>(cluster.books().pod_count()))
    if (!cluster.books().removed(pod) && cluster.task(pod).facts.deleted) return true;
  return false;
}

Submitted submit_to_kai(const KaiAsked& asked, const Submission& submission) {
  auto cluster = std::make_unique<kai::Cluster>(asked.options);
  for (const auto* objects : {&submission.cluster, &submission.objects})
    for (const auto& object : *objects) cluster->apply(object);
  const bool leaving = are_leaving(*cluster);
  OfflineOptions options;
  options.cycles = kKaiCycles;
  options.between = Between::kBoundPodsRun;
  options.now = KaiWorld::kNow;
  KaiOfflineRun run(std::make_unique<kai::Scheduler>(std::move(cluster), kai::default_config(), SearchKind::kIndex), options, {},
                    std::nullopt);
  const auto outcome = run.run({}, [](std::string_view, std::uint64_t) {});
  if (!outcome) RC_FAIL(outcome.error().text());
  std::vector<SubmittedCycle> cycles;
  for (const auto& done : outcome->cycles) {
    auto& cycle = cycles.emplace_back(SubmittedCycle{done.binds, {}});
    for (const auto& [pod, evictor] : done.evicted_by) cycle.evicted_for[pod] = evictor.preemptor;
  }
  return what_happened(submission, cycles, leaving);
}

WhatIfRun ask_kai(const KaiAsked& asked, int tries) {
  const auto cluster =
      kai_whatif(std::make_shared<const std::vector<Object>>(asked.submission.before()),
                 {kai::default_config(), asked.options, SearchKind::kIndex, [](int) { return KaiWorld::kNow; }, {}});
  return answer_to(*cluster, asked.submission, tries);
}

Laws kai_laws_of(const KaiAsked& asked, Seen& seen) {
  return {[&asked](const Submission& submission) { return submit_to_kai(asked, submission); }, seen};
}

// So many of each kind at the least, so that none of them is never met.
const Seen kEveryKaiKind = {{"leaving", 3},
                            {"level", 3},
                            {"queue", 3},
                            {"members", 3},
                            {"amount", 3},
                            {"ended", 3},
                            {"ended, several", 3},
                            {"passed over: level", 1},
                            {"passed over: queue", 1},
                            {"smaller: members", 1},
                            {"smaller: amount", 1},
                            {"smaller: ended", 1}};

TEST(KaiWhatIf, TheAnswerIsWhatHappensThen) {
  Seen seen;
  holds_for_many([&] {
    const auto asked = random_kai_question(last_job_of);
    kai_laws_of(asked, seen).check_answer(ask_kai(asked, 0), asked.submission);
  });
  expect_seen(seen, {{"starts", 25}, {"evicts", 25}, {"waits", 25}});
}

TEST(KaiWhatIf, TheSmallestChangeIsOffered) {
  Seen seen;
  holds_for_many([&] {
    const auto asked = random_kai_question(last_job_of);
    const auto run = ask_kai(asked, kAllKaiTries);
    auto laws = kai_laws_of(asked, seen);
    laws.check_changes(run, asked.submission);
    laws.check_smallest(run, asked.submission);
  });
  expect_seen(seen, kEveryKaiKind);
}

TEST(KaiWhatIf, TheSameHoldsForAJobThatWaits) {
  Seen seen;
  holds_for_many([&] {
    const auto asked = random_kai_question(last_waiting_job_of);
    const auto run = ask_kai(asked, kAllKaiTries);
    auto laws = kai_laws_of(asked, seen);
    laws.check_answer(run, asked.submission);
    laws.check_changes(run, asked.submission);
    laws.check_smallest(run, asked.submission);
  });
  expect_seen(seen, kEveryKaiKind);
}

}  // namespace
}  // namespace muster
