#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <string_view>

#include "base/interner.h"
#include "engine/ids.h"
#include "model/quantity.h"

namespace muster::kai {

// Amounts as zones of a node and the topology manager count them: thousandths of cores, units of everything else. Whatever ends in
// "gpu" is one resource.
class NumaAmounts {
 public:
  NumaAmounts() = default;
  NumaAmounts(const ResourceList& list, Interner<SymbolId>& symbols);

  static SymbolId resource(std::string_view name, Interner<SymbolId>& symbols);
  static double amount(std::string_view name, const Quantity& quantity);

  double get(SymbolId resource) const {
    const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.resource == resource; });
    return at == entries_.end() ? 0 : at->amount;
  }
  void set(SymbolId resource, double amount) { slot(resource) = amount; }
  void add(const NumaAmounts& other) {
    for (const auto& entry : other.entries_) slot(entry.resource) += entry.amount;
  }
  // The larger amount of each.
  void raise(const NumaAmounts& other) {
    for (const auto& entry : other.entries_) slot(entry.resource) = std::max(slot(entry.resource), entry.amount);
  }

 private:
  struct Entry {
    SymbolId resource;
    double amount = 0;
  };
  double& slot(SymbolId resource);

  boost::container::small_vector<Entry, 3> entries_;
};

}  // namespace muster::kai
