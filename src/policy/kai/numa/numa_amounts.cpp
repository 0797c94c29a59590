#include "policy/kai/numa/numa_amounts.h"

#include "policy/kai/request.h"

namespace muster::kai {

SymbolId NumaAmounts::resource(std::string_view name, Interner<SymbolId>& symbols) {
  return symbols.intern(is_gpu(name) ? std::string_view("gpu") : name);
}

double NumaAmounts::amount(std::string_view name, const Quantity& quantity) {
  return static_cast<double>(name == "cpu" ? quantity.milli() : quantity.units());
}

NumaAmounts::NumaAmounts(const ResourceList& list, Interner<SymbolId>& symbols) {
  for (const auto& [name, quantity] : list) slot(resource(name, symbols)) += amount(name, quantity);
}

double& NumaAmounts::slot(SymbolId resource) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.resource == resource; });
  if (at != entries_.end()) return at->amount;
  entries_.push_back({resource, 0});
  return entries_.back().amount;
}

}  // namespace muster::kai
