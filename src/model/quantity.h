#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

// A Kubernetes resource quantity: an exact decimal number with nano precision, as "100m", "1.5Gi", "2e3", "-1k".
// Values finer than nano are rounded up (away from zero), as Kubernetes does; values beyond +-(2^63-1) saturate.
class Quantity {
 public:
  enum class Format { kDecimalSi, kBinarySi, kDecimalExponent };

  Quantity() = default;
  static Result<Quantity> parse(std::string_view text);
  static Quantity from_units(std::int64_t units, Format format = Format::kDecimalSi);
  static Quantity from_milli(std::int64_t milli, Format format = Format::kDecimalSi);

  // The value in whole units and in thousandths, rounded away from zero, saturated to the int64 range.
  std::int64_t units() const;
  std::int64_t milli() const;

  // Saturated; in the format of this one.
  Quantity operator+(const Quantity& other) const;
  Quantity operator-(const Quantity& other) const;
  Quantity operator*(std::int64_t times) const;
  double approximate() const { return static_cast<double>(whole_) + static_cast<double>(nano_) * 1e-9; }

  Format format() const { return format_; }
  // The exponent of the text that was parsed, of 2 for kBinarySi and of 10 otherwise, counting decimals: 30 for "1Gi", -3 for "5m".
  int written_exponent() const { return written_exponent_; }
  bool is_zero() const { return whole_ == 0 && nano_ == 0; }

  // The canonical text that Kubernetes prints: "1500m", "2Gi", "12e6".
  std::string text() const;

  // By value; the format does not matter.
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

 private:
  Quantity with(std::int64_t whole, std::int32_t nano) const;

  // value = whole_ + nano_ / 1e9, with 0 <= nano_ < 1e9 (floor representation, also for negative values).
  std::int64_t whole_ = 0;
  std::int32_t nano_ = 0;
  Format format_ = Format::kDecimalSi;
  std::int8_t written_exponent_ = 0;
};

// A ResourceList: name to amount, ordered by name.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

}  // namespace muster
