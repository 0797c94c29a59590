#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace muster::kube {

// A piece of a JSON text: [begin, end).
struct JsonSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
};

// Calls on_member(key, value) for each member of the object that begins at `offset`, with values checked in full and left unread;
// keys are taken as they are written, so only those without escapes are recognised. Returns where the object ends.
Result<std::size_t> each_member(std::string_view text, std::size_t offset,
                                const std::function<Result<void>(std::string_view, JsonSpan)>& on_member);

// The same for the items of the array that begins at `offset`.
Result<std::size_t> each_item(std::string_view text, std::size_t offset, const std::function<Result<void>(JsonSpan)>& on_item);

}  // namespace muster::kube
