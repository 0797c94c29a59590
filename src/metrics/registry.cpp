#include "metrics/registry.h"

namespace muster::metrics {

template <class T>
Family<T>& Registry::add(std::unique_ptr<Family<T>> family) {
  auto& out = *family;
  const std::lock_guard lock(mutex_);
  const bool is_new = families_.emplace(out.description().name, std::move(family)).second;
  MUSTER_ASSERT(is_new);
  return out;
}

Counter& Registry::counter(std::string name, std::string help) { return counters({std::move(name), std::move(help)}).with({}); }

Gauge& Registry::gauge(std::string name, std::string help) { return gauges({std::move(name), std::move(help)}).with({}); }

Histogram& Registry::histogram(std::string name, std::string help, Buckets bounds) {
  return histograms({std::move(name), std::move(help)}, std::move(bounds)).with({});
}

Family<Counter>& Registry::counters(Description description) {
  return add(std::make_unique<Family<Counter>>(std::move(description)));
}

Family<Gauge>& Registry::gauges(Description description) { return add(std::make_unique<Family<Gauge>>(std::move(description))); }

Family<Histogram>& Registry::histograms(Description description, Buckets bounds) {
  return add(std::make_unique<Family<Histogram>>(std::move(description), std::move(bounds)));
}

void Registry::before_text(std::function<void()> refresh) {
  const std::lock_guard lock(mutex_);
  refreshers_.push_back(std::move(refresh));
}

std::string Registry::text() const {
  std::vector<std::function<void()>> refreshers;
  {
    const std::lock_guard lock(mutex_);
    refreshers = refreshers_;
  }
  for (const auto& refresh : refreshers) refresh();
  std::string out;
  for (const auto* family : families()) family->append_text(out);
  return out;
}

std::vector<const AnyFamily*> Registry::families() const {
  const std::lock_guard lock(mutex_);
  std::vector<const AnyFamily*> out;
  for (const auto& [name, family] : families_) out.push_back(family.get());
  return out;
}

}  // namespace muster::metrics
