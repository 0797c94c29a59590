#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// A JSON value out of an annotation or another text that an object carries. Scalars keep the text as it was written, because what a
// number may look like depends on what it is for: a weight must be an integer, a quantity may be 0.1 exactly.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kMap };
  struct Member;

  Kind kind = Kind::kNull;
  std::string_view raw;         // a view into the text that was read; of a string with its quotes
  std::string text;             // of a string, without quotes and escapes
  std::vector<Json> items;      // of a list
  std::vector<Member> members;  // of a map, in the order of the text; of equal keys the last one counts

  // A number without fraction and exponent; null counts as 0, as for any field that is left out.
  std::optional<std::int64_t> as_int() const;
  // Any number; null counts as 0.
  std::optional<double> as_double() const;
  // The member of a map with this key, or nullptr.
  const Json* find(std::string_view key) const;
};
struct Json::Member {
  std::string key;
  Json value;
};

// The text of a string member; empty when there is no such member, or no parent.
std::string text_at(const Json* parent, std::string_view key);

// Nothing when the text is not exactly one JSON value, or nests deeper: by default than any annotation has reason to.
inline constexpr int kAnnotationDepth = 16;
std::optional<Json> read_json(std::string_view text, int max_depth = kAnnotationDepth);

// A text as a JSON string, with quotes.
std::string json_string(std::string_view text);

}  // namespace muster
