#include "base/result.h"

namespace muster {
namespace {

// Names come from outside and must not look like a second error.
std::string on_one_line(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

std::string Error::text() const {
  std::string out;
  if (!location.file.empty()) out += location.file + ":";
  if (location.line != 0) out += std::to_string(location.line) + ":";
  if (location.line != 0 && location.column != 0) out += std::to_string(location.column) + ":";
  if (!out.empty()) out += " ";
  if (!object.empty()) out += on_one_line(object) + ": ";
  if (!field.empty()) out += on_one_line(field) + ": ";
  return out + message;
}

}  // namespace muster
