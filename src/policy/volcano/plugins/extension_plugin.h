#pragma once

#include <memory>

#include "policy/volcano/extension_session.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// A plugin from outside: hands every question on to its library, and answers as if it were not there where the library has no
// function for it.
class ExtensionPlugin final : public Plugin {
 public:
  ExtensionPlugin(Session& session, ExtensionInstance& extension);
  Points points() const override;

  void open() override;
  void close() override;

  double job_rank(const Job& job) override;
  int compare_tasks(PodId left, PodId right) override;
  bool task_order_is_fixed() const override { return false; }  // nobody knows
  int compare_queues(QueueId left, QueueId right) override;

  bool job_valid(const Job& job) override;
  Vote job_enqueueable(const Job& job) override;

  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  Dependence order_dependence(PodId pod) const override;
  void add_node_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  std::uint64_t class_key(PodId pod) const override;

  Ballot preemptable(PodId pod, std::span<const PodId> candidates) override;
  Ballot reclaimable(PodId pod, std::span<const PodId> candidates) override;
  bool protects() const override { return (table_.flags & MUSTER_PROTECTS_PODS) != 0; }

  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;
  bool undoes_cleanly() const override;

 private:
  using AskVictims = decltype(muster_plugin::preemptable);
  Ballot ballot(AskVictims ask, PodId pod, std::span<const PodId> candidates);

  ExtensionInstance& extension_;
  const muster_plugin& table_;
  void* self_;
  std::unique_ptr<ExtensionSession> seen_;
  std::vector<muster_node> nodes_;
  std::vector<double> scores_;
};

}  // namespace muster::volcano
