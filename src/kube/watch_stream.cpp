#include "kube/watch_stream.h"

#include <algorithm>
#include <optional>

#include "codec/input.h"
#include "codec/json_syntax.h"
#include "codec/utf8.h"
#include "model/quoted.h"

namespace muster::kube {
namespace {

std::optional<WatchType> type_of(std::string_view quoted_name) {
  if (quoted_name == "\"ADDED\"") return WatchType::kAdded;
  if (quoted_name == "\"MODIFIED\"") return WatchType::kModified;
  if (quoted_name == "\"DELETED\"") return WatchType::kDeleted;
  if (quoted_name == "\"BOOKMARK\"") return WatchType::kBookmark;
  if (quoted_name == "\"ERROR\"") return WatchType::kError;
  return std::nullopt;
}

}  // namespace

Result<WatchLine> read_watch_line(std::string_view line) {
  if (find_bad_utf8(line)) return fail("a watch event is not UTF-8");
  WatchLine out{{}, line, {}};
  std::string_view type;
  const auto end = each_member(line, 0, [&](std::string_view key, JsonSpan value) -> Result<void> {
    if (key == "type") type = value.in(line);
    if (key == "object") out.object = value;
    return {};
  });
  if (!end) return fail("a watch event is no JSON: " + end.error().message);
  if (skip_json_space(line, *end) != line.size()) return fail("something follows a watch event in its line");
  const auto known = type_of(type);
  if (!known) return fail("a watch event has the type " + muster::quoted(type));
  if (out.object.end == 0 || line[out.object.begin] != '{') return fail("a watch event has no object");
  out.type = *known;
  return out;
}

void WatchStream::append(std::string_view piece) {
  if (at_ > 0) {
    buffer_.erase(0, at_);
    searched_ -= at_;
    at_ = 0;
  }
  buffer_.append(piece);
}

Result<WatchStream::Next> WatchStream::next() {
  for (;;) {
    const auto end = buffer_.find('\n', searched_);
    searched_ = std::min(end, buffer_.size());
    if (searched_ - at_ > longest_) return fail("a watch event has more than " + std::to_string(longest_) + " bytes");
    if (end == std::string::npos) return Next{};
    // The parser reads, but does not heed, what stands behind a text.
    if (buffer_.capacity() < buffer_.size() + Input::kPadding)
      buffer_.reserve(buffer_.size() + buffer_.size() / 2 + Input::kPadding);
    const auto line = std::string_view(buffer_).substr(at_, end - at_);
    at_ = searched_ = end + 1;
    if (skip_json_space(line, 0) == line.size()) continue;  // an empty line
    auto read = read_watch_line(line);
    if (!read) return fail(read.error());
    return Next{true, *read};
  }
}

}  // namespace muster::kube
