#include "policy/kai/gpu_group_names.h"

#include <algorithm>
#include <functional>
#include <string>

namespace muster::kai {

SymbolId GpuGroupNames::open(Interner<SymbolId>& symbols) {
  SymbolId name;
  if (!spare_.empty()) {
    name = spare_.back();
    spare_.pop_back();
  } else {
    std::string text;
    do text = "new" + std::to_string(count_++);
    while (symbols.find(text));
    name = symbols.intern(text);
  }
  open_.insert(name);
  return name;
}

void GpuGroupNames::close(SymbolId name) {
  if (open_.erase(name) > 0) spare_.push_back(name);
}

void GpuGroupNames::close_all() {
  spare_.insert(spare_.end(), open_.begin(), open_.end());
  open_.clear();
  std::sort(spare_.begin(), spare_.end(), std::greater<>());
}

}  // namespace muster::kai
