#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "metrics/buckets.h"

namespace muster::metrics {

// The three kinds of series. Any thread may write and any may read: one atomic step each, no lock. Writes of one thread are seen
// by others soon, and in no promised order among different series.

// Only grows, from 0 at the start of the process.
class Counter {
 public:
  void increment() { add(1); }
  void add(double amount) {
    if (MUSTER_EXPECT(amount >= 0)) value_.fetch_add(amount, std::memory_order_relaxed);
  }
  // For counts that are kept elsewhere: becomes `total`, unless it is there already.
  void raise_to(double total) {
    double now = value();
    while (now < total && !value_.compare_exchange_weak(now, total, std::memory_order_relaxed)) continue;
  }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

// Counts observations by size. What is read while others write may lack the latest observations, and its sum may be a few ahead or
// behind; the count is always that of the buckets.
class Histogram {
 public:
  struct Reading {
    std::vector<std::uint64_t> cumulative;  // per bound, then all: observations up to it
    double sum = 0;
  };

  explicit Histogram(std::shared_ptr<const Buckets> bounds);

  void observe(double value);
  Reading read() const;
  const Buckets& bounds() const { return *bounds_; }

 private:
  std::shared_ptr<const Buckets> bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;  // one more than bounds
  std::atomic<double> sum_ = 0;
};

}  // namespace muster::metrics
