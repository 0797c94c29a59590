#pragma once

#include <string>
#include <vector>

namespace muster {

// How a piece of text is meant; a terminal shows it as a colour, everything else not at all.
enum class Tone { kPlain, kHeading, kGood, kWaiting, kBad, kFaint };

// Puts colours on text, or not.
class Paint {
 public:
  static Paint none() { return Paint(false); }
  static Paint ansi() { return Paint(true); }
  std::string operator()(const std::string& text, Tone tone) const;

 private:
  explicit Paint(bool on) : on_(on) {}
  bool on_;
};

// Columns that line up. Cells are made printable; no line ends in blanks.
class TextTable {
 public:
  struct Cell {
    std::string text;
    Tone tone = Tone::kPlain;
    bool right = false;  // aligned to the right

    Cell(std::string content, Tone meant = Tone::kPlain, bool to_the_right = false)  // NOLINT: a cell is a text with manners
        : text(std::move(content)), tone(meant), right(to_the_right) {}
    Cell(const char* content) : text(content) {}  // NOLINT
  };

  explicit TextTable(std::string indent = {}) : indent_(std::move(indent)) {}
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  std::string text(Paint paint) const;

 private:
  std::string indent_;
  std::vector<std::vector<Cell>> rows_;
};

// Characters, not bytes.
std::size_t display_width(std::string_view text);

}  // namespace muster
