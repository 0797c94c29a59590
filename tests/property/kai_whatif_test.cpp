// The same for the KAI dialect: what a question is answered is what happens then.

#include "app/kai_whatif.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/kai_scenario.h"
#include "property/random_scenario.h"
#include "property/whatif_oracle.h"
#include "support/kai_world.h"

namespace muster {
namespace {

using kai::KaiWorld;

constexpr int kKaiCycles = 12;
constexpr int kKaiTries = 24;

struct KaiAsked {
  Submission submission;
  kai::ClusterOptions options;
};

KaiAsked random_kai_question() {
  const auto scenario = random_kai_scenario();
  RC_LOG() << description(scenario);
  KaiAsked asked{last_job_of(scenario.objects), {}};
  if (chance(2)) make_urgent(asked.submission);
  asked.options.behaviour = chance(4) ? kai::Behaviour::exact() : kai::Behaviour::safe();
  return asked;
}

Submitted submit_to_kai(const KaiAsked& asked, const Submission& submission) {
  auto cluster = std::make_unique<kai::Cluster>(asked.options);
  for (const auto* objects : {&submission.cluster, &submission.objects})
    for (const auto& object : *objects) cluster->apply(object);
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
  return what_happened(submission, cycles, false);
}

WhatIfRun ask_kai(const KaiAsked& asked, int tries) {
  const auto cluster =
      kai_whatif(std::make_shared<const std::vector<Object>>(asked.submission.cluster),
                 {kai::default_config(), asked.options, SearchKind::kIndex, [](int) { return KaiWorld::kNow; }, {}});
  return answer_to(*cluster, asked.submission, tries);
}

Submit submitting_to_kai(const KaiAsked& asked) {
  return [&asked](const Submission& submission) { return submit_to_kai(asked, submission); };
}

RC_GTEST_PROP(KaiWhatIf, TheAnswerIsWhatHappensThen, ()) {
  const auto asked = random_kai_question();
  check_answer(ask_kai(asked, 0), asked.submission, submitting_to_kai(asked));
}

RC_GTEST_PROP(KaiWhatIf, WhatWouldMakeItFitDoes, ()) {
  const auto asked = random_kai_question();
  check_changes(ask_kai(asked, kKaiTries), asked.submission, submitting_to_kai(asked));
}

RC_GTEST_PROP(KaiWhatIf, TheChangeIsTheSmallest, ()) {
  const auto asked = random_kai_question();
  check_smallest(ask_kai(asked, kKaiTries), asked.submission, submitting_to_kai(asked));
}

RC_GTEST_PROP(KaiWhatIf, AWiderLevelDoes, ()) {
  auto asked = random_kai_question();
  ask_for_whole_nodes(asked.submission, 1 + static_cast<std::size_t>(pick(6)));
  const auto run = ask_kai(asked, kKaiTries);
  check_answer(run, asked.submission, submitting_to_kai(asked));
  check_changes(run, asked.submission, submitting_to_kai(asked));
}

}  // namespace
}  // namespace muster
