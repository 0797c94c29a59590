#pragma once

#include <concepts>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/instruments.h"

namespace muster::metrics {

enum class Kind { kCounter, kGauge, kHistogram };
std::string_view text_of(Kind kind);

struct Description {
  std::string name;
  std::string help = {};  // one sentence
  std::vector<std::string> labels = {};
};

// What the registry knows of a family. Labels are shown in the order of their names, as the originals show them, whatever the order
// in which values are given.
class AnyFamily {
 public:
  AnyFamily(Kind kind, Description description);
  virtual ~AnyFamily() = default;
  AnyFamily(const AnyFamily&) = delete;
  AnyFamily& operator=(const AnyFamily&) = delete;

  Kind kind() const { return kind_; }
  const Description& description() const { return description_; }

  // Its part of the exposition, series in the order of their label values; nothing when there is no series.
  virtual void append_text(std::string& out) const = 0;

 protected:
  using Values = std::vector<std::string>;  // in the order of the labels' names
  using ValueViews = std::span<const std::string_view>;

  void append_head(std::string& out) const;
  void append(std::string& out, const Values& values, const Counter& series) const;
  void append(std::string& out, const Values& values, const Gauge& series) const;
  void append(std::string& out, const Values& values, const Histogram& series) const;

  // Values in the declared order to values in the order of the labels' names.
  Values sorted(ValueViews declared) const;
  // Where a label's value stands in `Values`.
  std::size_t place_of(std::string_view label) const;

 private:
  void append_sample(std::string& out, std::string_view suffix, const Values& values, const double* bound, double sample) const;

  const Kind kind_;
  const Description description_;
  std::vector<std::size_t> order_;  // order_[i] = index in the declared order of the label that is shown i-th
};

template <class T>
struct KindOf;
template <>
struct KindOf<Counter> {
  static constexpr Kind kValue = Kind::kCounter;
};
template <>
struct KindOf<Gauge> {
  static constexpr Kind kValue = Kind::kGauge;
};
template <>
struct KindOf<Histogram> {
  static constexpr Kind kValue = Kind::kHistogram;
};

// The series of one name that differ in the values of its labels. Every call is safe from every thread, but looks a series up under
// a lock: keep the reference for what is written often. A reference lives until its series is removed, so remove only what no other
// thread can be holding.
template <class T>
class Family final : public AnyFamily {
 public:
  explicit Family(Description description, Buckets bounds = {})
      : AnyFamily(KindOf<T>::kValue, std::move(description)), bounds_(std::make_shared<const Buckets>(std::move(bounds))) {}

  // The series with these values, in the order in which the labels were declared; made when there is none yet.
  T& with(std::initializer_list<std::string_view> values) { return with(ValueViews(values.begin(), values.size())); }
  T& with(std::span<const std::string_view> values) {
    const std::lock_guard lock(mutex_);
    return series_of(sorted(values));
  }

  void remove(std::initializer_list<std::string_view> values) {
    const std::lock_guard lock(mutex_);
    series_.erase(sorted(ValueViews(values.begin(), values.size())));
  }
  // Every series in which this label has this value.
  void remove_where(std::string_view label, std::string_view value) {
    const auto place = place_of(label);
    const std::lock_guard lock(mutex_);
    std::erase_if(series_, [&](const auto& one) { return one.first[place] == value; });
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    series_.clear();
  }

  // From now on exactly these series with these values, in one step: no reader sees the family half filled.
  void replace_all(const std::vector<std::pair<std::vector<std::string_view>, double>>& series)
    requires std::same_as<T, Gauge>
  {
    const std::lock_guard lock(mutex_);
    auto before = std::exchange(series_, {});
    for (const auto& [values, value] : series) {
      auto key = sorted(values);
      if (auto known = before.extract(key)) series_.insert(std::move(known));
      series_of(std::move(key)).set(value);
    }
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return series_.size();
  }

  void append_text(std::string& out) const override {
    const std::lock_guard lock(mutex_);
    if (series_.empty()) return;
    append_head(out);
    for (const auto& [values, series] : series_) append(out, values, *series);
  }

 private:
  T& series_of(Values values) {
    auto& series = series_[std::move(values)];
    if (!series) series = made();
    return *series;
  }
  std::unique_ptr<T> made() const {
    if constexpr (std::same_as<T, Histogram>)
      return std::make_unique<T>(bounds_);
    else
      return std::make_unique<T>();
  }

  std::shared_ptr<const Buckets> bounds_;
  mutable std::mutex mutex_;
  std::map<Values, std::unique_ptr<T>> series_;
};

}  // namespace muster::metrics
