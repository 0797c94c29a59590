#include "app/explanation_reader.h"

#include <algorithm>

#include "app/job_states.h"
#include "app/kai_reason.h"
#include "app/schedule_report.h"
#include "app/units_text.h"
#include "model/json.h"

namespace muster {
namespace {

// A member, or a value that has nothing in it.
const Json& part(const Json& parent, std::string_view key) {
  static const Json kNothing;
  const auto* found = parent.find(key);
  return found == nullptr ? kNothing : *found;
}

std::int64_t count_at(const Json& parent, std::string_view key) { return part(parent, key).as_int().value_or(0); }
std::size_t size_at(const Json& parent, std::string_view key) {
  return static_cast<std::size_t>(std::max<std::int64_t>(count_at(parent, key), 0));
}

double amount_at(const Json& row, std::string_view key, const std::string& resource) {
  return amount_of_units(resource, part(row, key).as_double().value_or(0));
}
std::optional<double> some_amount_at(const Json& row, std::string_view key, const std::string& resource) {
  return row.find(key) == nullptr ? std::nullopt : std::optional(amount_at(row, key, resource));
}

std::optional<JobState> state_named(std::string_view name) {
  for (const auto state : kJobStates)
    if (name_of(state) == name) return state;
  return std::nullopt;
}

// As a text that stays.
std::string_view known_code(std::string_view code) {
  for (const auto& reason : pending_reasons())
    if (reason.code == code) return reason.code;
  for (const auto& reason : kai_reasons())
    if (reason.code == code) return reason.code;
  return {};
}

void read_job(const Json& json, JobState state, JobOutlook& job) {
  job.name = text_at(&json, "job");
  job.workload = text_at(&json, "workload");
  job.queue = text_at(json.find("queue"), "name");
  job.phase = text_at(&json, "phase");
  job.state = state;
  job.sentence = text_at(json.find("reason"), "text");
  const auto& pods = part(json, "pods");
  job.pods = count_at(pods, "total");
  job.minimum = count_at(pods, "minimum");
  job.holding = count_at(pods, "placed");
  job.pending = count_at(pods, "pending");
  job.gated = count_at(pods, "gated");
  job.leaving = count_at(pods, "leaving");
  job.succeeded = count_at(pods, "succeeded");
  job.failed = count_at(pods, "failed");
  job.would_fit = count_at(pods, "would_fit");
  for (const auto& [node, count] : part(json, "nodes").members)
    job.nodes.emplace_back(node, static_cast<std::size_t>(count.as_int().value_or(0)));
  const auto& refusals = part(json, "refusals");
  job.refusals.pod = text_at(&refusals, "pod");
  job.refusals.nodes = size_at(refusals, "nodes");
  for (const auto& item : part(refusals, "reasons").items)
    job.refusals.reasons.emplace_back(text_at(&item, "reason"), size_at(item, "nodes"));
}

std::vector<QueueRow> read_rows(const Json& queue) {
  std::vector<QueueRow> rows;
  for (const auto& [resource, row] : part(queue, "resources").members) {
    QueueRow out;
    out.resource = resource;
    out.deserved = some_amount_at(row, "deserved", resource);
    out.fair_share = some_amount_at(row, "fair_share", resource);
    out.allocated = amount_at(row, "allocated", resource);
    out.promised = amount_at(row, "promised", resource);
    out.requested = amount_at(row, "requested", resource);
    out.limit = some_amount_at(row, "limit", resource);
    out.limit_of = text_at(&row, "limit_of");
    rows.push_back(std::move(out));
  }
  return rows;
}

std::vector<Eviction> read_evictions(const Json& list) {
  std::vector<Eviction> out;
  for (const auto& item : list.items) {
    Eviction eviction;
    eviction.pod = text_at(&item, "pod");
    eviction.rule = text_at(&item, "rule");
    eviction.for_job = text_at(&item, "for_job");
    eviction.for_pod = text_at(&item, "for_pod");
    eviction.why = text_at(&item, "why");
    if (eviction.why == why_evicted(eviction.rule)) eviction.why.clear();  // nothing more is known than what the rule means
    out.push_back(std::move(eviction));
  }
  return out;
}

void read_closest(const Json& json, Explanation& out) {
  const auto* closest = json.find("closest_node");
  if (closest == nullptr) return;
  ClosestNode node;
  node.name = text_at(closest, "node");
  for (const auto& [resource, row] : part(*closest, "lacks").members)
    node.shortages.push_back({resource, amount_at(row, "asked", resource), amount_at(row, "free", resource)});
  if (node.shortages.empty()) return;
  for (const auto& [job, amount] : part(*closest, "held_by").members)
    node.held_by.emplace_back(job, amount_of_units(node.shortages.front().resource, amount.as_double().value_or(0)));
  out.closest = std::move(node);
}

void read_needs(const Json& json, Explanation& out) {
  const auto of = text_at(&json, "needs_of");
  out.needs_of = of == "minResources" ? JobNeeds::Of::kMinResources : of == "rest" ? JobNeeds::Of::kRest : JobNeeds::Of::kMinimum;
  out.needing_pods = count_at(json, "needing_pods");
  for (const auto& [resource, row] : part(json, "needs").members)
    out.needs.push_back(
        {resource, amount_at(row, "missing", resource), amount_at(row, "free", resource), amount_at(row, "total", resource)});
}

void read_queue(const Json& queue, Explanation& out) {
  out.queue = read_rows(queue);
  for (const auto& item : part(queue, "above").items) out.above.push_back({text_at(&item, "name"), read_rows(item)});
  for (const auto& item : part(queue, "ahead").items)
    out.ahead.push_back({text_at(&item, "job"), state_named(text_at(&item, "state")).value_or(JobState::kWaiting)});
  out.competitors = size_at(queue, "jobs");
  out.place = size_at(queue, "place");
}

}  // namespace

Result<Explanation> explanation_of_json(std::string_view text) {
  const auto json = read_json(text);
  const auto state = json ? state_named(text_at(&*json, "state")) : std::nullopt;
  if (!state) return fail("the answer is no explanation of a job");
  Explanation out;
  read_job(*json, *state, out.job);
  out.code = known_code(text_at(json->find("reason"), "code"));
  out.pod = text_at(&*json, "pod");
  out.pod_place = text_at(&*json, "pod_place");
  out.hint = text_at(json->find("reason"), "hint");
  out.room_is_gone = part(part(*json, "pods"), "room_is_gone").raw == "true";
  read_closest(*json, out);
  read_needs(*json, out);
  out.evicted = read_evictions(part(*json, "evicted"));
  out.made_way = read_evictions(part(*json, "made_way"));
  for (const auto& item : part(*json, "not_evicted").items) {
    EvictionChance chance;
    chance.action = text_at(&item, "action");
    chance.obstacle = text_at(&item, "text");  // the sentence as it was told
    out.chances.push_back(std::move(chance));
  }
  read_queue(part(*json, "queue"), out);
  for (const auto& message : part(*json, "messages").items) out.messages.push_back(message.text);
  return out;
}

}  // namespace muster
