#include "daemon/decision_log.h"

#include "app/schedule_report.h"
#include "codec/json_writer.h"
#include "daemon/object_key.h"

namespace muster::daemon {

void DecisionLog::push(Entry entry) {
  if (entries_.size() == most_) entries_.pop_front();
  entries_.push_back(std::move(entry));
}

void DecisionLog::add(std::uint64_t cycle, const Timestamp& now, const Effects& effects) {
  if (effects.binds.empty() && effects.evictions.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& bind : effects.binds) {
    Entry entry{.cycle = cycle, .time = now, .is_eviction = false, .decision = {}};
    entry.decision = {
        .pod = key_of(bind.pod), .job = bind.group, .node = bind.node, .rule = bind.rule, .for_job = {}, .for_pod = {}};
    push(std::move(entry));
  }
  for (const auto& evict : effects.evictions) {
    Entry entry{.cycle = cycle, .time = now, .is_eviction = true, .decision = {}};
    entry.decision = {.pod = key_of(evict.pod),
                      .job = evict.group,
                      .node = evict.node,
                      .rule = evict.rule,
                      .for_job = evict.for_group,
                      .for_pod = evict.for_pod,
                      .why = evict.why.empty() ? std::string(why_evicted(evict.rule)) : evict.why};
    push(std::move(entry));
  }
}

std::string DecisionLog::json() const {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("decisions").begin_array();
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    const auto& decision = entry->decision;
    json.begin_object().member("time", entry->time.rfc3339()).member("cycle", entry->cycle);
    json.member("kind", entry->is_eviction ? "evict" : "bind").member("pod", decision.pod).member("job", decision.job);
    json.member("node", decision.node).member("rule", decision.rule);
    if (!decision.for_job.empty()) json.member("for_job", decision.for_job);
    if (!decision.for_pod.empty()) json.member("for_pod", decision.for_pod);
    if (!decision.why.empty()) json.member("why", decision.why);
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

std::vector<Eviction> DecisionLog::evictions() const {
  std::vector<Eviction> out;
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_)
    if (entry.is_eviction) out.push_back(entry.decision);
  return out;
}

}  // namespace muster::daemon
