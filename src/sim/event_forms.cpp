#include "sim/event_forms.h"

#include <array>
#include <string_view>

namespace muster::sim {
namespace {

struct Renamed {
  std::string_view core;
  std::string_view own;
};
constexpr std::array kRenamed{Renamed{"involvedObject", "regarding"},
                              Renamed{"message", "note"},
                              Renamed{"reportingComponent", "reportingController"},
                              Renamed{"source", "deprecatedSource"},
                              Renamed{"firstTimestamp", "deprecatedFirstTimestamp"},
                              Renamed{"lastTimestamp", "deprecatedLastTimestamp"},
                              Renamed{"count", "deprecatedCount"}};

void rename_member(Tree& event, std::string_view from, std::string_view to) {
  for (auto& member : *event.as_map())
    if (member.key == from) member.key = to;
}

}  // namespace

Tree event_to_core(Tree event) {
  if (!event.is_map()) return event;
  for (const auto& one : kRenamed) rename_member(event, one.own, one.core);
  event["apiVersion"] = Tree("v1");
  return event;
}

Tree event_from_core(Tree event) {
  if (!event.is_map()) return event;
  for (const auto& one : kRenamed) rename_member(event, one.core, one.own);
  event["apiVersion"] = Tree("events.k8s.io/v1");
  return event;
}

Answered<void> check_new_event(const Tree& event) {
  std::vector<Cause> wrong;
  if (event.text_at("eventTime").empty()) wrong.push_back(required_field("eventTime"));
  const auto type = event.text_at("type");
  if (type != "Normal" && type != "Warning")
    wrong.push_back(invalid_field("type", "\"" + std::string(type) + "\"", "has invalid value"));
  for (const std::string_view field : {"reason", "action"})
    if (event.text_at(field).empty()) wrong.push_back(required_field(std::string(field)));
  if (event.text_at("reportingController").empty()) wrong.push_back(required_field("reportingController"));
  if (event.text_at("reportingInstance").empty()) wrong.push_back(required_field("reportingInstance"));
  constexpr std::size_t kLongestNote = 1024;
  if (event.text_at("note").size() > kLongestNote)
    wrong.push_back({"FieldValueTooLong", "Too long: may not be more than 1024 bytes", "message"});
  if (wrong.empty()) return {};
  return refuse(invalid({"events.k8s.io", "events", "Event", event.text_at("metadata.name")}, std::move(wrong)));
}

}  // namespace muster::sim
