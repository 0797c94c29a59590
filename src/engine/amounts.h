#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <utility>

#include "engine/ids.h"

namespace muster {

// The resources whose ids are fixed. Units are the dialect's choice, the same for pods and nodes.
inline constexpr std::size_t kFixedResources = 3;
inline const ResourceId kCpu{0};
inline const ResourceId kMemory{1};
inline const ResourceId kPodCount{2};

// A sparse vector of resource amounts, ordered by resource. A resource that was ever added stays present, even at zero:
// some comparisons of the originals ask whether a name is there at all.
class Amounts {
 public:
  struct Entry {
    ResourceId resource;
    std::int64_t amount = 0;
    auto operator<=>(const Entry&) const = default;
  };

  std::int64_t get(ResourceId resource) const {
    const auto at = position(resource);
    return at != entries_.end() && at->resource == resource ? at->amount : 0;
  }
  bool has(ResourceId resource) const {
    const auto at = position(resource);
    return at != entries_.end() && at->resource == resource;
  }
  void set(ResourceId resource, std::int64_t amount) { slot(resource) = amount; }
  // Sums that do not fit 64 bits stay at the largest number.
  void add(ResourceId resource, std::int64_t amount) {
    auto& held = slot(resource);
    if (__builtin_add_overflow(held, amount, &held)) held = std::numeric_limits<std::int64_t>::max();
  }
  void raise(ResourceId resource, std::int64_t amount) {
    auto& held = slot(resource);
    held = std::max(held, amount);
  }

  Amounts& operator+=(const Amounts& other) {
    for (const auto& entry : other.entries_) add(entry.resource, entry.amount);
    return *this;
  }
  Amounts& operator-=(const Amounts& other) {
    for (const auto& entry : other.entries_) add(entry.resource, -entry.amount);
    return *this;
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool operator==(const Amounts& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  using Entries = boost::container::small_vector<Entry, 5>;
  Entries::const_iterator position(ResourceId resource) const {
    return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.resource >= resource; });
  }
  std::int64_t& slot(ResourceId resource) {
    auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.resource >= resource; });
    if (at == entries_.end() || at->resource != resource) at = entries_.insert(at, Entry{resource, 0});
    return at->amount;
  }
  Entries entries_;
};

}  // namespace muster
