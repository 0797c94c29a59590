#include "daemon/timeline_event.h"

#include <algorithm>

#include "codec/json_writer.h"

namespace muster::daemon {
namespace {

// What happens only to who was let in.
bool comes_of_being_let_in(const TimelineEvent& event) {
  return event.kind == "bind" || event.kind == "failed-bind" || event.kind == "unsent-bind" || event.kind == "made-way" ||
         event.kind == "running";
}

// A cycle lets a job in and binds its pods at once, but that it was let in is heard when the server tells of its PodGroup: by then
// it has long been so.
void let_in_before_what_came_of_it(std::vector<TimelineEvent>& latest_first) {
  for (auto event = latest_first.begin(); event != latest_first.end(); ++event) {
    if (event->kind != "let-in") continue;
    const auto before = std::find_if_not(event + 1, latest_first.end(), comes_of_being_let_in);
    if (before == event + 1) continue;
    event->time = (before - 1)->time;
    event = std::rotate(event, event + 1, before);
  }
}

}  // namespace

std::string timeline_json(std::vector<TimelineEvent> some, const std::vector<TimelineEvent>& more) {
  some.insert(some.end(), more.begin(), more.end());
  std::ranges::stable_sort(some, std::ranges::greater(), &TimelineEvent::time);
  let_in_before_what_came_of_it(some);
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("events").begin_array();
  for (const auto& event : some)
    json.begin_object().member("time", event.time.rfc3339()).member("kind", event.kind).member("text", event.text).end_object();
  json.end_array().end_object();
  return out;
}

}  // namespace muster::daemon
