#include "codec/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "codec/json_writer.h"

namespace muster {
namespace {

constexpr std::string_view kTrue[] = {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"};
constexpr std::string_view kFalse[] = {"n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"};
constexpr std::string_view kNull[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view kNan[] = {".nan", ".NaN", ".NAN"};
constexpr std::string_view kInfinity[] = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"};
constexpr std::string_view kMinusInfinity[] = {"-.inf", "-.Inf", "-.INF"};

template <std::size_t N>
bool is_one_of(std::string_view text, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

// Splits "0x1F" into 16 and "1F"; a lone leading zero means octal.
int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = digits[1];
  const int base = letter == 'x' || letter == 'X'   ? 16
                   : letter == 'o' || letter == 'O' ? 8
                   : letter == 'b' || letter == 'B' ? 2
                                                    : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

std::optional<Value::Data> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  std::string_view digits = text.substr(has_sign ? 1 : 0);
  const int base = take_base(digits);
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  if (negative) return size <= kLimit ? std::optional(Value::Data(static_cast<std::int64_t>(0 - size))) : std::nullopt;
  if (size < kLimit) return Value::Data(static_cast<std::int64_t>(size));
  return has_sign ? std::nullopt : std::optional(Value::Data(static_cast<double>(size)));
}

// [-+] digits [. digits] [e [-+] digits], with digits on at least one side of the point.
bool is_float(std::string_view text) {
  const auto take_digits = [&] {
    const std::size_t before = text.size();
    while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
    return before - text.size();
  };
  const auto take_sign = [&] {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  };
  take_sign();
  std::size_t digits = take_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += take_digits();
  }
  if (digits == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  take_sign();
  return take_digits() > 0 && text.empty();
}

std::optional<Value::Data> real(std::string_view text) {
  if (!is_float(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc()) return Value::Data(number);
  const bool tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
  return tiny ? std::optional(Value::Data(0.0)) : std::nullopt;
}

}  // namespace

Value::Data resolve_plain_scalar(std::string_view text) {
  if (is_one_of(text, kNull)) return std::monostate();
  const char first = text.front();
  if (!is_digit(first) && first != '+' && first != '-' && first != '.') {
    if (is_one_of(text, kTrue)) return true;
    if (is_one_of(text, kFalse)) return false;
    return std::string(text);
  }
  if (is_one_of(text, kNan)) return std::numeric_limits<double>::quiet_NaN();
  if (is_one_of(text, kInfinity)) return std::numeric_limits<double>::infinity();
  if (is_one_of(text, kMinusInfinity)) return -std::numeric_limits<double>::infinity();
  std::string plain(text);
  if (first != '.') {
    std::erase(plain, '_');
    if (auto number = integer(plain)) return std::move(*number);
  }
  if (auto number = real(plain)) return std::move(*number);
  return std::string(text);
}

std::string scalar_text(const Value& scalar) {
  if (const auto* text = scalar.as_string()) return *text;
  std::string out;
  if (const auto* flag = scalar.as_bool()) JsonWriter(out).value(*flag);
  if (const auto* number = scalar.as_int()) JsonWriter(out).value(*number);
  if (const auto* number = scalar.as_double()) JsonWriter(out).value(*number);
  if (scalar.is_null()) JsonWriter(out).null();
  return out;
}

}  // namespace muster
