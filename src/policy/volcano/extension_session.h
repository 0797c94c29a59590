#pragma once

#include <optional>
#include <string_view>

#include "engine/extension/open_statement.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

// A session as extensions see it: jobs are groups. An action may act, and ask all plugins; a plugin only answers, because plugins
// that ask each other would never come to an end.
class ExtensionSession final : public ::muster_session {
 public:
  explicit ExtensionSession(Session& session);
  // For an action of this name, which has to live as long as the session's outbox.
  ExtensionSession(Session& session, std::string_view action);
  ~ExtensionSession() override;

  // Discards statements that were left open; how many there were.
  std::size_t discard_open() { return statements_.discard(); }

  const Books& books() const override { return session_.books(); }
  std::int64_t now() const override { return session_.now().seconds; }
  void warn(std::string text) override;

  bool is_group(GroupId group) const override { return job(group).schedulable(); }
  QueueId group_queue(GroupId group) const override { return job(group).queue; }
  std::int32_t group_priority(GroupId group) const override { return job(group).priority; }
  std::int64_t group_minimum(GroupId group) const override { return job(group).min_available; }
  std::int64_t group_created(GroupId group) const override { return job(group).created.seconds; }
  bool group_admitted(GroupId group) const override { return job(group).status.phase != Phase::kPending; }
  const StringMap& group_labels(GroupId group) const override { return job(group).labels; }
  const StringMap& group_annotations(GroupId group) const override { return job(group).annotations; }
  GroupId find_group(std::string_view name) const override { return session_.cluster().find_job(name); }

  std::size_t queue_count() const override { return session_.cluster().queue_count(); }
  bool is_queue(QueueId id) const override { return queue(id).known; }
  QueueId find_queue(std::string_view name) const override { return session_.cluster().find_queue(name); }
  const std::string& queue_name(QueueId id) const override { return queue(id).name; }
  QueueId queue_parent(QueueId id) const override { return session_.cluster().find_queue(queue(id).parent); }
  std::int32_t queue_weight(QueueId id) const override { return queue(id).weight; }
  std::int32_t queue_priority(QueueId id) const override { return queue(id).priority; }
  std::int64_t queue_amount(QueueId id, muster_queue_amount which, ResourceId resource) const override;

  bool pod_evictable(PodId pod) const override;

  bool group_valid(GroupId group) override { return acts() && session_.job_valid(job(group)); }
  bool group_ready(GroupId group) override { return acts() && session_.job_ready(job(group)); }
  bool group_pipelined(GroupId group) override { return acts() && session_.job_pipelined(job(group)); }
  bool queue_overused(QueueId id) override { return acts() && session_.overused(id); }
  bool queue_allows(QueueId id, PodId pod) override { return acts() && session_.allocatable(id, pod); }
  bool group_before(GroupId left, GroupId right) override { return acts() && session_.job_before(left, right); }
  bool queue_before(QueueId left, QueueId right) override { return acts() && session_.queue_before(left, right); }
  bool pod_before(PodId left, PodId right) override { return acts() && session_.task_before(left, right); }
  muster_fit check(PodId pod, NodeId node, std::string& why) override;
  muster_status best_node(PodId pod, NodeId& best, bool& later, std::string& why) override;
  std::vector<PodId> victims(Eviction kind, PodId pod, const std::vector<PodId>& candidates) override;

  muster_statement* open_statement() override;

 private:
  class ActionStatement;
  bool acts() const { return action_.has_value(); }
  const Job& job(GroupId id) const { return session_.cluster().job(id); }
  const QueueInfo& queue(QueueId id) const { return session_.cluster().queue(id); }

  Session& session_;
  std::optional<std::string_view> action_;
  OpenStatements statements_;
};

}  // namespace muster::volcano
