#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Whether a name is as a pattern says, in which * stands for any characters, none included, and ? for one.
bool matches_pattern(std::string_view pattern, std::string_view name);

// Chooses among names by patterns. Without patterns every name is chosen.
class NameFilter {
 public:
  explicit NameFilter(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

  bool chooses(std::string_view name) const;
  // The same of "namespace/name" or "namespace/kind/name", in any case: objects have names in lower case, and kinds are typed in
  // either. A pattern without a slash is about the part behind the last one.
  bool chooses_key(std::string_view key) const;

  // Of the patterns that are plain names, those that are none of these names.
  std::vector<std::string> unknown_among(const std::vector<std::string>& names) const;
  // The same of such names.
  std::vector<std::string> unknown_among_keys(const std::vector<std::string>& keys) const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace muster
