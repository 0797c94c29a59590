#pragma once

#include <memory>

#include "engine/extension/calls.h"
#include "policy/kai/extension_session.h"
#include "policy/kai/plugin.h"

namespace muster::kai {

// A plugin from outside: hands questions on to its library. Whether jobs are valid or let in is not asked in this dialect, and
// on_allocate cannot refuse. A job is a victim only if the library gives up all of its pods.
class ExtensionPlugin final : public Plugin {
 public:
  ExtensionPlugin(Session& session, ExtensionInstance& extension);
  Points points() const override;

  void open() override { calls_.open(); }
  void close() override { calls_.close(); }

  int compare_queues(const QueueSide& left, const QueueSide& right) override { return calls_.compare(left.queue, right.queue); }
  std::int64_t job_rank(const Job& job) const override;
  int compare_tasks(PodId left, PodId right) override { return calls_.compare(left, right); }

  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  NodeScores node_scores(PodId pod) override;
  FitStatus predicate(PodId pod, NodeId node) override;

  bool reclaim_victim(Job& reclaimer, const Job& victim) override;
  bool preempt_victim(Job& preemptor, const Job& victim) override;

  void on_allocate(PodId pod) override { calls_.allocated(pod); }
  void on_deallocate(PodId pod) override { calls_.deallocated(pod); }

 private:
  bool gives_up(ExtensionCalls::AskVictims ask, Job& winner, const Job& victim);

  std::unique_ptr<ExtensionSession> seen_;
  ExtensionCalls calls_;
};

}  // namespace muster::kai
