// What the safe behaviour promises, whatever is scheduled.

#include <gtest/gtest.h>
#include <map>
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

// Whether an eviction is for somebody. Shuffle's are not.
bool makes_room(const Decision& eviction) { return eviction.rule != "shuffle"; }

template <class F>
void for_each_eviction(const volcano::Session& session, F f) {
  for (const auto& decision : session.outbox())
    if (decision.kind == Decision::Kind::kEvict) f(decision);
}

RC_GTEST_PROP(Laws, EveryEvictionNamesWhomItIsFor, ()) {
  check_after_every_cycle(with_evictions(), [](volcano::Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      if (!makes_room(eviction)) return;
      RC_ASSERT(static_cast<bool>(eviction.for_whom.group));
      RC_ASSERT(eviction.for_whom.group != session.books().pod(eviction.pod).group || static_cast<bool>(eviction.for_whom.pod));
    });
  });
}

// Nobody goes for nothing: when all actions are over, the pods that run, were placed or were promised room make up the minimum.
RC_GTEST_PROP(Laws, WhoeverIsEvictedForMayRunThen, ()) {
  const auto scenario = with_evictions();
  RC_LOG() << description(scenario);
  RunOptions options{.behaviour = volcano::Behaviour::safe()};
  options.acted = [](volcano::Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      if (!makes_room(eviction)) return;
      const auto& job = session.cluster().job(eviction.for_whom.group);
      const auto counts = session.counts(job);
      RC_LOG() << session.books().pod_key(eviction.pod) << " goes by " << eviction.rule << " for " << job.name << ", which has "
               << counts.ready() << " and " << counts.waiting() << " promised of " << job.min_available;
      RC_ASSERT(counts.is_pipelined() && counts.roles_pipelined() && counts.sub_jobs_pipelined());
      RC_ASSERT(has_best_effort(session, job.id) || counts.ready() + counts.waiting() >= job.min_available);
    });
  };
  run_scenario(scenario, options);
}

RC_GTEST_PROP(Laws, WhoeverWasServedIsNoVictim, ()) {
  check_after_every_cycle(with_evictions(), [](volcano::Session& session) {
    std::set<GroupId> served;
    for (const auto& decision : session.outbox()) {
      const auto job = session.books().pod(decision.pod).group;
      if (decision.kind == Decision::Kind::kBind) {
        served.insert(job);
        continue;
      }
      RC_LOG() << session.books().pod_key(decision.pod) << " goes by " << decision.rule;
      RC_ASSERT(!served.contains(job) || decision.for_whom.group == job);
      if (makes_room(decision)) served.insert(decision.for_whom.group);
    }
  });
}

// Nobody goes who could have stayed: on a node that was cleared for one job alone, what a victim held is used up. Ports, relations
// between pods and limits of queues are other reasons to go.
bool goes_for_amounts_alone(const volcano::Session& session, const Decision& eviction) {
  const auto& books = session.books();
  const auto plain = [&](PodId pod) {
    return session.filter_dependence(pod) <= Dependence::kNode && books.shape_of(pod).host_ports.empty();
  };
  const bool limits = !session.chain(volcano::Point::kAllocatable).empty();  // of the queue that loses a pod and gets one
  if (eviction.rule != "reclaim" && (eviction.rule != "preempt" || limits)) return false;
  if (!plain(eviction.pod)) return false;
  const auto& pods = books.group(eviction.for_whom.group).pods;
  return std::all_of(pods.begin(), pods.end(), plain);
}

RC_GTEST_PROP(Laws, WhoeverCouldHaveStayedStays, ()) {
  const auto scenario = with_evictions();
  RC_LOG() << description(scenario);
  RunOptions options{.behaviour = volcano::Behaviour::safe()};
  options.acted = [](volcano::Session& session) {
    const auto& books = session.books();
    std::map<NodeId, std::set<GroupId>> takers;
    for_each_eviction(session, [&](const Decision& eviction) { takers[eviction.node].insert(eviction.for_whom.group); });
    for_each_eviction(session, [&](const Decision& eviction) {
      if (takers[eviction.node].size() != 1 || !goes_for_amounts_alone(session, eviction)) return;
      const auto& request = books.shape_of(eviction.pod).request;
      RC_LOG() << books.pod_key(eviction.pod) << " goes by " << eviction.rule << " on " << books.node(eviction.node).name;
      RC_ASSERT(std::any_of(request.begin(), request.end(),
                            [&](const auto& entry) { return entry.amount > books.free_later(entry.resource, eviction.node); }));
    });
  };
  run_scenario(scenario, options);
}

// For a gang only nodes are cleared on which some of it is to go, unless somebody there goes along with the gang or sub-group that
// is broken.
bool goes_as_a_whole(const volcano::Session& session, PodId pod) {
  const auto& job = session.cluster().job(session.books().pod(pod).group);
  if (session.counts(job).holding() == 0) return true;
  const auto id = job.sub_jobs && job.sub_jobs->has_policies() ? job.sub_jobs->of(pod) : volcano::SubJobId();
  return id && (*job.sub_jobs)[id].holding() == 0;
}

RC_GTEST_PROP(Laws, GangsClearOnlyNodesThatTheyGoTo, ()) {
  const auto scenario = with_evictions();
  RC_LOG() << description(scenario);
  RunOptions options{.behaviour = volcano::Behaviour::safe()};
  options.acted = [](volcano::Session& session) {
    const auto& books = session.books();
    for_each_eviction(session, [&](const Decision& eviction) {
      if (!eviction.rule.starts_with("gang") || goes_as_a_whole(session, eviction.pod)) return;
      const auto& pods = books.group(eviction.for_whom.group).pods;
      // Relations between pods reach beyond a node, and so do limits of queues, which both a victim and the gang count for.
      const bool limits = eviction.rule == "gangpreempt" && !session.chain(volcano::Point::kAllocatable).empty();
      const auto plain = [&](PodId pod) { return session.filter_dependence(pod) <= Dependence::kNode; };
      if (limits || !plain(eviction.pod) || !std::all_of(pods.begin(), pods.end(), plain)) return;
      RC_LOG() << books.pod_key(eviction.pod) << " goes by " << eviction.rule << " on " << books.node(eviction.node).name;
      RC_ASSERT(std::any_of(pods.begin(), pods.end(), [&](PodId pod) {
        return books.pod(pod).state == PodState::kPipelined && books.pod(pod).node == eviction.node;
      }));
    });
  };
  run_scenario(scenario, options);
}

// What of a job is complete, by name: the gang, its roles, its sub-groups. Only pods that are there count.
std::map<std::string, bool> completeness(const volcano::Session& session, const volcano::Job& job) {
  const auto counts = session.counts(job);
  std::map<std::string, bool> complete{{"gang", counts.ready() >= job.min_available}};
  if (counts.roles_matter())
    for (const auto& role : job.roles)
      complete["role " + std::to_string(role.name.index())] = role_ready(role) - role.waiting_best_effort >= role.minimum;
  if (!job.sub_jobs || !job.sub_jobs->has_policies()) return complete;
  std::vector<std::int32_t> whole(job.sub_jobs->groups().size());
  for (const auto& sub_job : job.sub_jobs->all()) {
    complete["sub-job " + sub_job.name] = sub_job.ready() >= sub_job.min_available;
    whole[sub_job.group] += sub_job.ready() >= sub_job.min_available;
  }
  for (std::size_t i = 0; i < whole.size(); ++i)
    complete["policy " + job.sub_jobs->groups()[i].name] = whole[i] >= job.sub_jobs->groups()[i].minimum;
  return complete;
}

std::set<std::string> gone_sub_jobs(const volcano::Job& job) {
  std::set<std::string> gone;
  if (job.sub_jobs)
    for (const auto& sub_job : job.sub_jobs->all())
      if (sub_job.holding() == 0) gone.insert("sub-job " + sub_job.name);
  return gone;
}

RC_GTEST_PROP(Laws, NoEvictionLeavesHalfAGang, ()) {
  const auto scenario = with_evictions();
  RC_LOG() << description(scenario);
  IdVector<GroupId, std::map<std::string, bool>> before;
  RunOptions options{.behaviour = volcano::Behaviour::safe()};
  options.opened = [&](volcano::Session& session) {
    before.clear();
    for (const auto id : IdRange<GroupId>(session.cluster().job_count()))
      before.push_back(completeness(session, session.cluster().job(id)));
  };
  run_scenario(scenario, options, [&](volcano::Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      const auto& job = session.cluster().job_of(eviction.pod);
      if (!before[job.id].at("gang") || session.counts(job).holding() == 0) return;
      const auto gone = gone_sub_jobs(job);
      for (const auto& [what, complete] : completeness(session, job)) {
        RC_LOG() << job.name << ": " << what << (before[job.id][what] ? " was complete" : "") << (complete ? " is complete" : "");
        RC_ASSERT(complete || !before[job.id][what] || gone.contains(what));
      }
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

// Otherwise what was left in the last cycle is planned for others before anybody who was promised it has a turn.
bool allocates_before_it_evicts(const volcano::Config& config) {
  const auto& actions = config.actions;
  const auto evictor = std::find_if(actions.begin(), actions.end(), [](std::string_view action) {
    return action.ends_with("preempt") || action.ends_with("reclaim");
  });
  return std::find(actions.begin(), evictor, "allocate") != evictor;
}

// Room that was made is not given to others: with nothing else happening, whoever was evicted for has it in the next cycle, or
// waits for it if others were leaving already, and nobody is evicted for it again before that.
RC_GTEST_PROP(Laws, RoomGoesToThoseForWhomItWasMade, ()) {
  auto scenario = with_evictions();
  scenario.between.assign(4, {BoundPodsRun{}});
  RC_LOG() << description(scenario);
  std::set<GroupId> promised;
  RunOptions options{.behaviour = volcano::Behaviour::safe()};
  options.acted = [&](volcano::Session& session) {
    std::set<GroupId> bound, now;
    for (const auto& decision : session.outbox()) {
      if (decision.kind == Decision::Kind::kBind) bound.insert(session.books().pod(decision.pod).group);
      if (decision.kind == Decision::Kind::kEvict && goes_for_amounts_alone(session, decision)) now.insert(decision.for_whom.group);
    }
    for (const auto id : promised) {
      const auto& job = session.cluster().job(id);
      if (session.overused(job.queue)) continue;
      RC_LOG() << job.name << " was promised room";
      RC_ASSERT(bound.contains(id) || (session.counts(job).of(PodState::kPipelined) != 0 && !now.contains(id)));
    }
    promised = std::move(now);
    if (!allocates_before_it_evicts(session.config())) promised.clear();
  };
  run_scenario(scenario, options);
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
