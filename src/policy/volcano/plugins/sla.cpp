#include "policy/volcano/plugins/sla.h"

#include "policy/volcano/session.h"

namespace muster::volcano {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

std::optional<std::int64_t> positive_duration(std::string_view text) {
  const auto parsed = parse_go_duration(text);
  return parsed && *parsed > 0 ? std::optional(*parsed) : std::nullopt;
}

std::int64_t nanos(Timestamp time) { return time.seconds * kNanosPerSecond + time.nanos; }

}  // namespace

Sla::Sla(Session& session, const PluginOption& option) : Plugin(session) {
  if (option.arguments.has("sla-waiting-time")) default_waiting_ = positive_duration(option.arguments.get_string("sla-waiting-time", ""));
}

std::optional<std::int64_t> Sla::waiting_time(const Job& job) const {
  for (const auto* key : {"volcano.sh/sla-waiting-time", "sla-waiting-time"})
    if (const auto* text = job.annotations.find(key))
      if (const auto own = positive_duration(*text)) return own;
  return default_waiting_;
}

std::optional<std::int64_t> Sla::deadline(const Job& job) const {
  const auto waiting = waiting_time(job);
  return waiting ? std::optional(nanos(job.created) + *waiting) : std::nullopt;
}

int Sla::compare_jobs(const Job& left, const Job& right) {
  const auto l = deadline(left);
  const auto r = deadline(right);
  if (!l && !r) return 0;
  if (!l) return 1;
  if (!r) return -1;
  return *l == *r ? 0 : *l < *r ? -1 : 1;
}

bool Sla::overdue(const Job& job) const {
  const auto end = deadline(job);
  return end && nanos(session().now()) >= *end;
}

}  // namespace muster::volcano
