#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/family.h"

namespace muster::metrics {

// All families of a process, and their text for Prometheus. What it hands out lives as long as the registry does. A name is
// registered once; a second time is a bug.
class Registry {
 public:
  // The Content-Type of text().
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

  // One series without labels, there from the start.
  Counter& counter(std::string name, std::string help);
  Gauge& gauge(std::string name, std::string help);
  Histogram& histogram(std::string name, std::string help, Buckets bounds);

  // Series that come into being when they are first asked for.
  Family<Counter>& counters(Description description);
  Family<Gauge>& gauges(Description description);
  Family<Histogram>& histograms(Description description, Buckets bounds);

  // Runs whenever the text is asked for, before it is made, on the thread that asks: for values that are kept elsewhere.
  void before_text(std::function<void()> refresh);

  // Text exposition format 0.0.4: families by name, without those that have no series.
  std::string text() const;

  // By name.
  std::vector<const AnyFamily*> families() const;

 private:
  template <class T>
  Family<T>& add(std::unique_ptr<Family<T>> family);

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<AnyFamily>> families_;
  std::vector<std::function<void()>> refreshers_;
};

}  // namespace muster::metrics
