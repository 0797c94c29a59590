#include "cel/value.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <optional>

namespace muster::cel {
namespace {

constexpr Kind kKindByIndex[] = {Kind::kNull,   Kind::kBool,     Kind::kInt,  Kind::kUint, Kind::kDouble,
                                 Kind::kString, Kind::kBytes,    Kind::kList, Kind::kMap,  Kind::kQuantity,
                                 Kind::kSemver, Kind::kOptional, Kind::kType, Kind::kError};

constexpr std::uint64_t kBytesPerWeight = 10;

std::uint64_t add_weights(std::uint64_t left, std::uint64_t right) {
  const auto sum = left + right;
  return sum < left ? ~std::uint64_t{0} : sum;
}

// How many characters a UTF-8 text has.
std::uint64_t characters(const std::string& text) {
  return static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::partial_ordering compare_double_int(double left, std::int64_t right) {
  if (std::isnan(left)) return std::partial_ordering::unordered;
  if (left >= 9223372036854775808.0) return std::partial_ordering::greater;
  if (left < -9223372036854775808.0) return std::partial_ordering::less;
  const auto whole = static_cast<std::int64_t>(left);
  if (whole != right) return whole <=> right;
  return left - static_cast<double>(whole) <=> 0.0;
}

std::partial_ordering compare_double_uint(double left, std::uint64_t right) {
  if (std::isnan(left)) return std::partial_ordering::unordered;
  if (left >= 18446744073709551616.0) return std::partial_ordering::greater;
  if (left < 0) return std::partial_ordering::less;
  const auto whole = static_cast<std::uint64_t>(left);
  if (whole != right) return whole <=> right;
  return left - static_cast<double>(whole) <=> 0.0;
}

std::partial_ordering reversed(std::partial_ordering order) {
  if (order == std::partial_ordering::less) return std::partial_ordering::greater;
  return order == std::partial_ordering::greater ? std::partial_ordering::less : order;
}

std::partial_ordering compare_numbers(const Value& left, const Value& right) {
  if (left.is(Kind::kDouble) && right.is(Kind::kDouble)) return left.real() <=> right.real();
  if (left.is(Kind::kDouble))
    return right.is(Kind::kInt) ? compare_double_int(left.real(), right.integer())
                                : compare_double_uint(left.real(), right.unsigned_integer());
  if (right.is(Kind::kDouble)) return reversed(compare_numbers(right, left));
  if (left.is(Kind::kInt) && right.is(Kind::kInt)) return left.integer() <=> right.integer();
  if (left.is(Kind::kUint) && right.is(Kind::kUint)) return left.unsigned_integer() <=> right.unsigned_integer();
  if (left.is(Kind::kUint)) return reversed(compare_numbers(right, left));
  if (left.integer() < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(left.integer()) <=> right.unsigned_integer();
}

bool equal_maps(const MapData& left, const MapData& right) {
  if (left.entries.size() != right.entries.size()) return false;
  return std::all_of(left.entries.begin(), left.entries.end(), [&](const auto& entry) {
    const auto found = std::find_if(right.entries.begin(), right.entries.end(),
                                    [&](const auto& other) { return equal(entry.first, other.first); });
    return found != right.entries.end() && equal(entry.second, found->second);
  });
}

bool equal_optionals(const Value* left, const Value* right) {
  return left == nullptr || right == nullptr ? left == right : equal(*left, *right);
}

template <class T>
std::optional<std::partial_ordering> ordering(const T& left, const T& right) {
  return left <=> right;
}

std::optional<std::partial_ordering> order_of(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return compare_numbers(left, right);
  if (left.kind() != right.kind()) return std::nullopt;
  if (left.is(Kind::kString)) return ordering(left.string(), right.string());
  if (left.is(Kind::kBytes)) return ordering(left.bytes(), right.bytes());
  if (left.is(Kind::kBool)) return ordering(left.boolean(), right.boolean());
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kError: return "error";
    case Kind::kNull: return "null_type";
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int";
    case Kind::kUint: return "uint";
    case Kind::kDouble: return "double";
    case Kind::kString: return "string";
    case Kind::kBytes: return "bytes";
    case Kind::kList: return "list";
    case Kind::kMap: return "map";
    case Kind::kQuantity: return "kubernetes.Quantity";
    case Kind::kSemver: return "kubernetes.Semver";
    case Kind::kOptional: return "optional_type";
    case Kind::kType: return "type";
    case Kind::kDevice: return "kubernetes.DRADevice";
    case Kind::kDyn: return "dyn";
  }
  return "";
}

Value Value::list(std::vector<Value> items) {
  std::uint64_t weight = 1;
  for (const auto& item : items) weight = add_weights(weight, item.weight());
  return Value(std::make_shared<const ListData>(ListData{std::move(items), weight}));
}

Value Value::map(std::vector<std::pair<Value, Value>> entries, bool has_default) {
  std::uint64_t weight = 1;
  for (const auto& [key, value] : entries) weight = add_weights(add_weights(weight, key.weight()), value.weight());
  return Value(std::make_shared<const MapData>(MapData{std::move(entries), weight, has_default}));
}

Value Value::error(std::string text) {
  Value value;
  value.data_ = Error{std::make_shared<const std::string>(std::move(text))};
  return value;
}

const std::vector<Value>& Value::items() const { return std::get<List>(data_)->items; }

Kind Value::kind() const { return kKindByIndex[data_.index()]; }

std::uint64_t Value::size() const {
  switch (kind()) {
    case Kind::kString: return characters(string());
    case Kind::kBytes: return bytes().size();
    case Kind::kList: return items().size();
    case Kind::kMap: return map().entries.size();
    default: return 1;
  }
}

std::uint64_t Value::weight() const {
  switch (kind()) {
    case Kind::kString: return 1 + string().size() / kBytesPerWeight;
    case Kind::kBytes: return 1 + bytes().size() / kBytesPerWeight;
    case Kind::kList: return std::get<List>(data_)->weight;
    case Kind::kMap: return std::get<Map>(data_)->weight;
    case Kind::kOptional: return optional() == nullptr ? 1 : add_weights(1, optional()->weight());
    default: return 1;
  }
}

const Value* MapData::find(const Value& key) const {
  for (const auto& [name, value] : entries)
    if (equal(name, key)) return &value;
  return nullptr;
}

bool equal(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return compare_numbers(left, right) == 0;
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Kind::kNull: return true;
    case Kind::kBool: return left.boolean() == right.boolean();
    case Kind::kString: return left.string() == right.string();
    case Kind::kBytes: return left.bytes() == right.bytes();
    case Kind::kQuantity: return left.quantity() == right.quantity();
    case Kind::kSemver: return left.semver() == right.semver();
    case Kind::kType: return left.type() == right.type();
    case Kind::kOptional: return equal_optionals(left.optional(), right.optional());
    case Kind::kMap: return equal_maps(left.map(), right.map());
    case Kind::kList:
      return std::equal(left.items().begin(), left.items().end(), right.items().begin(), right.items().end(), equal);
    default: return false;
  }
}

Value compare(const Value& left, const Value& right) {
  const auto order = order_of(left, right);
  if (!order) return no_such_overload();
  if (*order == std::partial_ordering::unordered) return Value::error("NaN values cannot be ordered");
  return Value(std::int64_t{*order < 0 ? -1 : *order > 0 ? 1 : 0});
}

Value no_such_overload() { return Value::error("no such overload"); }

Value no_such_key(const Value& key) {
  switch (key.kind()) {
    case Kind::kString: return Value::error("no such key: " + key.string());
    case Kind::kInt: return Value::error("no such key: " + std::to_string(key.integer()));
    case Kind::kUint: return Value::error("no such key: " + std::to_string(key.unsigned_integer()));
    case Kind::kBool: return Value::error(key.boolean() ? "no such key: true" : "no such key: false");
    default: return Value::error("no such key");
  }
}

}  // namespace muster::cel
