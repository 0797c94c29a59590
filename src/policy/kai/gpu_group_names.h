#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/interner.h"
#include "engine/ids.h"

namespace muster::kai {

// Names for shared GPUs that cycles open. Most are opened for an attempt that is taken back; their names are given out again, so
// that attempts add none. Those of GPUs that pods were bound to are not given out again.
class GpuGroupNames {
 public:
  // Names that nobody outside has either: this text, which has to be the process's own, and twelve hexadecimal digits. Without it
  // names are short, and unique among those that are known.
  void begin_with(std::string first_part) { first_part_ = std::move(first_part); }

  // A name that nobody else has.
  SymbolId open(Interner<SymbolId>& symbols);
  bool is_open(SymbolId name) const { return open_.contains(name); }
  // Nobody is in it any more; of one that is not open, nothing happens.
  void close(SymbolId name);
  // Somebody was bound to it: it is never given out again.
  void keep(SymbolId name) { open_.erase(name); }
  // A cycle ends.
  void close_all();

 private:
  std::string next_text();

  std::string first_part_;
  std::uint64_t count_ = 0;
  boost::unordered_flat_set<SymbolId> open_;
  std::vector<SymbolId> spare_;
};

}  // namespace muster::kai
