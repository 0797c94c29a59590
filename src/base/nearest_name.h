#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// How many single-character edits lead from one text to the other: insert, remove, replace, or swap two neighbours.
std::size_t edit_distance(std::string_view from, std::string_view to);

// Looks for the known name that a mistyped one most likely stands for, one known name after the other: about one edit per three
// characters leads to it. Of equally near names the first wins. Names that cannot be nearer than the best so far cost little: those
// of another length nothing, and the others no more than it takes to see it.
class NearestName {
 public:
  // The typed text has to outlive it.
  explicit NearestName(std::string_view typed);

  void consider(std::string_view known);
  const std::string& found() const { return found_; }  // empty: none is near
  std::uint64_t work() const { return work_; }         // how many pairs of characters were compared

 private:
  std::size_t distance_below_shortest(std::string_view from, std::string_view to);

  std::string_view typed_;
  std::size_t shortest_ = 0;  // only fewer edits count
  std::string found_;
  std::uint64_t work_ = 0;
  std::array<std::vector<std::size_t>, 3> rows_;
};

// The same of a few names.
std::string nearest_name(std::string_view typed, std::span<const std::string_view> known);

}  // namespace muster
