#pragma once

#include <memory>

#include "engine/extension/calls.h"
#include "policy/volcano/extension_session.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// A plugin from outside: hands every question on to its library, and answers as if it were not there where the library has no
// function for it.
class ExtensionPlugin final : public Plugin {
 public:
  ExtensionPlugin(Session& session, ExtensionInstance& extension);
  Points points() const override;

  void open() override { calls_.open(); }
  void close() override { calls_.close(); }

  double job_rank(const Job& job) override { return calls_.rank(job.id); }
  int compare_tasks(PodId left, PodId right) override { return calls_.compare(left, right); }
  bool task_order_is_fixed() const override { return false; }  // nobody knows
  int compare_queues(QueueId left, QueueId right) override { return calls_.compare(left, right); }

  bool job_valid(const Job& job) override { return calls_.valid(job.id); }
  Vote job_enqueueable(const Job& job) override;

  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  Dependence order_dependence(PodId pod) const override;
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  std::uint64_t class_key(PodId pod) const override { return calls_.class_key(pod); }

  Ballot preemptable(PodId pod, std::span<const PodId> candidates) override;
  Ballot reclaimable(PodId pod, std::span<const PodId> candidates) override;
  bool protects() const override;

  bool on_allocate(PodId pod) override { return calls_.allocated(pod); }
  void on_deallocate(PodId pod) override { calls_.deallocated(pod); }
  bool undoes_cleanly() const override;

 private:
  Ballot ballot(ExtensionCalls::AskVictims ask, PodId pod, std::span<const PodId> candidates);

  std::unique_ptr<ExtensionSession> seen_;
  ExtensionCalls calls_;
};

}  // namespace muster::volcano
