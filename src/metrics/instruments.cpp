#include "metrics/instruments.h"

#include <algorithm>
#include <cmath>

namespace muster::metrics {

Histogram::Histogram(std::shared_ptr<const Buckets> bounds) : bounds_(std::move(bounds)), counts_(bounds_->size() + 1) {
  MUSTER_ASSERT(std::is_sorted(bounds_->begin(), bounds_->end(), std::less_equal<>()));
  MUSTER_ASSERT(std::all_of(bounds_->begin(), bounds_->end(), [](double bound) { return std::isfinite(bound); }));
}

void Histogram::observe(double value) {
  // What is no number is above every bound.
  const auto bound = std::partition_point(bounds_->begin(), bounds_->end(), [&](double one) { return !(value <= one); });
  counts_[static_cast<std::size_t>(bound - bounds_->begin())].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

Histogram::Reading Histogram::read() const {
  Reading out;
  out.sum = sum_.load(std::memory_order_relaxed);
  std::uint64_t total = 0;
  for (const auto& count : counts_) out.cumulative.push_back(total += count.load(std::memory_order_relaxed));
  return out;
}

}  // namespace muster::metrics
