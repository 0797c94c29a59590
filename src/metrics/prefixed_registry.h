#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/registry.h"

namespace muster::metrics {

// Registers families whose names begin alike: `metrics_namespace`, "_" and the name, or the name alone when the namespace is empty.
class PrefixedRegistry {
 public:
  PrefixedRegistry(Registry& registry, std::string_view metrics_namespace) : registry_(registry), prefix_(metrics_namespace) {
    if (!prefix_.empty()) prefix_ += '_';
  }

  Counter& counter(const std::string& name, std::string help) { return registry_.counter(prefix_ + name, std::move(help)); }
  Gauge& gauge(const std::string& name, std::string help) { return registry_.gauge(prefix_ + name, std::move(help)); }
  Histogram& histogram(const std::string& name, std::string help, Buckets bounds) {
    return registry_.histogram(prefix_ + name, std::move(help), std::move(bounds));
  }

  using Labels = std::vector<std::string>;
  Family<Counter>& counters(const std::string& name, Labels labels, std::string help) {
    return registry_.counters({prefix_ + name, std::move(help), std::move(labels)});
  }
  Family<Gauge>& gauges(const std::string& name, Labels labels, std::string help) {
    return registry_.gauges({prefix_ + name, std::move(help), std::move(labels)});
  }
  Family<Histogram>& histograms(const std::string& name, Labels labels, std::string help, Buckets bounds) {
    return registry_.histograms({prefix_ + name, std::move(help), std::move(labels)}, std::move(bounds));
  }

 private:
  Registry& registry_;
  std::string prefix_;
};

}  // namespace muster::metrics
