#include "daemon/event_filter.h"

#include <algorithm>
#include <functional>

#include "base/wording.h"

namespace muster::daemon {

bool EventFilter::is_news(const Event& event) {
  if (said_.size() > kMost) said_.clear();
  auto& reasons = said_[event.about.uid];
  const auto hash = std::hash<std::string>()(without_numbers(event.note));
  const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& said) { return said.first == event.reason; });
  if (known != reasons.end()) return std::exchange(known->second, hash) != hash;
  reasons.emplace_back(event.reason, hash);
  return true;
}

}  // namespace muster::daemon
