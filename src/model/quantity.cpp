#include "model/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "model/quoted.h"

namespace muster {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kGiga = 1'000'000'000;
constexpr int kNanoDigits = 9;
constexpr std::size_t kFastDigits = 18;  // more decimal digits do not fit 64 bits for sure

constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (auto& entry : powers) {
    entry = power;
    power *= 10;
  }
  return powers;
}();

// The number without its sign: whole + nano / 1e9, already saturated and rounded.
struct Magnitude {
  std::int64_t whole = 0;
  std::int32_t nano = 0;
};

struct Suffix {
  Quantity::Format format = Quantity::Format::kDecimalSi;
  std::int64_t exponent = 0;  // of 10, or of 2 for kBinarySi
};

// The text in its parts, none of them checked for its size.
struct Parts {
  bool negative = false;
  std::string_view integer;
  std::string_view fraction;
  std::string_view suffix;
};

std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  const auto digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

std::optional<Parts> split(std::string_view text) {
  Parts parts;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  parts.integer = take_digits(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  if (parts.integer.empty() && parts.fraction.empty()) return std::nullopt;
  while (!parts.integer.empty() && parts.integer.front() == '0') parts.integer.remove_prefix(1);
  while (!parts.fraction.empty() && parts.fraction.back() == '0') parts.fraction.remove_suffix(1);
  parts.suffix = text;
  return parts;
}

std::optional<std::int64_t> decimal_exponent(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
  }
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return exponent;
}

std::optional<Suffix> interpret(std::string_view text) {
  using Format = Quantity::Format;
  if (text.empty()) return Suffix{};
  constexpr std::string_view kBinary = "KMGTPE";
  if (text.size() == 2 && text[1] == 'i') {
    const auto at = kBinary.find(text[0]);
    if (at == std::string_view::npos) return std::nullopt;
    return Suffix{Format::kBinarySi, static_cast<std::int64_t>(at + 1) * 10};
  }
  constexpr std::string_view kDecimal = "num kMGTPE";  // the blank stands for 10^0, which has no letter
  if (text.size() == 1 && text[0] != ' ') {
    const auto at = kDecimal.find(text[0]);
    if (at == std::string_view::npos) return std::nullopt;
    return Suffix{Format::kDecimalSi, static_cast<std::int64_t>(at) * 3 - kNanoDigits};
  }
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  const auto exponent = decimal_exponent(text.substr(1));
  if (!exponent) return std::nullopt;
  return Suffix{Format::kDecimalExponent, *exponent};
}

Magnitude saturated(Wide whole, Wide nano) {
  if (whole > static_cast<Wide>(kMax) || (whole == static_cast<Wide>(kMax) && nano != 0)) return {kMax, 0};
  return {static_cast<std::int64_t>(whole), static_cast<std::int32_t>(nano)};
}

Magnitude from_nanos(Wide nanos) { return saturated(nanos / kGiga, nanos % kGiga); }

std::uint64_t to_number(std::string_view integer, std::string_view fraction) {
  std::uint64_t number = 0;
  for (const char c : integer) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  for (const char c : fraction) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  return number;
}

// digits * 10^scale, for at most kFastDigits digits.
Magnitude decimal(std::uint64_t digits, std::int64_t scale) {
  if (digits == 0) return {};
  if (scale > static_cast<std::int64_t>(kFastDigits)) return {kMax, 0};
  if (scale >= 0) return saturated(Wide{digits} * kPowersOfTen[static_cast<std::size_t>(scale)], 0);
  if (scale >= -kNanoDigits) {
    const auto unit = kPowersOfTen[static_cast<std::size_t>(-scale)];
    return saturated(digits / unit, digits % unit * kPowersOfTen[static_cast<std::size_t>(kNanoDigits + scale)]);
  }
  const std::int64_t excess = -scale - kNanoDigits;
  if (excess > static_cast<std::int64_t>(kFastDigits)) return {0, 1};
  const auto unit = kPowersOfTen[static_cast<std::size_t>(excess)];
  return from_nanos((Wide{digits} + unit - 1) / unit);
}

// digits * 2^exponent / 10^places, for at most kFastDigits digits.
Magnitude binary(std::uint64_t digits, std::int64_t exponent, std::size_t places) {
  const Wide scaled = Wide{digits} << exponent;
  const Wide unit = kPowersOfTen[places];
  const Wide nano = (scaled % unit * kGiga + unit - 1) / unit;
  const Wide carry = nano == static_cast<Wide>(kGiga) ? 1 : 0;
  return saturated(scaled / unit + carry, nano - carry * kGiga);
}

void multiply_by_1024(std::string& digits) {
  unsigned carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += static_cast<unsigned>(*digit - '0') * 1024;
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry != 0) digits.insert(0, std::to_string(carry));
}

// Any number of digits, by pencil and paper: exact, and linear in the text.
Magnitude long_number(const Parts& parts, const Suffix& suffix) {
  std::string digits(parts.integer);
  digits.append(parts.fraction);
  const bool is_binary = suffix.format == Quantity::Format::kBinarySi;
  if (is_binary)
    for (std::int64_t i = 0; i < suffix.exponent; i += 10) multiply_by_1024(digits);
  const auto significant = digits.find_first_not_of('0');
  if (significant == std::string::npos) return {};

  // How many of the digits stand before the point once the number is counted in nanos.
  constexpr std::int64_t kFarAway = 1'000'000'000'000;
  const std::int64_t exponent = is_binary ? 0 : std::min(std::max(suffix.exponent, -kFarAway), kFarAway);
  const std::int64_t kept =
      static_cast<std::int64_t>(digits.size()) - static_cast<std::int64_t>(parts.fraction.size()) + exponent + kNanoDigits;
  if (kept <= static_cast<std::int64_t>(significant)) return {0, 1};

  constexpr std::int64_t kWidest = 30;  // 2^63 units are 28 digits of nanos
  if (kept - static_cast<std::int64_t>(significant) > kWidest) return {kMax, 0};
  Wide nanos = 0;
  for (std::int64_t i = static_cast<std::int64_t>(significant); i < kept; ++i) {
    const auto at = static_cast<std::size_t>(i);
    nanos = nanos * 10 + (at < digits.size() ? static_cast<unsigned>(digits[at] - '0') : 0u);
  }
  const bool rest = static_cast<std::size_t>(kept) < digits.size() &&
                    digits.find_first_not_of('0', static_cast<std::size_t>(kept)) != std::string::npos;
  return from_nanos(nanos + (rest ? 1 : 0));
}

Magnitude magnitude(const Parts& parts, const Suffix& suffix) {
  if (parts.integer.size() + parts.fraction.size() > kFastDigits) return long_number(parts, suffix);
  const auto digits = to_number(parts.integer, parts.fraction);
  if (suffix.format == Quantity::Format::kBinarySi) return binary(digits, suffix.exponent, parts.fraction.size());
  constexpr std::int64_t kFarAway = 1'000'000;
  const auto exponent = std::min(std::max(suffix.exponent, -kFarAway), kFarAway);
  return decimal(digits, exponent - static_cast<std::int64_t>(parts.fraction.size()));
}

// value * per_unit, rounded away from zero and cut to the int64 range.
std::int64_t scaled_value(SignedWide nanos, std::int64_t per_unit) {
  const SignedWide unit = kGiga / per_unit;
  SignedWide value = nanos / unit;
  if (nanos % unit != 0) value += nanos > 0 ? 1 : -1;
  if (value > kMax) return kMax;
  if (value < std::numeric_limits<std::int64_t>::min()) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

std::string digits_of(SignedWide number) {
  const bool negative = number < 0;
  Wide rest = negative ? -static_cast<Wide>(number) : static_cast<Wide>(number);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return negative ? "-" + digits : digits;
}

std::string decimal_text(SignedWide nanos, Quantity::Format format) {
  int exponent = -kNanoDigits;
  while (nanos % 1000 == 0) {
    nanos /= 1000;
    exponent += 3;
  }
  std::string text = digits_of(nanos);
  if (exponent == 0) return text;
  if (format == Quantity::Format::kDecimalExponent) return text + "e" + std::to_string(exponent);
  constexpr std::string_view kDecimal = "num kMGTPE";
  return text + kDecimal[static_cast<std::size_t>((exponent + kNanoDigits) / 3)];
}

std::string binary_text(std::int64_t units) {
  std::size_t power = 0;
  while (units % 1024 == 0) {
    units /= 1024;
    ++power;
  }
  std::string text = std::to_string(units);
  constexpr std::string_view kBinary = "KMGTPE";
  if (power > 0) text.append({kBinary[power - 1], 'i'});
  return text;
}

SignedWide nanos_of(std::int64_t whole, std::int32_t nano) { return SignedWide{whole} * kGiga + nano; }

struct SignedParts {
  std::int64_t whole;
  std::int32_t nano;
};

// Any whole and nano part, brought into the ranges that a quantity keeps.
SignedParts in_range(SignedWide whole, SignedWide nano) {
  whole += nano / kGiga;
  nano %= kGiga;
  if (nano < 0) nano += kGiga, whole -= 1;
  if (whole > kMax) whole = kMax, nano = 0;
  if (whole < -kMax) whole = -kMax, nano = 0;
  return {static_cast<std::int64_t>(whole), static_cast<std::int32_t>(nano)};
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return fail(quoted(text) + " is not a quantity: it has no digits");
  const auto suffix = interpret(parts->suffix);
  if (!suffix) return fail(quoted(text) + " is not a quantity: unknown suffix " + quoted(parts->suffix));

  const Magnitude size = magnitude(*parts, *suffix);
  Quantity quantity;
  const auto places =
      suffix->format == Format::kBinarySi ? 0 : static_cast<std::int64_t>(std::min<std::size_t>(parts->fraction.size(), 99));
  quantity.written_exponent_ = static_cast<std::int8_t>(std::clamp<std::int64_t>(suffix->exponent - places, -99, 99));
  quantity.format_ = suffix->format;
  if (suffix->format == Format::kBinarySi && size.whole == 0 && size.nano != 0 && !parts->negative)
    quantity.format_ = Format::kDecimalSi;  // as Kubernetes does for fractions of one byte
  if (!parts->negative) {
    quantity.whole_ = size.whole;
    quantity.nano_ = size.nano;
  } else {
    quantity.whole_ = size.nano == 0 ? -size.whole : -size.whole - 1;
    quantity.nano_ = size.nano == 0 ? 0 : static_cast<std::int32_t>(kGiga - size.nano);
  }
  return quantity;
}

Quantity Quantity::with(std::int64_t whole, std::int32_t nano) const {
  Quantity other = *this;
  other.whole_ = whole;
  other.nano_ = nano;
  other.written_exponent_ = 0;
  return other;
}

Quantity Quantity::operator+(const Quantity& other) const {
  const auto sum = in_range(SignedWide{whole_} + other.whole_, SignedWide{nano_} + other.nano_);
  return with(sum.whole, sum.nano);
}

Quantity Quantity::operator-(const Quantity& other) const {
  const auto difference = in_range(SignedWide{whole_} - other.whole_, SignedWide{nano_} - other.nano_);
  return with(difference.whole, difference.nano);
}

Quantity Quantity::operator*(std::int64_t times) const {
  const auto product = in_range(SignedWide{whole_} * times, SignedWide{nano_} * times);
  return with(product.whole, product.nano);
}

Quantity Quantity::from_units(std::int64_t units, Format format) {
  Quantity quantity;
  quantity.whole_ = units;
  quantity.format_ = format;
  return quantity;
}

Quantity Quantity::from_milli(std::int64_t milli, Format format) {
  Quantity quantity;
  std::int64_t rest = milli % 1000;
  if (rest < 0) rest += 1000;
  quantity.whole_ = milli / 1000 - (milli < 0 && rest != 0 ? 1 : 0);
  quantity.nano_ = static_cast<std::int32_t>(rest * (kGiga / 1000));
  quantity.format_ = format;
  return quantity;
}

std::int64_t Quantity::units() const { return scaled_value(nanos_of(whole_, nano_), 1); }
std::int64_t Quantity::milli() const { return scaled_value(nanos_of(whole_, nano_), 1000); }

std::string Quantity::text() const {
  if (is_zero()) return "0";
  const bool small = whole_ < 1024 && (whole_ >= -1024 && !(whole_ == -1024 && nano_ == 0));
  if (format_ == Format::kBinarySi && nano_ == 0 && !small) return binary_text(whole_);
  return decimal_text(nanos_of(whole_, nano_), format_ == Format::kDecimalExponent ? format_ : Format::kDecimalSi);
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (const auto order = whole_ <=> other.whole_; order != 0) return order;
  return nano_ <=> other.nano_;
}

}  // namespace muster
