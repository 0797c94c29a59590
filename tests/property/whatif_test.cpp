// What a question is answered is what happens then: the job is submitted, and cycles are run. What is said to make it fit does.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "app/volcano_setup.h"
#include "app/whatif_volcano.h"
#include "property/scenario_run.h"
#include "property/whatif_oracle.h"

namespace muster {
namespace {

constexpr Timestamp kNow{1'800'000'000, 0};
constexpr int kCycles = 12;
constexpr int kTries = 24;

struct Asked {
  Submission submission;
  volcano::Config config;
  volcano::ClusterOptions options;
  volcano::Behaviour behaviour;
};

Asked random_question() {
  const auto scenario = random_scenario(
      {.node_kinds = chance(2) ? 1 : 5, .cycles = 1, .evictions = chance(3) ? Evictions::kPerhaps : Evictions::kAlways});
  RC_LOG() << description(scenario);
  auto config = read_volcano_config(scenario.config, "config", Strictness::kExact);
  RC_ASSERT(config.has_value());
  auto options = scenario.options;
  volcano::remember_for(config->config, options);
  const auto behaviour = chance(4) ? volcano::Behaviour::exact() : volcano::Behaviour::safe();
  Asked asked{last_job_of(scenario.objects), std::move(config->config), std::move(options), behaviour};
  if (chance(2)) make_urgent(asked.submission);
  return asked;
}

bool is_leaving(const volcano::Cluster& cluster) {
  const auto& books = cluster.books();
  for (const auto pod : IdRange<PodId>(books.pod_count()))
    if (!books.removed(pod) && books.pod(pod).terminating && books.pod(pod).state == PodState::kReleasing) return true;
  return false;
}

Submitted submit(const Asked& asked, const Submission& submission) {
  auto cluster = std::make_unique<volcano::Cluster>(asked.options);
  for (const auto* objects : {&submission.cluster, &submission.objects})
    for (const auto& object : *objects) cluster->apply(object);
  cluster->settle();
  const bool leaving = is_leaving(*cluster);
  OfflineOptions options;
  options.cycles = kCycles;
  options.between = Between::kBoundPodsRun;
  options.now = kNow;
  OfflineRun run(std::make_unique<volcano::Scheduler>(std::move(cluster), asked.config, asked.behaviour, SearchKind::kIndex),
                 options, {});
  std::vector<SubmittedCycle> cycles;
  for (const auto& done : run.run({}, [](std::string_view, std::uint64_t) {})) {
    auto& cycle = cycles.emplace_back(SubmittedCycle{done.binds, {}});
    for (const auto& eviction : done.evictions) cycle.evicted_for[eviction.pod] = eviction.for_job;
  }
  return what_happened(submission, cycles, leaving);
}

WhatIfRun ask(const Asked& asked, int tries) {
  const auto cluster = volcano_whatif(std::make_shared<const std::vector<Object>>(asked.submission.cluster),
                                      {asked.config, asked.options, asked.behaviour, SearchKind::kIndex, [](int) { return kNow; }});
  return answer_to(*cluster, asked.submission, tries);
}

Submit submitting(const Asked& asked) {
  return [&asked](const Submission& submission) { return submit(asked, submission); };
}

RC_GTEST_PROP(WhatIf, TheAnswerIsWhatHappensThen, ()) {
  const auto asked = random_question();
  check_answer(ask(asked, 0), asked.submission, submitting(asked));
}

RC_GTEST_PROP(WhatIf, WhatWouldMakeItFitDoes, ()) {
  const auto asked = random_question();
  check_changes(ask(asked, kTries), asked.submission, submitting(asked));
}

RC_GTEST_PROP(WhatIf, TheChangeIsTheSmallest, ()) {
  const auto asked = random_question();
  check_smallest(ask(asked, kTries), asked.submission, submitting(asked));
}

// Where a half of the nodes is not enough, and all of them are.
RC_GTEST_PROP(WhatIf, AWiderLevelDoes, ()) {
  auto asked = random_question();
  ask_for_whole_nodes(asked.submission, 1 + static_cast<std::size_t>(pick(6)));
  asked.config = read_volcano_config(
                     "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
                     "  - name: network-topology-aware\n",
                     "config", Strictness::kExact)
                     ->config;
  const auto run = ask(asked, kTries);
  check_answer(run, asked.submission, submitting(asked));
  check_changes(run, asked.submission, submitting(asked));
}

}  // namespace
}  // namespace muster
