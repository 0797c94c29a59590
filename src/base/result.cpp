#include "base/result.h"

namespace muster {

std::string Error::text() const {
  std::string out;
  if (!location.file.empty()) out += location.file + ":";
  if (location.line != 0) out += std::to_string(location.line) + ":";
  if (location.line != 0 && location.column != 0) out += std::to_string(location.column) + ":";
  if (!out.empty()) out += " ";
  if (!object.empty()) out += object + ": ";
  if (!field.empty()) out += field + ": ";
  return out + message;
}

}  // namespace muster
