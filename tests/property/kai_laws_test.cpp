// What the safe behaviour of the KAI dialect promises, whatever is scheduled.

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>
#include <set>

#include "property/kai_scenario.h"
#include "property/random_scenario.h"

namespace muster {
namespace {

using kai::Session;
using kai::Status;

void check_after_every_cycle(const std::function<void(Session&)>& law) {
  const auto scenario = random_kai_scenario();
  RC_LOG() << description(scenario);
  KaiRunOptions options;
  options.closed = law;
  run_kai_scenario(scenario, options);
}

template <class F>
void for_each_eviction(const Session& session, F f) {
  for (const auto& decision : session.outbox())
    if (decision.kind == Decision::Kind::kEvict) f(decision);
}

RC_GTEST_PROP(KaiLaws, NobodyTakesMoreThanANodeHas, ()) {
  check_after_every_cycle([](Session& session) {
    const auto& ledgers = session.books().ledgers();
    for (const auto node : session.cluster().nodes_by_name())
      for (std::size_t r = 0; r < ledgers.idle.size(); ++r) {
        RC_LOG() << session.books().node(node).name << " has " << ledgers.idle[r][node.index()] << " of "
                 << session.books().resource_name(ResourceId(r));
        RC_ASSERT(ledgers.idle[r][node.index()] >= 0);
      }
  });
}

RC_GTEST_PROP(KaiLaws, NoGpuIsSharedOutMoreThanOnce, ()) {
  check_after_every_cycle([](Session& session) {
    for (const auto node : session.cluster().nodes_by_name()) {
      const auto& info = session.cluster().node_info(node);
      std::map<SymbolId, std::int64_t> held;
      for (const auto pod : IdRange<PodId>(session.books().pod_count())) {
        const auto& task = session.cluster().task(pod);
        if (!task.gpu.shared()) continue;
        for (const auto& place : task.places)
          if (place.node == node && place.status != Status::kPipelined)
            for (const auto group : place.groups) held[group] += info.memory_of(task.gpu);
      }
      std::int64_t in_use = 0;
      for (const auto& [group, memory] : held) {
        RC_LOG() << session.books().symbols().text(group) << " gives " << memory << " of " << info.gpu_memory;
        RC_ASSERT(memory <= info.gpu_memory);
        const auto* known = info.find_group(group);
        RC_ASSERT(known != nullptr && known->allocated == memory);
        ++in_use;
      }
      const auto gpu = session.cluster().gpu().index();
      const auto& ledgers = session.books().ledgers();
      const auto whole = (ledgers.allocatable[gpu][node.index()] - ledgers.idle[gpu][node.index()]) / kai::kWholeGpu;
      RC_ASSERT(in_use <= whole);
    }
  });
}

RC_GTEST_PROP(KaiLaws, EveryCycleLeavesTheSumsRight, ()) {
  const auto scenario = random_kai_scenario();
  RC_LOG() << description(scenario);
  KaiRunOptions options;
  options.settled = [](kai::Cluster& cluster) {
    // A shared GPU that is about to be free is no pod's, so the books cannot derive it.
    const auto& nodes = cluster.nodes_by_name();
    const bool derivable =
        std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) { return cluster.node_info(node).shared_releasing == 0; });
    RC_ASSERT(!derivable || cluster.books().check_sums());
    for (const auto id : cluster.listed_jobs()) {
      const auto& job = cluster.job(id);
      kai::JobSums held;
      job.for_each_pod([&](PodId pod) {
        const auto& task = cluster.task(pod);
        RC_ASSERT(task.status != Status::kAllocated && task.status != Status::kPipelined);
        if (kai::kQuotaAllocated.contains(task.status)) held.add(task.accepted_sums, +1);
      });
      RC_ASSERT(held.cpu == job.held.cpu);
      RC_ASSERT(held.memory == job.held.memory);
      RC_ASSERT(held.gpu_hundredths == job.held.gpu_hundredths);
      RC_ASSERT(held.gpu_mib == job.held.gpu_mib);
    }
  };
  run_kai_scenario(scenario, options);
}

RC_GTEST_PROP(KaiLaws, NoGangIsBoundBelowItsMinimum, ()) {
  check_after_every_cycle([](Session& session) {
    for (const auto& bind : session.outbox()) {
      if (bind.kind != Decision::Kind::kBind) continue;
      const auto& job = session.cluster().job_of(bind.pod);
      const auto& pods = job.part(job.groups.pod_sets().front());
      RC_LOG() << job.name << " has " << pods.active_allocated << " of " << pods.minimum;
      RC_ASSERT(pods.pods_satisfied());
    }
  });
}

// Nobody goes for nothing.
RC_GTEST_PROP(KaiLaws, WhoeverIsEvictedForMayRunThen, ()) {
  check_after_every_cycle([](Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      if (!eviction.for_whom.group) return;
      const auto& job = session.cluster().job(eviction.for_whom.group);
      RC_LOG() << session.books().pod_key(eviction.pod) << " goes by " << eviction.rule << " for " << job.name;
      RC_ASSERT(job.groups.satisfied(job.groups.root()));
      RC_ASSERT(job.count(Status::kPipelined) > 0u);
    });
  });
}

RC_GTEST_PROP(KaiLaws, NoEvictionLeavesHalfAGang, ()) {
  const auto scenario = random_kai_scenario();
  RC_LOG() << description(scenario);
  std::set<GroupId> complete;
  KaiRunOptions options;
  options.opened = [&](Session& session) {
    complete.clear();
    for (const auto id : session.cluster().listed_jobs())
      if (const auto& job = session.cluster().job(id); job.groups.satisfied(job.groups.root())) complete.insert(id);
  };
  options.closed = [&](Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      const auto& job = session.cluster().job_of(eviction.pod);
      if (!complete.contains(job.id)) return;
      RC_LOG() << session.books().pod_key(eviction.pod) << " goes by " << eviction.rule << " and leaves "
               << job.count(kai::kActiveAllocated);
      RC_ASSERT(job.groups.satisfied(job.groups.root()) || job.count(kai::kActiveAllocated) == 0u);
    });
  };
  run_kai_scenario(scenario, options);
}

RC_GTEST_PROP(KaiLaws, WhoeverWasServedIsNoVictim, ()) {
  check_after_every_cycle([](Session& session) {
    std::set<GroupId> served;
    for (const auto& decision : session.outbox()) {
      const auto job = session.books().pod(decision.pod).group;
      if (decision.kind == Decision::Kind::kBind) {
        served.insert(job);
        continue;
      }
      RC_LOG() << session.books().pod_key(decision.pod) << " goes by " << decision.rule;
      RC_ASSERT(!served.contains(job));
      if (decision.for_whom.group) served.insert(decision.for_whom.group);
    }
  });
}

RC_GTEST_PROP(KaiLaws, WhatCannotBePreemptedIsNot, ()) {
  check_after_every_cycle([](Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      RC_ASSERT(session.cluster().job_of(eviction.pod).preemptible || eviction.rule == "stalegangeviction");
    });
  });
}

// Evicted pods are gone and nobody makes them anew: with nothing else happening the cluster comes to rest.
RC_GTEST_PROP(KaiLaws, CyclesComeToRest, ()) {
  auto scenario = random_kai_scenario();
  scenario.cycles = 25;
  RC_LOG() << description(scenario);
  std::size_t decisions = 0;
  KaiRunOptions options;
  options.closed = [&](Session& session) { decisions = session.outbox().size(); };
  run_kai_scenario(scenario, options);
  RC_ASSERT(decisions == 0u);
}

// Evicted pods come back and wait: who had to leave for somebody does not drive them out again in the next cycle.
RC_GTEST_PROP(KaiLaws, NobodyTakesBackWhatWasTakenBack, ()) {
  auto scenario = random_kai_scenario();
  scenario.between = KaiBetween::kRespawn;
  scenario.cycles = 6;
  RC_LOG() << description(scenario);
  std::set<std::pair<GroupId, GroupId>> before;  // who left for whom
  KaiRunOptions options;
  options.closed = [&](Session& session) {
    std::set<std::pair<GroupId, GroupId>> now;
    for_each_eviction(session, [&](const Decision& eviction) {
      const auto victim = session.books().pod(eviction.pod).group;
      const auto whom = eviction.for_whom.group;
      if (!whom || session.cluster().task(eviction.pod).status == Status::kPipelined) return;
      RC_LOG() << session.books().pod_key(eviction.pod) << " goes by " << eviction.rule << " for "
               << session.cluster().job(whom).name;
      RC_ASSERT(!before.contains({whom, victim}));
      now.insert({victim, whom});
    });
    before = std::move(now);
  };
  run_kai_scenario(scenario, options);
}

// Controllers make evicted pods anew: with nothing else happening evictions stop all the same.
RC_GTEST_PROP(KaiLaws, EvictionsStopAlsoWhenPodsComeBack, ()) {
  auto scenario = random_kai_scenario();
  scenario.between = KaiBetween::kRecreate;
  scenario.cycles = 40;
  RC_LOG() << description(scenario);
  std::size_t decisions = 0;
  int cycle = 0;
  KaiRunOptions options;
  options.closed = [&](Session& session) {
    ++cycle;
    decisions = session.outbox().size();
    for_each_eviction(session, [&](const Decision& eviction) {
      RC_LOG() << cycle << ": " << session.books().pod_key(eviction.pod) << " goes by " << eviction.rule << " for "
               << (eviction.for_whom.group ? session.cluster().job(eviction.for_whom.group).name : "nobody") << "\n";
    });
  };
  run_kai_scenario(scenario, options);
  RC_ASSERT(decisions == 0u);
}

// The same over several cycles, with pods that were given room: what a job took is not taken back for the job that lost it.
RC_GTEST_PROP(KaiLaws, NoEvictionIsJustifiedByItsReversal, ()) {
  auto scenario = random_kai_scenario();
  scenario.between = KaiBetween::kRecreate;
  scenario.cycles = 12;
  RC_LOG() << description(scenario);
  std::map<std::pair<GroupId, GroupId>, int> left_for;  // who left for whom, and when
  int cycle = 0;
  KaiRunOptions options;
  options.closed = [&](Session& session) {
    ++cycle;
    for_each_eviction(session, [&](const Decision& eviction) {
      const auto victim = session.books().pod(eviction.pod).group;
      const auto whom = eviction.for_whom.group;
      if (!whom || session.cluster().task(eviction.pod).status == Status::kPipelined) return;
      RC_LOG() << cycle << ": " << session.books().pod_key(eviction.pod) << " goes by " << eviction.rule << " for "
               << session.cluster().job(whom).name << "\n";
      const auto reverse = left_for.find({whom, victim});
      const bool justified_again = reverse != left_for.end() && reverse->second >= cycle - 3;
      RC_ASSERT_FALSE(justified_again);
      left_for[{victim, whom}] = cycle;
    });
  };
  run_kai_scenario(scenario, options);
}

// Room that was made is not given to others.
RC_GTEST_PROP(KaiLaws, RoomGoesToThoseForWhomItWasMade, ()) {
  auto scenario = random_kai_scenario();
  scenario.between = KaiBetween::kRecreate;
  scenario.cycles = 6;
  RC_LOG() << description(scenario);
  std::set<GroupId> promised;
  KaiRunOptions options;
  options.closed = [&](Session& session) {
    std::set<GroupId> bound, now;
    for (const auto& decision : session.outbox()) {
      if (decision.kind == Decision::Kind::kBind) bound.insert(session.books().pod(decision.pod).group);
      if (decision.kind == Decision::Kind::kEvict && decision.for_whom.group) now.insert(decision.for_whom.group);
    }
    for (const auto job : promised) {
      RC_LOG() << session.cluster().job(job).name << " was promised room";
      RC_ASSERT(bound.contains(job));
    }
    promised = std::move(now);
  };
  run_kai_scenario(scenario, options);
}

// An eviction names the node where its pod is, also when the pod has been promised another one.
RC_GTEST_PROP(KaiLaws, WhoeverIsEvictedLeavesTheNodeWhereItIs, ()) {
  check_after_every_cycle([](Session& session) {
    for_each_eviction(session, [&](const Decision& eviction) {
      RC_LOG() << session.books().pod_key(eviction.pod) << " goes by " << eviction.rule;
      RC_ASSERT(eviction.node == session.cluster().task(eviction.pod).facts.node);
    });
  });
}

// The nodes for which somebody waits that others were evicted or moved for: the job itself, or who has to leave such a node.
std::set<NodeId> nodes_needed(const Session& session) {
  const auto& cluster = session.cluster();
  std::map<PodId, NodeId> left;
  std::set<GroupId> winners;
  for_each_eviction(session, [&](const Decision& eviction) {
    left[eviction.pod] = eviction.node;
    winners.insert(eviction.for_whom.group);
  });
  std::set<NodeId> needed;
  for (bool more = true; more;) {
    more = false;
    for (const auto pod : IdRange<PodId>(session.books().pod_count())) {
      const auto& task = cluster.task(pod);
      if (task.status != Status::kPipelined) continue;
      const auto from = left.find(pod);
      const bool counts = from == left.end() ? winners.contains(session.books().pod(pod).group) : needed.contains(from->second);
      more |= counts && needed.insert(task.node).second;
    }
  }
  return needed;
}

// In the end it is for the job that everybody else makes room for: nobody is sent back to where it was, and no two change places.
RC_GTEST_PROP(KaiLaws, NobodyMovesForNothing, ()) {
  check_after_every_cycle([](Session& session) {
    const auto needed = nodes_needed(session);
    for_each_eviction(session, [&](const Decision& eviction) {
      if (session.cluster().task(eviction.pod).status != Status::kPipelined) return;
      RC_LOG() << session.books().pod_key(eviction.pod) << " moves by " << eviction.rule << " from "
               << session.books().node(eviction.node).name;
      RC_ASSERT(needed.contains(eviction.node));
    });
  });
}

// Who loses its place leaves such a node, too, unless it goes with the rest of its gang, of which some do.
RC_GTEST_PROP(KaiLaws, NobodyLosesItsPlaceForNothing, ()) {
  check_after_every_cycle([](Session& session) {
    const auto needed = nodes_needed(session);
    std::set<GroupId> in_the_way;
    for_each_eviction(session, [&](const Decision& eviction) {
      if (needed.contains(eviction.node)) in_the_way.insert(session.books().pod(eviction.pod).group);
    });
    for_each_eviction(session, [&](const Decision& eviction) {
      if (!eviction.for_whom.group || needed.contains(eviction.node)) return;
      const auto& job = session.cluster().job_of(eviction.pod);
      RC_LOG() << session.books().pod_key(eviction.pod) << " goes by " << eviction.rule << " from "
               << session.books().node(eviction.node).name;
      RC_ASSERT(in_the_way.contains(job.id));
      RC_ASSERT(job.count(kai::kActiveAllocated) == 0u);
    });
  });
}

RC_GTEST_PROP(KaiLaws, IndexAndReferenceDecideAlike, ()) {
  const auto scenario = random_kai_scenario();
  RC_LOG() << description(scenario);
  for (const auto behaviour : {kai::Behaviour::safe(), kai::Behaviour::exact()}) {
    KaiRunOptions by_index, by_reference;
    by_index.behaviour = by_reference.behaviour = behaviour;
    by_reference.search = SearchKind::kReference;
    RC_ASSERT(run_kai_scenario(scenario, by_index) == run_kai_scenario(scenario, by_reference));
  }
}

// What was decided, without the reasons of those that wait.
std::vector<std::string> decisions(const std::vector<std::string>& outcomes) {
  std::vector<std::string> out;
  for (const auto& outcome : outcomes) {
    auto json = nlohmann::json::parse(outcome);
    json.erase("unschedulable_reasons");
    out.push_back(json.dump());
  }
  return out;
}

RC_GTEST_PROP(KaiLaws, InputOrderDecidesNothing, ()) {
  auto scenario = random_kai_scenario();
  RC_LOG() << description(scenario);
  const auto ordered = decisions(run_kai_scenario(scenario, {}));
  auto& objects = scenario.objects;
  for (std::size_t i = 0; i + 1 < objects.size(); ++i)
    std::swap(objects[i], objects[i + static_cast<std::size_t>(pick(static_cast<int>(objects.size() - i)))]);
  RC_LOG() << "reordered:\n" << description(scenario);
  RC_ASSERT(decisions(run_kai_scenario(scenario, {})) == ordered);
}

}  // namespace
}  // namespace muster
