#include "app/amount_text.h"
#include "app/explanation.h"
#include "codec/json_writer.h"

namespace muster {
namespace {

void write_pods(JsonWriter& json, const JobOutlook& job) {
  json.key("pods")
      .begin_object()
      .member("total", job.pods)
      .member("minimum", job.minimum)
      .member("placed", job.holding)
      .member("pending", job.pending)
      .member("gated", job.gated)
      .member("would_fit", job.would_fit)
      .end_object();
  json.key("nodes").begin_object();
  for (const auto& [node, count] : job.nodes) json.member(node, count);
  json.end_object();
}

void write_refusals(JsonWriter& json, const NodeRefusals& refusals) {
  json.key("refusals").begin_object().member("pod", refusals.pod).member("nodes", refusals.nodes).key("reasons").begin_array();
  for (const auto& [reason, count] : refusals.reasons)
    json.begin_object().member("reason", reason).member("nodes", count).end_object();
  json.end_array().end_object();
}

void write_amount(JsonWriter& json, std::string_view key, const std::string& resource, std::optional<double> amount) {
  if (amount) json.member(key, amount_in_units(resource, *amount));
}

void write_queue(JsonWriter& json, const Explanation& e) {
  json.key("queue").begin_object().member("name", e.job.queue).key("resources").begin_object();
  for (const auto& row : e.queue) {
    json.key(row.resource).begin_object();
    write_amount(json, "deserved", row.resource, row.deserved);
    write_amount(json, "allocated", row.resource, row.allocated);
    write_amount(json, "requested", row.resource, row.requested);
    write_amount(json, "limit", row.resource, row.limit);
    json.end_object();
  }
  json.end_object();
  if (e.competitors != 0) json.member("place", e.ahead.size() + 1).member("jobs", e.competitors);
  json.key("ahead").begin_array();
  for (const auto& rival : e.ahead) json.begin_object().member("job", rival.job).member("state", name_of(rival.state)).end_object();
  json.end_array().end_object();
}

void write_needs(JsonWriter& json, const std::vector<NeedRow>& needs) {
  json.key("needs").begin_object();
  for (const auto& row : needs) {
    json.key(row.resource).begin_object();
    write_amount(json, "missing", row.resource, row.missing);
    write_amount(json, "free", row.resource, row.free);
    write_amount(json, "total", row.resource, row.total);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

std::string explanation_json(const Explanation& e) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("job", e.job.name);
  if (!e.pod.empty()) json.member("pod", e.pod);
  json.member("state", name_of(e.job.state)).member("phase", e.job.phase);
  json.key("reason")
      .begin_object()
      .member("code", text_of(e.job.reason).code)
      .member("text", e.job.sentence)
      .member("hint", text_of(e.job.reason).hint)
      .end_object();
  write_pods(json, e.job);
  write_refusals(json, e.job.refusals);
  write_needs(json, e.needs);
  write_queue(json, e);
  json.end_object();
  return out;
}

}  // namespace muster
