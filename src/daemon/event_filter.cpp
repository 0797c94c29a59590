#include "daemon/event_filter.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace muster::daemon {

void EventFilter::keep_news(std::vector<Event>& events) {
  std::erase_if(events, [&](const Event& event) {
    auto& reasons = said_[event.about.uid];
    const auto hash = std::hash<std::string>()(event.note);
    const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& said) { return said.first == event.reason; });
    if (known == reasons.end()) {
      reasons.emplace_back(event.reason, hash);
      return false;
    }
    return std::exchange(known->second, hash) == hash;
  });
}

}  // namespace muster::daemon
