#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cel {

// A semantic version (semver.org 2.0.0). Build metadata does not count in comparisons.
struct Semver {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  struct Identifier {  // of a pre-release: a number or a word
    std::string word;
    std::uint64_t number = 0;
    bool numeric = false;
  };
  std::vector<Identifier> pre_release;

  static Result<Semver> parse(std::string_view text);
  // Also takes "v1.2.3", "1.2" and "01.02.03".
  static Result<Semver> parse_tolerant(std::string_view text);

  std::strong_ordering operator<=>(const Semver& other) const;
  bool operator==(const Semver& other) const { return (*this <=> other) == 0; }
};

}  // namespace muster::cel
