#include "app/kai_usage.h"

#include <algorithm>

namespace muster {
namespace {

using kai::Share;

std::optional<Share> share_of(std::string_view resource) {
  if (resource == "cpu") return Share::kCpu;
  if (resource == "memory") return Share::kMemory;
  if (resource == "gpu") return Share::kGpu;
  return std::nullopt;
}

std::map<Share, double> by_share(const std::map<std::string, double>& amounts) {
  std::map<Share, double> shares;
  for (const auto& [resource, amount] : amounts)
    if (const auto share = share_of(resource)) shares[*share] = amount;
  return shares;
}

kai::UsagePoint point_of(const UsageSample& sample) {
  kai::UsagePoint point;
  point.at = sample.at.value_or(Timestamp());
  point.capacity = by_share(sample.capacity);
  for (const auto& [queue, amounts] : sample.allocated) point.allocated[queue] = by_share(amounts);
  return point;
}

}  // namespace

kai::QueueUsage usage_of_case(const Case& scenario, const kai::UsageParams& params) {
  kai::QueueUsage usage;
  for (const auto& [queue, amounts] : scenario.usage)
    for (const auto& [share, part] : by_share(amounts)) usage[queue][share] = part;
  if (!usage.empty() || scenario.usage_samples.empty()) return usage;
  const auto& samples = scenario.usage_samples;
  if (!samples.front().at) return kai::usage_of_sums(point_of(samples.front())).value_or(kai::QueueUsage());
  if (params.window != kai::UsageWindow::kSliding) return usage;
  std::vector<kai::UsagePoint> points;
  std::transform(samples.begin(), samples.end(), std::back_inserter(points), point_of);
  return kai::usage_of_points(params, points, scenario.now).value_or(kai::QueueUsage());
}

}  // namespace muster
