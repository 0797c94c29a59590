#pragma once

#include <set>
#include <string>

#include "policy/volcano/extender_client.h"
#include "policy/volcano/plugin.h"

namespace muster::volcano {

// Asks an HTTP service, on the topics for which the configuration names a verb. Where the service does not answer, or wrongly, the
// argument `extender.ignorable` decides what counts instead. A service that nobody reaches is not asked again in the same cycle
// after a few attempts: a dead one would otherwise hold up every decision for as long as its timeout.
class Extender final : public Plugin {
 public:
  Extender(Session& session, const PluginOption& option);
  Points points() const override;

  void open() override;
  void close() override;

  bool job_ready(const Job& job) override;
  Vote job_enqueueable(const Job& job) override;
  void job_enqueued(const Job& job) override;
  bool overused(QueueId queue) override;

  Dependence predicate_dependence(PodId pod) const override;
  void predicate(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const override;
  Dependence order_dependence(PodId pod) const override;
  void add_batch_order(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) override;
  bool batch_order_failed() const override { return order_failed_; }

  Ballot preemptable(PodId pod, std::span<const PodId> candidates) override;
  Ballot reclaimable(PodId pod, std::span<const PodId> candidates) override;

  bool on_allocate(PodId pod) override;
  void on_deallocate(PodId pod) override;
  bool undoes_cleanly() const override;

 private:
  using Answer = tl::expected<ExtenderAnswer, ExtenderFailure>;

  const std::string& verb(ExtenderTopic topic) const { return verbs_[static_cast<std::size_t>(topic)]; }
  bool asks(ExtenderTopic topic) const { return !disabled_ && !verb(topic).empty(); }
  bool is_interested(PodId pod) const;
  Answer ask(ExtenderQuestion question) const;
  Answer ask_about(ExtenderTopic topic, PodId pod) const;
  Answer ask_about(ExtenderTopic topic, const Job& job) const;
  Ballot ballot(ExtenderTopic topic, PodId pod, std::span<const PodId> candidates);

  static constexpr std::size_t kTopics = static_cast<std::size_t>(ExtenderTopic::kDeallocate) + 1;
  std::string url_prefix_;
  std::int64_t timeout_nanos_;
  std::string verbs_[kTopics];
  bool ignorable_;
  std::set<std::string> managed_;  // empty: every pod concerns it

  bool disabled_ = false;                 // for this cycle, because it did not answer at its opening
  bool order_failed_ = false;             // the last one
  mutable int unreached_ = 0;             // times in a row
  mutable ExtenderFailure last_failure_;  // what counts for questions that are not asked any more
};

}  // namespace muster::volcano
