#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

// With the letters of ASCII in lower case, whatever the locale.
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (auto& c : out) c = lower_case(c);
  return out;
}

// Whether a text in any case begins with one in lower case. Nothing is copied.
constexpr bool begins_in_any_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i)
    if (lower_case(text[i]) != lower[i]) return false;
  return true;
}

}  // namespace muster
