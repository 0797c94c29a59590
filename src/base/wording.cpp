#include "base/wording.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 18> kUnits{"m",  "k",  "M",  "G",  "T",  "P",   "Ki", "Mi", "Gi",
                                                  "Ti", "Pi", "MB", "GB", "TB", "GiB", "s",  "ms", "h"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_of_name(char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '_'; }

// A dot belongs to what goes on behind it, and otherwise ends a sentence.
bool goes_on(std::string_view text, std::size_t at) {
  return is_of_name(text[at]) || (text[at] == '.' && at + 1 < text.size() && is_of_name(text[at + 1]));
}

// The word that begins here: letters, digits, dots and dashes.
std::string_view word_at(std::string_view text, std::size_t begin) {
  auto end = begin;
  while (end < text.size() && goes_on(text, end)) ++end;
  return text.substr(begin, end - begin);
}

// Takes the longest part off the front of which all characters are such.
template <class Is>
std::string_view take_while(std::string_view& text, Is is) {
  const auto end = std::ranges::find_if_not(text, is);
  const auto size = static_cast<std::size_t>(end - text.begin());
  const auto out = text.substr(0, size);
  text.remove_prefix(size);
  return out;
}

// "3", "1.5", "40Gi", "1h30m".
bool is_number(std::string_view word) {
  while (!word.empty()) {
    const auto digits = take_while(word, [](char c) { return is_digit(c) || c == '.'; });
    const auto unit = take_while(word, is_letter);
    if (digits.empty() || std::ranges::count(digits, '.') > 1) return false;
    if (!unit.empty() && std::ranges::find(kUnits, unit) == kUnits.end()) return false;
    if (unit.empty() && !word.empty()) return false;
  }
  return true;
}

}  // namespace

std::string without_numbers(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool was_number = false;  // the last word
  for (std::size_t at = 0; at < text.size();) {
    const auto word = word_at(text, at);
    if (word.empty()) {
      out.push_back(text[at++]);
      continue;
    }
    const bool is_of_path = at > 0 && text[at - 1] == '/' && !was_number;  // "ns/3", but not "2/3 nodes"
    was_number = !is_of_path && is_number(word);
    out += was_number ? "0" : word;
    at += word.size();
  }
  return out;
}

}  // namespace muster
