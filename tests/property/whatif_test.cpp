// What a question is answered is what happens then: the job is submitted, and cycles are run. What is said to make it fit does.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "app/volcano_setup.h"
#include "app/whatif_volcano.h"
#include "property/many_clusters.h"
#include "property/random_scenario.h"
#include "property/scenario_run.h"
#include "property/whatif_oracle.h"
#include "property/whatif_situations.h"

namespace muster {
namespace {

constexpr Timestamp kNow{1'800'000'000, 0};
constexpr int kCycles = 12;
constexpr int kAllTries = 200;  // more than any search needs

struct Asked {
  Submission submission;
  volcano::Config config;
  volcano::ClusterOptions options;
  volcano::Behaviour behaviour;
};

// Where whole nodes, levels, queues and limits decide, and little else.
volcano::Config plain_config() {
  const auto text =
      "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: "
      "network-topology-aware\n" +
      one_of({"", "  - name: proportion\n", "  - name: capacity\n", "  - name: overcommit\n"});
  return read_volcano_config(text, "config", Strictness::kExact)->config;
}

// Where those who hold whole nodes may have to leave them.
volcano::Config evicting_config() {
  const auto text =
      "actions: \"enqueue, allocate, " + one_of({"preempt", "gangpreempt", "preempt, reclaim"}) +
      "\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: conformance\n- plugins:\n  - name: predicates\n" +
      one_of({"", "  - name: proportion\n", "  - name: network-topology-aware\n"});
  return read_volcano_config(text, "config", Strictness::kExact)->config;
}

Asked random_question(Submission (*last_job)(std::vector<Object>), Others others) {
  const auto scenario = random_scenario(
      {.node_kinds = chance(2) ? 1 : 5, .cycles = 1, .evictions = chance(3) ? Evictions::kPerhaps : Evictions::kAlways});
  RC_LOG() << description(scenario);
  auto config = read_volcano_config(scenario.config, "config", Strictness::kExact);
  RC_ASSERT(config.has_value());
  const auto behaviour = chance(4) ? volcano::Behaviour::exact() : volcano::Behaviour::safe();
  Asked asked{last_job(scenario.objects), std::move(config->config), scenario.options, behaviour};
  switch (pick(4)) {
    case 0: break;
    case 1: make_urgent(asked.submission); break;
    default:
      crowd_whole_nodes(asked.submission, others);
      asked.config = others == Others::kGiveWay ? evicting_config() : plain_config();
  }
  RC_LOG() << in_words(asked.submission);
  volcano::remember_for(asked.config, asked.options);
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
  const auto cluster = volcano_whatif(std::make_shared<const std::vector<Object>>(asked.submission.before()),
                                      {asked.config, asked.options, asked.behaviour, SearchKind::kIndex, [](int) { return kNow; }});
  return answer_to(*cluster, asked.submission, tries);
}

Laws laws_of(const Asked& asked, Seen& seen) {
  return {[&asked](const Submission& submission) { return submit(asked, submission); }, seen};
}

// So many of each kind at the least, so that none of them is never met.
const Seen kEveryKind = {{"leaving", 3},
                         {"level", 3},
                         {"queue", 3},
                         {"members", 3},
                         {"members, minResources", 3},
                         {"members, roles", 3},
                         {"amount", 3},
                         {"amount, minResources", 3},
                         {"ended", 3},
                         {"ended, several", 3},
                         {"passed over: level", 1},
                         {"passed over: queue", 1},
                         {"smaller: members", 1},
                         {"smaller: amount", 1},
                         {"smaller: ended", 1}};

TEST(WhatIf, TheAnswerIsWhatHappensThen) {
  Seen seen;
  holds_for_many([&] {
    const auto asked = random_question(last_job_of, chance(2) ? Others::kGiveWay : Others::kStay);
    laws_of(asked, seen).check_answer(ask(asked, 0), asked.submission);
  });
  expect_seen(seen, {{"starts", 25},
                     {"evicts", 25},
                     {"waits", 25},
                     {"starts, roles", 3},
                     {"starts, roles, by labels", 1},
                     {"starts, roles passed over", 3},
                     {"waits, roles", 3},
                     {"waits, roles passed over", 3}});
}

// What is said to make it fit does, and nothing smaller.
TEST(WhatIf, TheSmallestChangeIsOffered) {
  Seen seen;
  holds_for_many([&] {
    const auto asked = random_question(last_job_of, Others::kStay);
    const auto run = ask(asked, kAllTries);
    auto laws = laws_of(asked, seen);
    laws.check_changes(run, asked.submission);
    laws.check_smallest(run, asked.submission);
  });
  expect_seen(seen, kEveryKind);
}

TEST(WhatIf, TheSameHoldsForAJobThatWaits) {
  Seen seen;
  holds_for_many([&] {
    const auto asked = random_question(last_waiting_job_of, Others::kStay);
    const auto run = ask(asked, kAllTries);
    auto laws = laws_of(asked, seen);
    laws.check_answer(run, asked.submission);
    laws.check_changes(run, asked.submission);
    laws.check_smallest(run, asked.submission);
  });
  expect_seen(seen, kEveryKind);
}

}  // namespace
}  // namespace muster
