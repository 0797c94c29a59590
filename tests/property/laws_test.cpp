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
    for (const auto& bind : session.outbox()) bound.insert(session.books().pod(bind.pod).group);
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

}  // namespace
}  // namespace muster
