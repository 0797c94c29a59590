#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace muster {

// What is wrong with a JSON text, and at which byte.
struct JsonSyntaxError {
  std::size_t offset = 0;
  std::string message;
};

// The first byte at or after `offset` that is not JSON white space; text.size() when there is none.
std::size_t skip_json_space(std::string_view text, std::size_t offset);

// The end of the JSON value that begins at `offset`, checked in full: the lazy parser behind it never looks at what it skips, and
// cannot say where a text goes wrong. Nesting deeper than `max_depth` is an error. The text must be UTF-8.
tl::expected<std::size_t, JsonSyntaxError> json_value_end(std::string_view text, std::size_t offset, int max_depth);

}  // namespace muster
