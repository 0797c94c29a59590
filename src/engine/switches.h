#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

// A dialect has two behaviours. `exact` reproduces the original's decisions and texts with its quirks; `safe`, the default, differs
// in the rows of one table, each a named switch. A dialect lists its quirks in an enumeration that ends with kCount.

template <class Quirk>
struct DifferenceOf {
  Quirk quirk;
  std::string_view name;      // of the switch
  std::string_view original;  // what the original does
  std::string_view why;       // why that hurts
  std::string_view instead;   // what muster does
};

// Which quirks are reproduced: a switch for each row. Users choose between all and none of them.
template <class Quirk>
class Switches {
 public:
  static Switches exact() { return Switches(~std::uint64_t{0}); }
  static Switches safe() { return Switches(0); }
  Switches() = default;  // safe

  // Whether the original's quirk is reproduced.
  bool keeps(Quirk quirk) const { return (kept_ & bit(quirk)) != 0; }
  // The same with one switch turned, the others as they are.
  Switches with(Quirk quirk) const { return Switches(kept_ | bit(quirk)); }
  Switches without(Quirk quirk) const { return Switches(kept_ & ~bit(quirk)); }

 private:
  static_assert(static_cast<unsigned>(Quirk::kCount) <= 64);
  explicit Switches(std::uint64_t kept) : kept_(kept) {}
  static constexpr std::uint64_t bit(Quirk quirk) { return std::uint64_t{1} << static_cast<unsigned>(quirk); }

  std::uint64_t kept_ = 0;
};

}  // namespace muster
