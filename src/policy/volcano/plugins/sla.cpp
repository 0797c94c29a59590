#include "policy/volcano/plugins/sla.h"

#include <limits>

#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

constexpr std::int64_t kMicros = 1'000'000;

std::optional<std::int64_t> positive_duration(std::string_view text) {
  const auto parsed = parse_go_duration(text);
  return parsed && *parsed > 0 ? std::optional(*parsed / 1000) : std::nullopt;
}

std::int64_t micros(Timestamp time) { return time.seconds * kMicros + time.nanos / 1000; }

}  // namespace

Sla::Sla(Session& session, const PluginOption& option) : Plugin(session) {
  if (option.arguments.has("sla-waiting-time"))
    default_waiting_ = positive_duration(option.arguments.get_string("sla-waiting-time", ""));
}

std::optional<std::int64_t> Sla::waiting_time(const Job& job) const {
  for (const auto* key : {"volcano.sh/sla-waiting-time", "sla-waiting-time"})
    if (const auto* text = job.annotations.find(key))
      if (const auto own = positive_duration(*text)) return own;
  return default_waiting_;
}

std::optional<std::int64_t> Sla::deadline(const Job& job) const {
  const auto waiting = waiting_time(job);
  return waiting ? std::optional(micros(job.created) + *waiting) : std::nullopt;
}

// The earliest deadline first, jobs without one last.
double Sla::job_rank(const Job& job) {
  const auto end = deadline(job);
  return end ? static_cast<double>(*end) : std::numeric_limits<double>::infinity();
}

bool Sla::overdue(const Job& job) const {
  const auto end = deadline(job);
  return end && micros(session().now()) >= *end;
}

}  // namespace muster::volcano
