#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::server {

// What a request line asks for.
struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
};

// "/a%20b?x=1&y=c+d" or "http://host/a?…" taken apart and decoded. Fails when an escape is broken, or when the decoded path holds a
// control character or a segment "." or ".." : no client of good will sends those, and handlers need not think of them.
Result<Target> parse_target(std::string_view target);

}  // namespace muster::server
