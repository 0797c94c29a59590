#include "daemon/cycle_log.h"

#include <map>

#include "codec/json_writer.h"

namespace muster::daemon {
namespace {

double seconds_of(std::int64_t micros) {
  constexpr double kMicrosInSecond = 1e6;
  return static_cast<double>(micros) / kMicrosInSecond;
}

}  // namespace

void CycleLog::add(std::uint64_t cycle, const Timestamp& now, const CycleOutcome& outcome) {
  Entry entry{.cycle = cycle,
              .time = now,
              .total_micros = outcome.total_micros,
              .micros = outcome.micros,
              .binds = outcome.effects.binds.size(),
              .evictions = outcome.effects.evictions.size()};
  const std::lock_guard lock(mutex_);
  if (entries_.size() == most_) entries_.pop_front();
  entries_.push_back(std::move(entry));
}

std::string CycleLog::json() const {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("cycles").begin_array();
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    json.begin_object().member("cycle", entry->cycle).member("time", entry->time.rfc3339());
    json.member("seconds", seconds_of(entry->total_micros));
    std::map<std::string_view, std::int64_t> phases;  // an action that runs twice is one phase
    for (const auto& [phase, micros] : entry->micros) phases[phase] += micros;
    json.key("phases").begin_object();
    for (const auto& [phase, micros] : phases) json.member(phase, seconds_of(micros));
    json.end_object().member("binds", entry->binds).member("evictions", entry->evictions).end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace muster::daemon
