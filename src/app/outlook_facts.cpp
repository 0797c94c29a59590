#include "app/outlook_facts.h"

#include <algorithm>

namespace muster {
namespace {

constexpr std::string_view kExtenderFailed = "the extender failed: ";  // as the plugin warns of it

}  // namespace

OutlookFacts::OutlookFacts(volcano::Session& session, const RefusedBinds& refused)
    : queue_limits_(session), refused_(refused), largest_(session.books().resource_count()) {
  const auto& books = session.books();
  const auto& allocatable = books.ledgers().allocatable;
  for (const auto node : IdRange<NodeId>(books.node_count())) {
    if (!books.node(node).known) continue;
    ++nodes_;
    for (std::size_t r = 0; r < std::min(largest_.size(), allocatable.size()); ++r)
      largest_[r] = std::max(largest_[r], allocatable[r][node.index()]);
  }
  for (const auto& event : session.writes().events)
    if (event.type == "Normal" && event.reason == "Unschedulable") refusals_.try_emplace(event.job, event.message.get());
  for (const auto& warning : session.writes().warnings)
    if (warning.starts_with(kExtenderFailed)) extender_failures_.insert(warning.substr(kExtenderFailed.size()));
}

const std::string* OutlookFacts::why_refused(std::string_view pod) const {
  const auto found = refused_.find(pod);
  return found == refused_.end() ? nullptr : &found->second;
}

const std::string* OutlookFacts::refusal_to_let_in(GroupId job) const {
  const auto found = refusals_.find(job);
  return found == refusals_.end() ? nullptr : found->second;
}

}  // namespace muster
