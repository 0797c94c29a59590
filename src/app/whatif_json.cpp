#include "app/name_members.h"
#include "app/schedule_report.h"
#include "app/whatif.h"
#include "codec/json_writer.h"

namespace muster {

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
    json.key("explanation").raw(explanation_json(run.explanation)).end_object();
  }
  json.end_array();
  write(json, "notes", answer.notes);
  json.end_object();
  return out;
}

}  // namespace muster
