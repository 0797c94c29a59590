#include "app/name_filter.h"

#include <algorithm>

#include "base/lower_case.h"

namespace muster {
namespace {

bool is_key_of(std::string_view pattern, std::string_view key) {
  const bool whole = pattern.find('/') != std::string_view::npos;
  return matches_pattern(lower_case(pattern), lower_case(whole ? key : key.substr(key.rfind('/') + 1)));
}

template <class Matches>
std::vector<std::string> plain_names_without(const std::vector<std::string>& patterns, const std::vector<std::string>& among,
                                             Matches matches) {
  std::vector<std::string> without;
  for (const auto& pattern : patterns) {
    if (pattern.find_first_of("*?") != std::string::npos) continue;
    if (std::ranges::none_of(among, [&](const std::string& name) { return matches(pattern, name); })) without.push_back(pattern);
  }
  return without;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  auto star = std::string_view::npos;  // the last one, which may have to stand for more
  std::size_t star_ends = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_ends = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_ends;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool NameFilter::chooses(std::string_view name) const {
  return patterns_.empty() ||
         std::ranges::any_of(patterns_, [&](const std::string& pattern) { return matches_pattern(pattern, name); });
}

bool NameFilter::chooses_key(std::string_view key) const {
  return patterns_.empty() || std::ranges::any_of(patterns_, [&](const std::string& pattern) { return is_key_of(pattern, key); });
}

std::vector<std::string> NameFilter::unknown_among(const std::vector<std::string>& names) const {
  return plain_names_without(patterns_, names, matches_pattern);
}

std::vector<std::string> NameFilter::unknown_among_keys(const std::vector<std::string>& keys) const {
  return plain_names_without(patterns_, keys, is_key_of);
}

}  // namespace muster
