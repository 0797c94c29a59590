#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster {

// Tells where a byte of the text that is being decoded stands in the file that the user wrote.
class Positions {
 public:
  virtual ~Positions() = default;

  // The reference is good until the next call.
  virtual const Location& at(std::size_t offset) = 0;
};

// The text is the file. Asking for ascending offsets walks the text once in total.
class TextPositions final : public Positions {
 public:
  TextPositions(std::string_view text, std::string file, std::uint64_t first_line = 1);
  const Location& at(std::size_t offset) override;

 private:
  std::string_view text_;
  std::uint64_t first_line_;
  std::size_t reached_ = 0;
  Location location_;
};

// The text was made from the file. Each mark says where a piece of it comes from; the last mark at or before an offset counts.
class MappedPositions final : public Positions {
 public:
  explicit MappedPositions(std::string file) { location_.file = std::move(file); }
  void mark(std::size_t offset, std::uint64_t line, std::uint64_t column) { marks_.push_back({offset, line, column}); }
  const Location& at(std::size_t offset) override;

 private:
  struct Mark {
    std::size_t offset;
    std::uint64_t line;
    std::uint64_t column;
  };
  std::vector<Mark> marks_;  // by ascending offset
  Location location_;
};

// Line and column, both from 1, of a byte offset. Columns count characters, not bytes.
Location locate(std::string_view text, std::size_t offset, std::string file);

}  // namespace muster
