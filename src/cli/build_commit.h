#pragma once

#include <string_view>

namespace muster::cli {

// What was built: the first twelve digits of the commit, followed by " with changes" when the tree had some, or "unknown".
// Its source is written by cmake/WriteCommit.cmake.
std::string_view build_commit();

}  // namespace muster::cli
