#include <charconv>
#include <cmath>
#include <limits>

#include "cel/table_words.h"
#include "model/quoted.h"

namespace muster::cel {
namespace {

std::int64_t as_integer(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

// --------------------------------------------------------------------------------------------------------- quantities

Value to_quantity(Arguments a, Budget&) {
  const auto quantity = Quantity::parse(a[0].string());
  if (quantity) return *quantity;
  return Value::error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
Value is_quantity(Arguments a, Budget&) { return Quantity::parse(a[0].string()).has_value(); }

std::strong_ordering order_of_same(const Value& left, const Value& right) {
  return left.is(kQ) ? left.quantity() <=> right.quantity() : left.semver() <=> right.semver();
}
Value compare_to(Arguments a, Budget&) { return as_integer(order_of_same(a[0], a[1])); }
Value is_greater(Arguments a, Budget&) { return order_of_same(a[0], a[1]) > 0; }
Value is_less(Arguments a, Budget&) { return order_of_same(a[0], a[1]) < 0; }

bool is_whole(const Quantity& quantity) { return Quantity::from_units(quantity.units()) == quantity; }

Value quantity_is_integer(Arguments a, Budget&) { return is_whole(a[0].quantity()); }
Value quantity_as_integer(Arguments a, Budget&) {
  if (!is_whole(a[0].quantity())) return Value::error("cannot convert value to integer");
  return a[0].quantity().units();
}
Value quantity_as_double(Arguments a, Budget&) { return a[0].quantity().approximate(); }
Value quantity_sign(Arguments a, Budget&) { return as_integer(a[0].quantity() <=> Quantity()); }

Quantity operand(const Value& value) { return value.is(kQ) ? value.quantity() : Quantity::from_units(value.integer()); }
Value quantity_add(Arguments a, Budget&) { return a[0].quantity() + operand(a[1]); }
Value quantity_subtract(Arguments a, Budget&) { return a[0].quantity() - operand(a[1]); }

// ----------------------------------------------------------------------------------------------------------- versions

Result<Semver> parse_version(Arguments a) {
  const bool tolerant = a.size() > 1 && a[1].boolean();
  return tolerant ? Semver::parse_tolerant(a[0].string()) : Semver::parse(a[0].string());
}
Value to_semver(Arguments a, Budget&) {
  auto version = parse_version(a);
  return version ? Value(std::move(*version)) : Value::error(version.error().message);
}
Value is_semver(Arguments a, Budget&) { return parse_version(a).has_value(); }
Value major_of(Arguments a, Budget&) { return static_cast<std::int64_t>(a[0].semver().major); }
Value minor_of(Arguments a, Budget&) { return static_cast<std::int64_t>(a[0].semver().minor); }
Value patch_of(Arguments a, Budget&) { return static_cast<std::int64_t>(a[0].semver().patch); }

// -------------------------------------------------------------------------------------------------------- conversions

Value bad_conversion(const Value& value, std::string_view to) {
  return Value::error("type conversion error from '" + std::string(name_of(value.kind())) + "' to '" + std::string(to) + "'");
}

template <class T>
Value parse_number(const Value& text, std::string_view to) {
  T value{};
  const auto* end = text.string().data() + text.string().size();
  const auto [stop, error] = std::from_chars(text.string().data(), end, value);
  return error == std::errc() && stop == end ? Value(value) : bad_conversion(text, to);
}

Value to_int(Arguments a, Budget&) {
  switch (a[0].kind()) {
    case Kind::kInt: return a[0];
    case Kind::kUint:
      if (a[0].unsigned_integer() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return Value::error("integer overflow");
      return static_cast<std::int64_t>(a[0].unsigned_integer());
    case Kind::kDouble:
      if (!(a[0].real() > -9223372036854775808.0 && a[0].real() < 9223372036854775808.0)) return Value::error("integer overflow");
      return static_cast<std::int64_t>(a[0].real());
    default: return parse_number<std::int64_t>(a[0], "int");
  }
}

Value to_uint(Arguments a, Budget&) {
  switch (a[0].kind()) {
    case Kind::kUint: return a[0];
    case Kind::kInt:
      if (a[0].integer() < 0) return Value::error("unsigned integer overflow");
      return static_cast<std::uint64_t>(a[0].integer());
    case Kind::kDouble:
      if (!(a[0].real() >= 0 && a[0].real() < 18446744073709551616.0)) return Value::error("unsigned integer overflow");
      return static_cast<std::uint64_t>(a[0].real());
    default: return parse_number<std::uint64_t>(a[0], "uint");
  }
}

Value to_double(Arguments a, Budget&) {
  switch (a[0].kind()) {
    case Kind::kDouble: return a[0];
    case Kind::kInt: return static_cast<double>(a[0].integer());
    case Kind::kUint: return static_cast<double>(a[0].unsigned_integer());
    default: return parse_number<double>(a[0], "double");
  }
}

Value to_string(Arguments a, Budget&) {
  char buffer[32];
  switch (a[0].kind()) {
    case Kind::kString: return a[0];
    case Kind::kBool: return std::string(a[0].boolean() ? "true" : "false");
    case Kind::kInt: return std::to_string(a[0].integer());
    case Kind::kUint: return std::to_string(a[0].unsigned_integer());
    case Kind::kDouble: return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, a[0].real()).ptr);
    default: return bad_conversion(a[0], "string");
  }
}

Value to_bool(Arguments a, Budget&) {
  if (a[0].is(kB)) return a[0];
  const auto& text = a[0].string();
  for (const auto* word : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == word) return true;
  for (const auto* word : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == word) return false;
  return bad_conversion(a[0], "bool");
}

Value as_it_is(Arguments a, Budget&) { return a[0]; }
Value type_of(Arguments a, Budget&) { return Value::TypeName{std::string(name_of(a[0].kind()))}; }

}  // namespace

std::vector<Overload> number_functions() {
  return {
      {"quantity", kGlobal, {kS}, kQ, to_quantity},
      {"isQuantity", kGlobal, {kS}, kB, is_quantity},
      {"sign", kGlobal, {kQ}, kI, quantity_sign},
      {"isInteger", kMember, {kQ}, kB, quantity_is_integer},
      {"asInteger", kMember, {kQ}, kI, quantity_as_integer},
      {"asApproximateFloat", kMember, {kQ}, Kind::kDouble, quantity_as_double},
      {"add", kMember, {kQ, kQ}, kQ, quantity_add},
      {"add", kMember, {kQ, kI}, kQ, quantity_add},
      {"sub", kMember, {kQ, kQ}, kQ, quantity_subtract},
      {"sub", kMember, {kQ, kI}, kQ, quantity_subtract},
      {"compareTo", kMember, {kQ, kQ}, kI, compare_to},
      {"isGreaterThan", kMember, {kQ, kQ}, kB, is_greater},
      {"isLessThan", kMember, {kQ, kQ}, kB, is_less},

      {"semver", kGlobal, {kS}, kV, to_semver},
      {"semver", kGlobal, {kS, kB}, kV, to_semver},
      {"isSemver", kGlobal, {kS}, kB, is_semver},
      {"isSemver", kGlobal, {kS, kB}, kB, is_semver},
      {"compareTo", kMember, {kV, kV}, kI, compare_to},
      {"isGreaterThan", kMember, {kV, kV}, kB, is_greater},
      {"isLessThan", kMember, {kV, kV}, kB, is_less},
      {"major", kMember, {kV}, kI, major_of},
      {"minor", kMember, {kV}, kI, minor_of},
      {"patch", kMember, {kV}, kI, patch_of},

      {"int", kGlobal, {kI}, kI, to_int},
      {"int", kGlobal, {Kind::kUint}, kI, to_int},
      {"int", kGlobal, {Kind::kDouble}, kI, to_int},
      {"int", kGlobal, {kS}, kI, to_int},
      {"uint", kGlobal, {Kind::kUint}, Kind::kUint, to_uint},
      {"uint", kGlobal, {kI}, Kind::kUint, to_uint},
      {"uint", kGlobal, {Kind::kDouble}, Kind::kUint, to_uint},
      {"uint", kGlobal, {kS}, Kind::kUint, to_uint},
      {"double", kGlobal, {Kind::kDouble}, Kind::kDouble, to_double},
      {"double", kGlobal, {kI}, Kind::kDouble, to_double},
      {"double", kGlobal, {Kind::kUint}, Kind::kDouble, to_double},
      {"double", kGlobal, {kS}, Kind::kDouble, to_double},
      {"string", kGlobal, {kS}, kS, to_string},
      {"string", kGlobal, {kB}, kS, to_string},
      {"string", kGlobal, {kI}, kS, to_string},
      {"string", kGlobal, {Kind::kUint}, kS, to_string},
      {"string", kGlobal, {Kind::kDouble}, kS, to_string},
      {"bool", kGlobal, {kB}, kB, to_bool},
      {"bool", kGlobal, {kS}, kB, to_bool},
      {"dyn", kGlobal, {Kind::kDyn}, Kind::kDyn, as_it_is},
      {"type", kGlobal, {Kind::kDyn}, Kind::kType, type_of},
  };
}

}  // namespace muster::cel
