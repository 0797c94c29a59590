#include "metrics/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace muster::metrics {
namespace {

std::string shortest(double value, std::chars_format format) {
  std::array<char, 32> digits{};  // 17 digits, sign, point, exponent; fixed ones are below 1e+06 and not below 1e-04
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format);
  return {digits.data(), end.ptr};
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value == 0) return "0";  // also the negative one
  const double size = std::abs(value);
  return shortest(value, size < 1e-4 || size >= 1e6 ? std::chars_format::scientific : std::chars_format::fixed);
}

}  // namespace muster::metrics
