// What the safe behaviour promises, whatever is scheduled.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "property/scenario_run.h"

namespace muster {
namespace {

// A scenario whose configuration forms gangs.
Scenario with_gangs() {
  auto scenario = random_scenario();
  if (scenario.config.find("gang") == std::string::npos) scenario.config.clear();
  return scenario;
}

void check_after_every_cycle(const Scenario& scenario, const std::function<void(volcano::Session&)>& law) {
  RC_LOG() << description(scenario);
  run_scenario(scenario, {.behaviour = volcano::Behaviour::safe()}, law);
}

RC_GTEST_PROP(Laws, NoBindTakesMoreThanItsNodeHas, ()) {
  check_after_every_cycle(with_gangs(), [](volcano::Session& session) {
    const auto& books = session.books();
    for (const auto& bind : session.outbox())
      if (bind.kind == Decision::Kind::kBind)
        for (const auto& [resource, amount] : books.shape_of(bind.pod).request) {
          const auto idle = books.ledgers().idle[resource.index()][bind.node.index()];
          if (amount > 0 && idle < 0)
            RC_FAIL(books.node(bind.node).name + " has too little " + books.resource_name(resource) + " for " +
                    books.pod_key(bind.pod));
        }
  });
}

// Several pods that ask for nothing may be counted on one free place: see best_effort_can_follow.
bool has_best_effort(const volcano::Session& session, GroupId group) {
  const auto& pods = session.books().group(group).pods;
  return std::any_of(pods.begin(), pods.end(), [&](PodId pod) { return session.books().shape_of(pod).best_effort; });
}

RC_GTEST_PROP(Laws, NoGangIsBoundBelowItsMinimum, ()) {
  check_after_every_cycle(with_gangs(), [](volcano::Session& session) {
    std::set<GroupId> bound;
    for (const auto& bind : session.outbox())
      if (bind.kind == Decision::Kind::kBind) bound.insert(session.books().pod(bind.pod).group);
    for (const auto id : bound) {
      if (has_best_effort(session, id)) continue;
      const auto& job = session.cluster().job(id);
      RC_LOG() << job.name << ": " << session.counts(job).ready() << " of " << job.min_available;
      RC_ASSERT(session.counts(job).ready() >= job.min_available);
    }
  });
}

RC_GTEST_PROP(Laws, EveryCycleLeavesTheSumsRight, ()) {
  check_after_every_cycle(with_gangs(), [](volcano::Session& session) {
    RC_ASSERT(session.books().check_sums());
    for (const auto id : IdRange<PodId>(session.books().pod_count())) {
      const auto& pod = session.books().pod(id);
      if (session.books().removed(id)) continue;
      RC_ASSERT(pod.state != PodState::kAllocated);  // what was only planned is taken back
      RC_ASSERT(pod.state != PodState::kPipelined);
    }
  });
}

// ------------------------------------------------------------------------------------------------------ evictions

Scenario with_evictions() { return random_scenario({.evictions = Evictions::kAlways}); }

template <class F>
void for_each_eviction(const volcano::Session& session, F f) {
  for (const auto& decision : session.outbox())
    if (decision.kind == Decision::Kind::kEvict) f(decision);
}

RC_GTEST_PROP(Laws, EveryEvictionNamesWhomItIsFor, ()) {
  check_after_every_cycle(with_evictions(), [](volcano::Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      RC_ASSERT(static_cast<bool>(eviction.for_whom.group));
      RC_ASSERT(eviction.for_whom.group != session.books().pod(eviction.pod).group || static_cast<bool>(eviction.for_whom.pod));
    });
  });
}

RC_GTEST_PROP(Laws, NoEvictionLeavesHalfAGang, ()) {
  const auto scenario = with_evictions();
  RC_LOG() << description(scenario);
  IdVector<GroupId, bool> complete;
  RunOptions options{.behaviour = volcano::Behaviour::safe()};
  options.opened = [&](volcano::Session& session) {
    complete.clear();
    for (const auto id : IdRange<GroupId>(session.cluster().job_count()))
      complete.push_back(session.counts(session.cluster().job(id)).ready() >= session.cluster().job(id).min_available);
  };
  run_scenario(scenario, options, [&](volcano::Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      const auto& job = session.cluster().job_of(eviction.pod);
      if (!complete[job.id]) return;
      const auto counts = session.counts(job);
      RC_LOG() << job.name << " keeps " << counts.ready() << " of " << job.min_available;
      RC_ASSERT(counts.ready() >= job.min_available || counts.holding() == 0);
    });
  });
}

RC_GTEST_PROP(Laws, ProtectedPodsAreNeverEvicted, ()) {
  check_after_every_cycle(with_evictions(), [](volcano::Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      const auto& task = session.cluster().task(eviction.pod);
      RC_ASSERT(task.preemptable && !task.system_critical);
    });
  });
}

// Evicted pods are gone and nobody makes them anew: with nothing else happening the cluster comes to rest.
RC_GTEST_PROP(Laws, CyclesComeToRest, ()) {
  auto scenario = with_evictions();
  scenario.between.clear();
  for (int i = 0; i < 30; ++i) scenario.between.push_back({BoundPodsRun{}});
  RC_LOG() << description(scenario);
  std::size_t decisions = 0;
  run_scenario(scenario, {.behaviour = volcano::Behaviour::safe()},
               [&](volcano::Session& session) { decisions = session.outbox().size(); });
  RC_ASSERT(decisions == 0u);
}

}  // namespace
}  // namespace muster
