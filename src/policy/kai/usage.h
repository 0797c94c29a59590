#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/kai/cron_schedule.h"
#include "policy/kai/quantities.h"

namespace muster::kai {

// Usage of the cluster by queues in the past, as parts of all there was; whoever is absent used nothing.
using QueueUsage = std::map<std::string, Quantities, std::less<>>;

// The time over which usage is added up: up to now for so long, or since a time that comes again.
enum class UsageWindow : std::uint8_t { kSliding, kTumbling, kCron };

// Where usage comes from and how it counts. Durations are nanoseconds.
struct UsageParams {
  std::string client;  // "prometheus"
  std::string address;
  std::string address_variable;  // of the environment, in place of the address

  UsageWindow window = UsageWindow::kSliding;
  std::int64_t window_size = 0;
  std::optional<Timestamp> tumbling_start;
  std::optional<CronSchedule> cron;
  std::int64_t half_life = 0;  // 0: what is long ago counts like what is not

  std::int64_t fetch_interval = 0;
  std::int64_t staleness = 0;  // never less than the interval
  std::int64_t wait_timeout = 0;
  std::map<std::string, std::string, std::less<>> extra;

  bool operator==(const UsageParams&) const = default;
};

// What the original has in force where nothing is said.
UsageParams default_usage_params();
// "1w", "2h30m": as Prometheus writes durations.
std::optional<std::int64_t> parse_window_size(std::string_view text);

// When the window began that lasts until now.
Timestamp window_start(const UsageParams& params, Timestamp now);

// What queues held and what there was, at a time.
struct UsagePoint {
  Timestamp at;
  std::map<Share, double> capacity;
  std::map<std::string, std::map<Share, double>, std::less<>> allocated;
};
// The parts that follow from sums over a window: nothing when what there was is unknown for any resource, because the original
// asks for all of it together.
std::optional<QueueUsage> usage_of_sums(const UsagePoint& sums);
// The same of the points that lie in the window, where half as much counts for each half-life that has passed.
std::optional<QueueUsage> usage_of_points(const UsageParams& params, std::span<const UsagePoint> points, Timestamp now);

// The usage that is known. Old data counts until there is newer; that nothing new came is only worth a warning.
class UsageMemory {
 public:
  // What a fetch that began at that time brought; nothing: it failed.
  void take(std::optional<QueueUsage> usage, Timestamp when);

  const QueueUsage& usage() const { return usage_; }
  bool known() const { return when_.has_value(); }
  bool stale(const UsageParams& params, Timestamp now) const;
  // Whether it is time to ask again.
  bool due(const UsageParams& params, Timestamp now) const;

 private:
  QueueUsage usage_;
  std::optional<Timestamp> when_;   // of the data
  std::optional<Timestamp> asked_;  // last
};

}  // namespace muster::kai
