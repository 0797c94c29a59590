#pragma once

#include <optional>
#include <utility>

#include "engine/books.h"

namespace muster {

// Something derived from labels, taints, images or the existence of nodes: computed when first asked for, and again after such
// facts have changed. `compute` fills the value in place, so that its memory is used again; what depends on other things besides
// may be added to the value later.
template <class T>
class DerivedFromNodes {
 public:
  template <class Compute>
  T& get(const Books& books, Compute&& compute) const {
    const Stamp now{books.node_facts_version(), books.node_count()};
    if (stamp_ != now) {
      compute(value_);
      stamp_ = now;
    }
    return value_;
  }

 private:
  using Stamp = std::pair<std::uint64_t, std::size_t>;
  mutable T value_{};
  mutable std::optional<Stamp> stamp_;
};

}  // namespace muster
