#pragma once

#include <muster/extension.h>
#include <string>
#include <vector>

#include "engine/books.h"

// What extensions see of a cycle. The books answer most questions; a dialect answers the rest by deriving from these two. Handles
// have been checked when they arrive here: they name things that exist.

struct muster_statement {
  virtual ~muster_statement() = default;
  virtual muster_session& session() = 0;
  virtual muster_status allocate(muster::PodId pod, muster::NodeId node) = 0;
  virtual muster_status pipeline(muster::PodId pod, muster::NodeId node) = 0;
  virtual muster_status evict(muster::PodId pod, muster::GroupId for_whom) = 0;
  virtual muster_status commit() = 0;
  virtual muster_status discard() = 0;
};

struct muster_session {
  virtual ~muster_session() = default;

  virtual const muster::Books& books() const = 0;
  virtual std::int64_t now() const = 0;
  virtual void warn(std::string text) = 0;

  // ---- groups and queues, of which the books know little
  virtual bool is_group(muster::GroupId group) const = 0;  // one that takes part in the cycle
  virtual std::string group_name(muster::GroupId group) const { return books().group(group).name; }
  virtual muster::QueueId group_queue(muster::GroupId group) const = 0;
  virtual std::int32_t group_priority(muster::GroupId group) const = 0;
  virtual std::int64_t group_minimum(muster::GroupId group) const = 0;
  virtual std::int64_t group_created(muster::GroupId group) const = 0;
  virtual bool group_admitted(muster::GroupId group) const = 0;
  virtual const muster::StringMap& group_labels(muster::GroupId group) const = 0;
  virtual const muster::StringMap& group_annotations(muster::GroupId group) const = 0;
  virtual muster::GroupId find_group(std::string_view name) const = 0;

  virtual std::size_t queue_count() const = 0;
  virtual bool is_queue(muster::QueueId queue) const = 0;
  virtual muster::QueueId find_queue(std::string_view name) const = 0;
  virtual const std::string& queue_name(muster::QueueId queue) const = 0;
  virtual muster::QueueId queue_parent(muster::QueueId queue) const = 0;
  virtual std::int32_t queue_weight(muster::QueueId queue) const = 0;
  virtual std::int32_t queue_priority(muster::QueueId queue) const = 0;
  virtual std::int64_t queue_amount(muster::QueueId queue, muster_queue_amount which, muster::ResourceId resource) const = 0;

  virtual bool pod_evictable(muster::PodId pod) const = 0;

  // ---- questions to all plugins
  virtual bool group_valid(muster::GroupId group) = 0;
  virtual bool group_ready(muster::GroupId group) = 0;
  virtual bool group_pipelined(muster::GroupId group) = 0;
  virtual bool queue_overused(muster::QueueId queue) = 0;
  virtual bool queue_allows(muster::QueueId queue, muster::PodId pod) = 0;
  virtual bool group_before(muster::GroupId left, muster::GroupId right) = 0;
  virtual bool queue_before(muster::QueueId left, muster::QueueId right) = 0;
  virtual bool pod_before(muster::PodId left, muster::PodId right) = 0;
  virtual muster_fit check(muster::PodId pod, muster::NodeId node, std::string& why) = 0;
  virtual muster_status best_node(muster::PodId pod, muster::NodeId& best, bool& later, std::string& why) = 0;
  enum class Eviction { kPreempt, kReclaim };
  virtual std::vector<muster::PodId> victims(Eviction kind, muster::PodId pod, const std::vector<muster::PodId>& candidates) = 0;

  // nullptr where nothing may be done.
  virtual muster_statement* open_statement() = 0;

  // Where a text waits that is made for one answer.
  std::string& scratch() { return scratch_; }

 private:
  std::string scratch_;
};

namespace muster {

// The functions that every extension is handed.
const muster_host& extension_host();

inline muster_pod handle_of(PodId id) { return {id.index()}; }
inline muster_group handle_of(GroupId id) { return {id.index()}; }
inline muster_queue handle_of(QueueId id) { return {id.index()}; }
inline muster_node handle_of(NodeId id) { return {id.index()}; }

}  // namespace muster
