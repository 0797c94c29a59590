#include "app/name_members.h"
#include "app/schedule_report.h"
#include "app/whatif.h"
#include "codec/json_writer.h"

namespace muster {
namespace {

void write_value(JsonWriter& json, std::string_view key, const FitsIf::Value& value) {
  std::visit([&](const auto& known) { json.member(key, known); }, value);
}

void write_part(JsonWriter& json, const FitsIf::Part& part) {
  json.member("path", part.path);
  write_value(json, "from", part.from);
  write_value(json, "to", part.to);
}

void write_change(JsonWriter& json, const FitsIf& change) {
  json.begin_object().member("text", change.text).member("kind", name_of(change.kind));
  if (!change.parts.empty()) write_part(json, change.parts.front());
  if (change.parts.size() > 1) {
    json.key("also").begin_array();
    for (std::size_t i = 1; i < change.parts.size(); ++i) {
      json.begin_object();
      write_part(json, change.parts[i]);
      json.end_object();
    }
    json.end_array();
  }
  if (!change.gone.empty()) write(json, "gone", change.gone);
  json.end_object();
}

std::string fits_if_member(const std::vector<FitsIf>& changes) {
  std::string list;
  JsonWriter json(list);
  json.begin_array();
  for (const auto& change : changes) write_change(json, change);
  json.end_array();
  return ",\"fits_if\":" + list;
}

// The explanation, with what would make the job fit as one more member.
std::string explained(const WhatIfRun& run) {
  auto text = explanation_json(run.explanation);
  if (run.fits_if) text.insert(text.size() - 1, fits_if_member(*run.fits_if));
  return text;
}

}  // namespace

std::string tried_members(const Result<WhatIfAnswer>& answer) {
  std::string whatif;
  JsonWriter json(whatif);
  json.begin_object();
  if (answer) {
    json.member("verdict", name_of(verdict_of(answer->jobs.front())));
    write(json, "notes", answer->notes);
  } else {
    json.member("error", answer.error().text());
  }
  json.end_object();
  const bool has_changes = answer && answer->jobs.front().fits_if;
  return "\"whatif\":" + whatif + (has_changes ? fits_if_member(*answer->jobs.front().fits_if) : "");
}

std::string whatif_json(const WhatIfAnswer& answer) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("jobs").begin_array();
  for (const auto& run : answer.jobs) {
    json.begin_object().member("job", run.job).member("verdict", name_of(verdict_of(run)));
    if (run.started) json.member("cycle", *run.started);
    write(json, "placement", run.placement);
    json.key("victims").begin_array();
    for (const auto& victim : run.victims)
      json.begin_object()
          .member("pod", victim.pod)
          .member("job", victim.job)
          .member("node", victim.node)
          .member("rule", victim.rule)
          .member("why", victim.why.empty() ? std::string(why_evicted(victim.rule)) : victim.why)
          .end_object();
    json.end_array();
    if (!run.left.empty()) write(json, "left", run.left);
    json.key("explanation").raw(explained(run)).end_object();
  }
  json.end_array();
  write(json, "notes", answer.notes);
  json.end_object();
  return out;
}

}  // namespace muster
