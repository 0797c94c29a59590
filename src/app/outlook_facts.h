#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/queue_limits.h"
#include "app/refused_binds.h"
#include "policy/volcano/session.h"

namespace muster {

// What the outlooks of all jobs have in common, looked up once: with thousands of jobs, looking at every node or event for each of
// them would take longer than the cycle.
class OutlookFacts {
 public:
  // What was refused is looked at, not kept.
  OutlookFacts(volcano::Session& session, const RefusedBinds& refused);

  const QueueLimits& queue_limits() const { return queue_limits_; }
  std::size_t nodes() const { return nodes_; }
  // The most that any node has of a resource when it is empty.
  std::int64_t largest(ResourceId resource) const { return resource.index() < largest_.size() ? largest_[resource.index()] : 0; }
  // What was said when the job was not let in; nullptr when nothing was.
  const std::string* refusal_to_let_in(GroupId job) const;
  // Why a pod is held back after its bind; nullptr when it is not.
  const std::string* why_refused(std::string_view pod) const;
  bool knows_refused() const { return !refused_.empty(); }
  // Whether the HTTP extender could not be asked in this cycle, and whether that is what a refusal says.
  bool extender_failed() const { return !extender_failures_.empty(); }
  const std::string& extender_failure() const { return *extender_failures_.begin(); }  // one of those, if it failed
  bool is_extender_failure(std::string_view refusal) const { return extender_failures_.contains(refusal); }

 private:
  QueueLimits queue_limits_;
  const RefusedBinds& refused_;
  std::size_t nodes_ = 0;
  std::vector<std::int64_t> largest_;
  boost::unordered_flat_map<GroupId, const std::string*, std::hash<GroupId>> refusals_;
  std::set<std::string, std::less<>> extender_failures_;  // what went wrong
};

}  // namespace muster
