// Statements over random clusters: undone, they leave no trace in the books or in what plugins derive from them.

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "policy/volcano/plugins/drf.h"
#include "policy/volcano/plugins/proportion.h"
#include "property/scenario_run.h"
#include "support/books_snapshot.h"
#include "support/volcano_builders.h"

namespace muster::volcano {
namespace {

struct Trace {
  BooksSnapshot books;
  std::vector<double> numbers;  // every queue's share and amounts, every role's counts
  bool operator==(const Trace&) const = default;
};

class OpenWorld {
 public:
  OpenWorld() : world(default_config()) {
    const auto scenario = random_scenario({.node_kinds = 3, .jobs = 4, .cycles = 1});
    RC_LOG() << description(scenario);
    for (const auto& object : scenario.objects) world.cluster().apply(object);
    world.open();
    for (const auto pod : IdRange<PodId>(books().pod_count()))
      if (const auto group = books().pod(pod).group; group && world.cluster().job(group).schedulable() && is_pending(pod))
        candidates_.push_back(pod);
    for (const auto pod : IdRange<PodId>(books().pod_count()))
      if (const auto group = books().pod(pod).group; group && world.cluster().job(group).schedulable() && is_running(pod))
        runners_.push_back(pod);
  }

  Session& session() { return world.session(); }
  const Books& books() { return world.session().books(); }
  bool is_pending(PodId pod) { return books().pod(pod).state == PodState::kPending; }
  bool is_running(PodId pod) { return books().pod(pod).state == PodState::kRunning; }

  // Places up to `count` pods anywhere, fitting or not.
  std::vector<PodId> place_some(Statement& statement, int count) {
    std::vector<PodId> placed;
    for (int i = 0; i < count && !candidates_.empty(); ++i) {
      const auto pod = candidates_[static_cast<std::size_t>(pick(static_cast<int>(candidates_.size())))];
      const NodeId node(static_cast<std::size_t>(pick(static_cast<int>(books().node_count()))));
      if (!is_pending(pod)) continue;
      const bool placed_it = chance(3) ? statement.pipeline(pod, node) : statement.allocate(pod, node);
      RC_ASSERT(placed_it);
      placed.push_back(pod);
    }
    return placed;
  }

  // Evicts somebody, if anybody is left.
  void evict_one(Statement& statement) {
    if (runners_.empty()) return;
    const auto pod = runners_[static_cast<std::size_t>(pick(static_cast<int>(runners_.size())))];
    if (is_running(pod)) statement.evict(pod, "test", {books().pod(pod).group, PodId()});
  }

  // One thing that an action might do with its statements, the last of which is the one at hand.
  void do_something(std::vector<Statement>& statements) {
    auto& last = statements.back();
    switch (pick(7)) {
      case 0: place_some(last, 1); break;
      case 1: evict_one(last); break;
      case 2:
        if (const auto victims = last.victims(); !victims.empty()) last.spare_if(victims[victims.size() / 2], [] { return true; });
        break;
      case 3: statements.emplace_back(session()); break;
      case 4: last.discard(); break;
      case 5: {
        const auto plan = last.save();
        last.discard();
        RC_ASSERT(last.replay(plan));
        break;
      }
      default:
        if (statements.size() < 2) break;
        auto top = std::move(statements.back());
        statements.pop_back();
        statements.back().merge(std::move(top));
        break;
    }
  }

  // What proportion keeps of a queue must be what its jobs hold and were promised.
  void check_queues() {
    const auto* proportion = session().plugin<Proportion>("proportion");
    std::vector<Amounts> holds(world.cluster().queue_count());
    for (const auto id : IdRange<GroupId>(world.cluster().job_count())) {
      const auto& job = world.cluster().job(id);
      if (!job.schedulable()) continue;
      holds[job.queue.index()] += books().group(id).held;
      for (const auto pod : books().group(id).pods)
        if (books().pod(pod).state == PodState::kPipelined) holds[job.queue.index()] += books().shape_of(pod).request;
    }
    for (const auto id : IdRange<QueueId>(world.cluster().queue_count()))
      for (const auto r : {kCpu, kMemory})
        RC_ASSERT(proportion->share_of_queue(id).allocated.get(r) == static_cast<double>(holds[id.index()].get(r)));
  }

  void check_all() {
    RC_ASSERT(books().check_sums());
    check_queues();
    check_drf();
  }

  Trace trace() {
    Trace trace{snapshot_of(books()), {}};
    const auto* proportion = session().plugin<Proportion>("proportion");
    for (const auto id : IdRange<QueueId>(world.cluster().queue_count())) {
      const auto& share = proportion->share_of_queue(id);
      trace.numbers.push_back(share.share);
      for (const auto r : IdRange<ResourceId>(books().resource_count())) trace.numbers.push_back(share.allocated.get(r));
    }
    for (const auto id : IdRange<GroupId>(world.cluster().job_count())) {
      trace.numbers.push_back(world.cluster().job(id).waiting_best_effort);
      for (const auto& role : world.cluster().job(id).roles)
        for (const auto count : role.count) trace.numbers.push_back(count);
    }
    return trace;
  }

  // What drf keeps must be what the job's placed pods hold, whether or not drf was asked earlier.
  void check_drf() {
    auto* drf = session().plugin<Drf>("drf");
    for (const auto id : IdRange<GroupId>(world.cluster().job_count())) {
      if (chance(3)) continue;
      Amounts holds = books().group(id).held;
      for (const auto pod : books().group(id).pods)
        if (books().pod(pod).state == PodState::kPipelined) holds += books().shape_of(pod).request;
      double share = 0;
      for (const auto& [resource, total] : books().total_allocatable())
        if (total > 0) share = std::max(share, static_cast<double>(holds.get(resource)) / static_cast<double>(total));
      RC_ASSERT(drf->share_of_job(id) == share);
    }
  }

  VolcanoWorld world;

 private:
  std::vector<PodId> candidates_;
  std::vector<PodId> runners_;
};

RC_GTEST_PROP(StatementHistory, DiscardLeavesNoTrace, ()) {
  OpenWorld open;
  if (chance(2)) open.check_drf();
  const auto before = open.trace();
  Statement statement(open.session());
  const auto placed = open.place_some(statement, 1 + pick(8));
  RC_ASSERT(statement.size() == placed.size());
  open.check_drf();
  RC_ASSERT(open.books().check_sums());
  statement.discard();
  RC_ASSERT(open.trace() == before);
  open.check_drf();
}

RC_GTEST_PROP(StatementHistory, AnEarlierOneIsNotTouched, ()) {
  OpenWorld open;
  Statement first(open.session());
  open.place_some(first, 1 + pick(4));
  const auto before = open.trace();
  Statement second(open.session());
  open.place_some(second, 1 + pick(4));
  second.discard();
  RC_ASSERT(open.trace() == before);
  open.check_drf();
  open.session().keep(std::move(first));
}

RC_GTEST_PROP(StatementHistory, CommitDecidesOrTakesBack, ()) {
  OpenWorld open;
  Statement statement(open.session());
  const auto placed = open.place_some(statement, 1 + pick(8));
  std::size_t allocated = 0;
  for (const auto pod : placed) allocated += open.books().pod(pod).state == PodState::kAllocated;
  const auto decided_before = open.session().outbox().size();
  statement.commit("test");
  RC_ASSERT(statement.empty());
  RC_ASSERT(open.books().check_sums());
  open.check_drf();
  std::size_t binding = 0, taken_back = 0;
  for (const auto pod : placed) {
    const auto& record = open.books().pod(pod);
    binding += record.state == PodState::kBinding;
    taken_back += record.state == PodState::kPending;
    if (record.state == PodState::kPending) RC_ASSERT((!record.accounted_on && !record.present_on && !record.node));
  }
  RC_ASSERT(binding + taken_back == allocated);
  RC_ASSERT(open.session().outbox().size() - decided_before == binding);
}

// Evictions that are undone put a pod at the end of its node's list, so the order there is not compared.
Trace without_order(Trace trace) {
  for (auto& pods : trace.books.on_nodes) std::sort(pods.begin(), pods.end());
  return trace;
}

RC_GTEST_PROP(StatementHistory, WhateverIsDoneAndUndoneTheBooksAddUp, ()) {
  OpenWorld open;
  const auto before = without_order(open.trace());
  std::vector<Statement> statements;
  statements.emplace_back(open.session());
  for (int i = 1 + pick(20); i > 0; --i) {
    open.do_something(statements);
    open.check_all();
  }
  for (; !statements.empty(); statements.pop_back()) statements.back().discard();
  open.check_all();
  RC_ASSERT(without_order(open.trace()) == before);
}

RC_GTEST_PROP(StatementHistory, SoTheyDoWhenSomeOfItIsDecided, ()) {
  OpenWorld open;
  std::vector<Statement> statements;
  statements.emplace_back(open.session());
  for (int i = 1 + pick(20); i > 0; --i) {
    open.do_something(statements);
    if (chance(5)) statements.back().commit("test");
    open.check_all();
  }
  for (; !statements.empty(); statements.pop_back()) statements.back().discard();
  open.check_all();
  open.session().close();
  RC_ASSERT(open.books().check_sums());
}

RC_GTEST_PROP(StatementHistory, WhatIsKeptIsGoneWhenTheCycleEnds, ()) {
  OpenWorld open;
  const auto before = open.trace().books;
  Statement statement(open.session());
  open.place_some(statement, 1 + pick(8));
  open.session().keep(std::move(statement));
  open.session().close();
  RC_ASSERT(snapshot_of(open.books()) == before);
}

}  // namespace
}  // namespace muster::volcano
