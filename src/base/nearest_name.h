#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace muster {

// How many single-character edits lead from one text to the other: insert, remove, replace, or swap two neighbours.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The known name that a mistyped one most likely stands for, or the empty text when none is near: about one edit per three
// characters. Of equally near names the first wins.
std::string nearest_name(std::string_view typed, std::span<const std::string_view> known);

}  // namespace muster
