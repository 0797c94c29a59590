#pragma once

#include <memory>
#include <vector>

#include "policy/kai/extension_session.h"
#include "policy/kai/plugin.h"

namespace muster::kai {

// A plugin from outside: hands questions on to its library. Whether jobs are valid or let in is not asked in this dialect, and
// on_allocate cannot refuse. A job is a victim only if the library gives up all of its pods.
class ExtensionPlugin final : public Plugin {
 public:
  ExtensionPlugin(Session& session, ExtensionInstance& extension);
  Points points() const override;

  void open() override;
  void close() override;

  int compare_queues(const QueueSide& left, const QueueSide& right) override;
  std::int64_t job_rank(const Job& job) const override;
  int compare_tasks(PodId left, PodId right) override;

  void add_node_scores(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  NodeScores node_scores(PodId pod) override;
  FitStatus predicate(PodId pod, NodeId node) override;

  bool reclaim_victim(Job& reclaimer, const Job& victim) override;
  bool preempt_victim(Job& preemptor, const Job& victim) override;

  void on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;

 private:
  using AskVictims = decltype(muster_plugin::preemptable);
  bool gives_up(AskVictims ask, Job& winner, const Job& victim);

  ExtensionInstance& extension_;
  const muster_plugin& table_;
  void* self_;
  std::unique_ptr<ExtensionSession> seen_;
  std::vector<muster_node> nodes_;
  std::vector<double> scores_;
};

}  // namespace muster::kai
