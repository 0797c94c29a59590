#include "daemon/event_filter.h"

#include <algorithm>
#include <functional>

#include "base/wording.h"

namespace muster::daemon {
namespace {

std::size_t words_of(const Event& event) { return std::hash<std::string>()(without_numbers(event.note)); }

}  // namespace

bool EventFilter::is_news(const Event& event) {
  if (said_.size() > kMost) said_.clear();
  auto& reasons = said_[event.about.uid];
  const auto hash = words_of(event);
  const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& said) { return said.first == event.reason; });
  if (known != reasons.end()) return std::exchange(known->second, hash) != hash;
  reasons.emplace_back(event.reason, hash);
  return true;
}

// Unless something else came to be said with its reason meanwhile.
void EventFilter::take_back(const Event& event) {
  const auto found = said_.find(event.about.uid);
  if (found == said_.end()) return;
  std::erase(found->second, std::pair(event.reason, words_of(event)));
  if (found->second.empty()) said_.erase(found);
}

}  // namespace muster::daemon
