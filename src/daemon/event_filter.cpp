#include "daemon/event_filter.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/wording.h"

namespace muster::daemon {

void EventFilter::keep_news(std::vector<Event>& events) {
  std::erase_if(events, [&](const Event& event) { return !is_news(event.about.uid, event.reason, event.note); });
}

bool EventFilter::is_news(const std::string& uid, const std::string& reason, const std::string& text) {
  if (said_.size() > kMost) said_.clear();
  auto& reasons = said_[uid];
  const auto hash = std::hash<std::string>()(without_numbers(text));
  const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& said) { return said.first == reason; });
  if (known != reasons.end()) return std::exchange(known->second, hash) != hash;
  reasons.emplace_back(reason, hash);
  return true;
}

}  // namespace muster::daemon
