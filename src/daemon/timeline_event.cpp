#include "daemon/timeline_event.h"

#include <algorithm>

#include "codec/json_writer.h"

namespace muster::daemon {

std::string timeline_json(std::vector<TimelineEvent> some, const std::vector<TimelineEvent>& more) {
  some.insert(some.end(), more.begin(), more.end());
  std::ranges::stable_sort(some, std::ranges::greater(), &TimelineEvent::time);
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("events").begin_array();
  for (const auto& event : some)
    json.begin_object().member("time", event.time.rfc3339()).member("kind", event.kind).member("text", event.text).end_object();
  json.end_array().end_object();
  return out;
}

}  // namespace muster::daemon
