#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/json_span.h"

namespace muster::kube {

enum class WatchType { kAdded, kModified, kDeleted, kBookmark, kError };

// One line of a watch: what happened, and to what. The text is the line, followed by readable padding for the JSON parser.
struct WatchLine {
  WatchType type{};
  std::string_view text;
  JsonSpan object;
};

// Reads one line, without its end. Errors: no JSON, not UTF-8, no such type, no object.
Result<WatchLine> read_watch_line(std::string_view line);

// Cuts the bytes of a watch, as they come, into lines. At most the longest line is kept in memory.
class WatchStream {
 public:
  explicit WatchStream(std::size_t longest_line) : longest_(longest_line) {}

  void append(std::string_view piece);

  // The next whole line; `has_line` is false when there is none yet. The view is good until the next call of anything. A line that
  // is too long or cannot be read is an error, after which the stream is of no use.
  struct Next {
    bool has_line = false;
    WatchLine line;
  };
  Result<Next> next();

 private:
  std::size_t longest_;
  std::string buffer_;
  std::size_t at_ = 0;        // of the first line that was not taken
  std::size_t searched_ = 0;  // no line end between at_ and here
};

}  // namespace muster::kube
