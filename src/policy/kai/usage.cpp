#include "policy/kai/usage.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "policy/kai/options.h"

namespace muster::kai {
namespace {

constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kWeek = 7 * 24 * 60 * kMinute;

Timestamp later(Timestamp time, std::int64_t nanos) {
  auto seconds = time.seconds + nanos / kSecond;
  auto rest = time.nanos + nanos % kSecond;
  if (rest < 0) --seconds, rest += kSecond;
  if (rest >= kSecond) ++seconds, rest -= kSecond;
  return Timestamp{seconds, static_cast<decltype(time.nanos)>(rest)};
}

// A window that would begin in the future, or that has no length, is empty.
Timestamp tumbling_start(const UsageParams& params, Timestamp now) {
  if (!params.tumbling_start || now < *params.tumbling_start || params.window_size <= 0) return now;
  const auto passed = nanos_between(*params.tumbling_start, now);
  const auto windows = passed == 0 ? 0 : (passed - 1) / params.window_size;
  return later(*params.tumbling_start, windows * params.window_size);
}

// The original looks from as far back as the third time that is to come lies ahead, and takes the last one before now.
Timestamp cron_start(const CronSchedule& cron, Timestamp now) {
  std::optional<Timestamp> third = now;
  for (int i = 0; i < 3 && third; ++i) third = cron.next(*third);
  if (!third) return now;
  auto start = later(now, -nanos_between(now, *third));
  for (auto at = cron.next(start); at && *at < now; at = cron.next(*at)) start = *at;
  return start;
}

double weight_of(const UsageParams& params, Timestamp at, Timestamp now) {
  if (params.half_life <= 0) return 1;
  return std::pow(0.5, static_cast<double>(nanos_between(at, now)) / static_cast<double>(params.half_life));
}

}  // namespace

UsageParams default_usage_params() {
  UsageParams params;
  params.window_size = kWeek;
  params.fetch_interval = kMinute;
  params.staleness = 5 * kMinute;
  params.wait_timeout = kMinute;
  return params;
}

std::optional<std::int64_t> parse_window_size(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanos;
  };
  constexpr Unit kUnits[] = {
      {"y", 365 * 24 * 60 * kMinute}, {"w", kWeek}, {"d", 24 * 60 * kMinute}, {"h", 60 * kMinute}, {"m", kMinute}, {"s", kSecond},
      {"ms", kSecond / 1000}};
  if (text == "0") return 0;
  std::int64_t total = 0;
  auto allowed = std::begin(kUnits);  // the larger unit comes first, each once
  while (!text.empty()) {
    std::int64_t count = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || count < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    const auto letters = std::min(text.find_first_of("0123456789"), text.size());
    const auto unit =
        std::find_if(allowed, std::end(kUnits), [&](const Unit& known) { return known.name == text.substr(0, letters); });
    if (unit == std::end(kUnits) || count > (INT64_MAX - total) / unit->nanos) return std::nullopt;
    total += count * unit->nanos;
    allowed = unit + 1;
    text.remove_prefix(letters);
    if (text.empty()) return total;
  }
  return std::nullopt;
}

Timestamp window_start(const UsageParams& params, Timestamp now) {
  switch (params.window) {
    case UsageWindow::kSliding: return later(now, -params.window_size);
    case UsageWindow::kTumbling: return tumbling_start(params, now);
    case UsageWindow::kCron: return params.cron ? cron_start(*params.cron, now) : now;
  }
  return now;
}

std::optional<QueueUsage> usage_of_sums(const UsagePoint& sums) {
  QueueUsage usage;
  for (const auto share : kShares) {
    const auto capacity = sums.capacity.find(share);
    if (capacity == sums.capacity.end()) return std::nullopt;
    for (const auto& [queue, amounts] : sums.allocated)
      if (const auto amount = amounts.find(share); amount != amounts.end()) usage[queue][share] = amount->second / capacity->second;
  }
  return usage;
}

std::optional<QueueUsage> usage_of_points(const UsageParams& params, std::span<const UsagePoint> points, Timestamp now) {
  const auto start = window_start(params, now);
  UsagePoint sums;
  for (const auto& point : points) {
    const bool after = params.window == UsageWindow::kSliding ? start < point.at : !(point.at < start);
    if (!after || now < point.at) continue;
    const auto weight = weight_of(params, point.at, now);
    for (const auto& [share, amount] : point.capacity) sums.capacity[share] += amount * weight;
    for (const auto& [queue, amounts] : point.allocated)
      for (const auto& [share, amount] : amounts) sums.allocated[queue][share] += amount * weight;
  }
  return usage_of_sums(sums);
}

void UsageMemory::take(std::optional<QueueUsage> usage, Timestamp when) {
  asked_ = when;
  if (!usage) return;
  usage_ = std::move(*usage);
  when_ = when;
}

bool UsageMemory::stale(const UsageParams& params, Timestamp now) const {
  return !when_ || nanos_between(*when_, now) > std::max(params.staleness, params.fetch_interval);
}

bool UsageMemory::due(const UsageParams& params, Timestamp now) const {
  return !asked_ || nanos_between(*asked_, now) >= params.fetch_interval;
}

}  // namespace muster::kai
