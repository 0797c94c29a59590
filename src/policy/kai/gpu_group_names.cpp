#include "policy/kai/gpu_group_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <string>

namespace muster::kai {

std::string GpuGroupNames::next_text() {
  const auto number = count_++;
  if (first_part_.empty()) return "new" + std::to_string(number);
  constexpr std::size_t kDigits = 12;
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  const auto length = static_cast<std::size_t>(end - digits.data());
  return first_part_ + std::string(length < kDigits ? kDigits - length : 0, '0') + std::string(digits.data(), length);
}

SymbolId GpuGroupNames::open(Interner<SymbolId>& symbols) {
  SymbolId name;
  if (!spare_.empty()) {
    name = spare_.back();
    spare_.pop_back();
  } else {
    std::string text;
    do text = next_text();
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
