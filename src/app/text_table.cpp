#include "app/text_table.h"

#include <algorithm>

#include "app/printable_text.h"

namespace muster {
namespace {

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain: return "";
    case Tone::kHeading: return "\x1b[1m";
    case Tone::kGood: return "\x1b[32m";
    case Tone::kWaiting: return "\x1b[33m";
    case Tone::kBad: return "\x1b[31m";
    case Tone::kFaint: return "\x1b[2m";
  }
  return "";
}

}  // namespace

std::string Paint::operator()(const std::string& text, Tone tone) const {
  if (!on_ || tone == Tone::kPlain) return text;
  return std::string(code_of(tone)) + text + "\x1b[0m";
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void TextTable::add(std::vector<Cell> row) {
  for (auto& cell : row) cell.text = printable(cell.text);
  rows_.push_back(std::move(row));
}

std::string TextTable::text(Paint paint) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c].text));
  }
  std::string out;
  for (const auto& row : rows_) {
    const auto after_last = std::find_if(row.rbegin(), row.rend(), [](const Cell& cell) { return !cell.text.empty(); });
    const auto filled = static_cast<std::size_t>(row.rend() - after_last);
    if (filled != 0) out += indent_;
    for (std::size_t c = 0; c < filled; ++c) {
      const auto& cell = row[c];
      const std::string padding(widths[c] - display_width(cell.text), ' ');
      const bool last = c + 1 == filled;
      if (cell.right) out += padding;
      out += paint(cell.text, cell.tone);
      if (!cell.right && !last) out += padding;
      if (!last) out += "  ";
    }
    out += '\n';
  }
  return out;
}

}  // namespace muster
