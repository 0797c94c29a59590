#include "daemon/event_body.h"

#include <fmt/format.h>

#include "codec/json_writer.h"
#include "kube/clock.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kLongestNote = 1024;  // bytes that the API takes
constexpr std::size_t kLongestName = 200;

// Without a part of a character at the end.
std::string_view cut_note(std::string_view text) {
  if (text.size() <= kLongestNote) return text;
  auto end = kLongestNote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace

std::string event_body(const Event& event, const std::string& controller, const std::string& instance, const Timestamp& now,
                       std::uint64_t number) {
  const auto ns = event.about.ns.empty() ? std::string("default") : event.about.ns;
  const auto name = fmt::format("{}.{:x}{:08x}{:x}", event.about.name.substr(0, kLongestName), now.seconds, now.nanos, number);
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("apiVersion", "events.k8s.io/v1").member("kind", "Event");
  json.key("metadata").begin_object().member("name", name).member("namespace", ns);
  if (!event.annotations.empty()) {
    json.key("annotations").begin_object();
    for (const auto& [key, value] : event.annotations) json.member(key, value);
    json.end_object();
  }
  json.end_object();
  json.member("eventTime", kube::micro_time(now)).member("type", event.type).member("reason", event.reason);
  json.member("action", event.action).member("note", cut_note(event.note));
  json.member("reportingController", controller).member("reportingInstance", instance);
  json.key("regarding").begin_object().member("apiVersion", event.api_version).member("kind", event.kind);
  if (!event.about.ns.empty()) json.member("namespace", event.about.ns);
  json.member("name", event.about.name).member("uid", event.about.uid).end_object();
  json.end_object();
  return out;
}

}  // namespace muster::daemon
