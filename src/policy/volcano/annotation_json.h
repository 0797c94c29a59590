#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::volcano {

// A JSON value out of an annotation. Scalars keep the text as it was written, because what a number may look like depends on what
// it is for: a weight must be an integer, a quantity may be 0.1 exactly.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kMap };
  struct Member;

  Kind kind = Kind::kNull;
  std::string_view raw;         // a view into the text that was read; of a string with its quotes
  std::vector<Member> members;  // of a map, in the order of the text; of equal keys the last one counts

  // A number without fraction and exponent; null counts as 0, as for any field that is left out.
  std::optional<std::int64_t> as_int() const;
};
struct Json::Member {
  std::string key;
  Json value;
};

// Nothing when the text is not exactly one JSON value, or nests deeper than any annotation has reason to.
std::optional<Json> read_json(std::string_view text);

}  // namespace muster::volcano
