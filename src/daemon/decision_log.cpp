#include "daemon/decision_log.h"

#include <algorithm>

#include "app/printable_text.h"
#include "app/schedule_report.h"
#include "codec/json_writer.h"
#include "daemon/object_key.h"

namespace muster::daemon {

void DecisionLog::push(Entry entry) {
  if (entries_.size() == most_) entries_.pop_front();
  entry.number = ++last_;
  entries_.push_back(std::move(entry));
}

void DecisionLog::add(std::uint64_t cycle, const Timestamp& now, const Effects& effects) {
  if (effects.binds.empty() && effects.evictions.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& bind : effects.binds) {
    Entry entry{.cycle = cycle, .time = now, .kind = Kind::kBind, .decision = {}};
    entry.decision = {
        .pod = key_of(bind.pod), .job = bind.group, .node = bind.node, .rule = bind.rule, .for_job = {}, .for_pod = {}};
    push(std::move(entry));
  }
  for (const auto& evict : effects.evictions) {
    Entry entry{.cycle = cycle, .time = now, .kind = Kind::kEvict, .decision = {}};
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

void DecisionLog::add_failure(const Timestamp& now, const Bind& bind, Kind how, std::string why) {
  Entry entry{.cycle = 0, .time = now, .kind = how, .decision = {}};
  entry.decision = {.pod = key_of(bind.pod),
                    .job = bind.group,
                    .node = bind.node,
                    .rule = bind.rule,
                    .for_job = {},
                    .for_pod = {},
                    .why = std::move(why)};
  const std::lock_guard lock(mutex_);
  push(std::move(entry));
}

std::string DecisionLog::json(const Part& part, std::string_view process) const {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("decisions").begin_array();
  const std::lock_guard lock(mutex_);
  auto left = part.most.value_or(listed_);
  auto entry = entries_.rbegin();
  if (part.before) entry = std::make_reverse_iterator(std::ranges::lower_bound(entries_, *part.before, {}, &Entry::number));
  for (; entry != entries_.rend() && left > 0; ++entry) {
    if (!is_decision(*entry)) continue;
    --left;
    write_decision(json, *entry);
  }
  json.end_array();
  if (!process.empty()) json.member("process", process);
  json.end_object();
  return out;
}

bool DecisionLog::belong_together(const Entry& a, const Entry& b) {
  if (a.kind != b.kind || a.decision.job != b.decision.job || a.decision.rule != b.decision.rule) return false;
  if (!is_decision(a)) return a.decision.why == b.decision.why;  // they come one by one
  return a.cycle == b.cycle && a.time == b.time && a.decision.for_job == b.decision.for_job;
}

std::string_view DecisionLog::kind_of(const Entry& entry, const std::string& job) {
  switch (entry.kind) {
    case Kind::kBind: return "bind";
    case Kind::kFailedBind:
    case Kind::kUnpreparedBind: return "failed-bind";
    case Kind::kUnsentBind: return "unsent-bind";
    case Kind::kEvict: break;
  }
  return entry.decision.job == job ? "evict" : "made-way";
}

std::string DecisionLog::text_of(const Event& event, const std::string& job) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> nodes;
  for (auto entry = event.all.rbegin(); entry != event.all.rend(); ++entry)
    if (std::ranges::find(nodes, (*entry)->decision.node) == nodes.end()) nodes.push_back((*entry)->decision.node);
  const auto pods = count_of(event.all.size(), "pod");
  const auto& decision = event.first->decision;
  const bool one = event.all.size() == 1;
  const auto binds = [&](const std::string& have_come_to) {
    return (one ? "the bind of " + decision.pod : "the binds of " + pods) + " to " + listed(nodes, kNamed) + " " + have_come_to +
           ": " + decision.why;
  };
  switch (event.first->kind) {
    case Kind::kBind: return pods + " bound to " + listed(nodes, kNamed) + " by " + decision.rule;
    case Kind::kFailedBind: return binds("failed");
    case Kind::kUnpreparedBind: return binds("could not be prepared");
    case Kind::kUnsentBind: return binds(one ? "was not sent" : "were not sent");
    case Kind::kEvict: break;
  }
  const auto from = " evicted from " + listed(nodes, kNamed);
  if (decision.job != job) return pods + " of " + decision.job + from + " for it by " + decision.rule;
  return pods + from + " by " + decision.rule + (decision.for_job.empty() ? "" : " for " + decision.for_job) +
         (decision.why.empty() ? "" : ": " + decision.why);
}

std::vector<TimelineEvent> DecisionLog::events_of(const std::string& job) const {
  std::vector<Event> events;
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->decision.job != job && entry->decision.for_job != job) continue;
    if (events.empty() || !belong_together(*events.back().first, *entry)) events.push_back({.first = &*entry, .all = {}});
    events.back().all.push_back(&*entry);
  }
  std::vector<TimelineEvent> out;
  for (const auto& event : events) out.push_back({event.first->time, std::string(kind_of(*event.first, job)), text_of(event, job)});
  return out;
}

std::vector<Eviction> DecisionLog::evictions() const {
  std::vector<Eviction> out;
  const std::lock_guard lock(mutex_);
  const auto late = entries_.size() - std::min(entries_.size(), listed_);
  for (auto i = late; i < entries_.size(); ++i)
    if (entries_[i].kind == Kind::kEvict) out.push_back(entries_[i].decision);
  return out;
}

}  // namespace muster::daemon
