#include <algorithm>
#include <cmath>

#include "cel/table_words.h"

namespace muster::cel {
namespace {

Value size_of(Arguments a, Budget&) { return static_cast<std::int64_t>(a[0].size()); }

// -------------------------------------------------------------------------------------------------------------- lists

Value index_of_item(Arguments a, Budget& budget) {
  if (!budget.spend(a[0].weight())) return Budget::error();
  const auto& items = a[0].items();
  const auto found = std::find_if(items.begin(), items.end(), [&](const Value& item) { return equal(item, a[1]); });
  return found == items.end() ? std::int64_t{-1} : std::int64_t{found - items.begin()};
}

Value last_index_of_item(Arguments a, Budget& budget) {
  if (!budget.spend(a[0].weight())) return Budget::error();
  const auto& items = a[0].items();
  const auto found = std::find_if(items.rbegin(), items.rend(), [&](const Value& item) { return equal(item, a[1]); });
  return std::int64_t{items.rend() - found} - 1;
}

// The smallest (sign -1) or largest (+1) item.
Value extreme(Arguments a, Budget& budget, std::int64_t sign) {
  if (!budget.spend(a[0].weight())) return Budget::error();
  const auto& items = a[0].items();
  if (items.empty()) return Value::error(sign < 0 ? "min called on empty list" : "max called on empty list");
  const auto* best = &items.front();
  for (const auto& item : items) {
    const auto order = compare(item, *best);
    if (order.is_error()) return order;
    if (order.integer() == sign) best = &item;
  }
  return *best;
}
Value smallest(Arguments a, Budget& budget) { return extreme(a, budget, -1); }
Value largest(Arguments a, Budget& budget) { return extreme(a, budget, +1); }

Value is_sorted(Arguments a, Budget& budget) {
  if (!budget.spend(a[0].weight())) return Budget::error();
  const auto& items = a[0].items();
  for (std::size_t i = 1; i < items.size(); ++i) {
    const auto order = compare(items[i - 1], items[i]);
    if (order.is_error()) return order;
    if (order.integer() > 0) return false;
  }
  return true;
}

Value sum_of(Arguments a, Budget& budget) {
  if (!budget.spend(a[0].weight())) return Budget::error();
  std::int64_t whole = 0;
  double real = 0;
  bool has_real = false;
  for (const auto& item : a[0].items()) {
    if (item.is(Kind::kInt)) {
      if (__builtin_add_overflow(whole, item.integer(), &whole)) return Value::error("integer overflow");
    } else if (item.is(Kind::kDouble)) {
      has_real = true;
      real += item.real();
    } else {
      return no_such_overload();
    }
  }
  return has_real ? Value(real) : Value(whole);
}

// --------------------------------------------------------------------------------------------------------------- sets

bool holds(const Value& list, const Value& item) {
  return std::any_of(list.items().begin(), list.items().end(), [&](const Value& other) { return equal(other, item); });
}
bool spend_product(Arguments a, Budget& budget) {
  return a[0].weight() < (std::uint64_t{1} << 32) && a[1].weight() < (std::uint64_t{1} << 32) &&
         budget.spend(a[0].weight() * a[1].weight());
}
bool holds_all(const Value& list, const Value& items) {
  return std::all_of(items.items().begin(), items.items().end(), [&](const Value& item) { return holds(list, item); });
}

Value sets_contains(Arguments a, Budget& budget) {
  return spend_product(a, budget) ? Value(holds_all(a[0], a[1])) : Budget::error();
}
Value sets_equivalent(Arguments a, Budget& budget) {
  return spend_product(a, budget) ? Value(holds_all(a[0], a[1]) && holds_all(a[1], a[0])) : Budget::error();
}
Value sets_intersects(Arguments a, Budget& budget) {
  if (!spend_product(a, budget)) return Budget::error();
  return std::any_of(a[1].items().begin(), a[1].items().end(), [&](const Value& item) { return holds(a[0], item); });
}

// ---------------------------------------------------------------------------------------------------------- optionals

Value some(const Value& value) { return Value::Optional{std::make_shared<const Value>(value)}; }

bool is_zero(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull: return true;
    case Kind::kBool: return !value.boolean();
    case Kind::kInt: return value.integer() == 0;
    case Kind::kUint: return value.unsigned_integer() == 0;
    case Kind::kDouble: return value.real() == 0;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap: return value.size() == 0;
    case Kind::kOptional: return value.optional() == nullptr;
    default: return false;
  }
}

Value optional_of(Arguments a, Budget&) { return some(a[0]); }
Value optional_of_nonzero(Arguments a, Budget&) { return is_zero(a[0]) ? Value(Value::Optional{}) : some(a[0]); }
Value optional_none(Arguments, Budget&) { return Value::Optional{}; }
Value has_value(Arguments a, Budget&) { return a[0].optional() != nullptr; }
Value value_of(Arguments a, Budget&) {
  return a[0].optional() != nullptr ? *a[0].optional() : Value::error("optional.none() dereference");
}
Value or_value(Arguments a, Budget&) { return a[0].optional() != nullptr ? *a[0].optional() : a[1]; }
Value or_optional(Arguments a, Budget&) { return a[0].optional() != nullptr ? a[0] : a[1]; }

}  // namespace

std::vector<Overload> collection_functions() {
  std::vector<Overload> table = {
      {"indexOf", kMember, {kL, kD}, Kind::kInt, index_of_item},
      {"lastIndexOf", kMember, {kL, kD}, Kind::kInt, last_index_of_item},
      {"min", kMember, {kL}, kD, smallest},
      {"max", kMember, {kL}, kD, largest},
      {"sum", kMember, {kL}, kD, sum_of},
      {"isSorted", kMember, {kL}, Kind::kBool, is_sorted},
      {"sets.contains", kGlobal, {kL, kL}, Kind::kBool, sets_contains},
      {"sets.equivalent", kGlobal, {kL, kL}, Kind::kBool, sets_equivalent},
      {"sets.intersects", kGlobal, {kL, kL}, Kind::kBool, sets_intersects},
      {"optional.of", kGlobal, {kD}, kO, optional_of},
      {"optional.ofNonZeroValue", kGlobal, {kD}, kO, optional_of_nonzero},
      {"optional.none", kGlobal, {}, kO, optional_none},
      {"hasValue", kMember, {kO}, Kind::kBool, has_value},
      {"value", kMember, {kO}, kD, value_of},
      {"orValue", kMember, {kO, kD}, kD, or_value},
      {"or", kMember, {kO, kO}, kO, or_optional},
  };
  for (const auto style : {kGlobal, kMember})
    for (const auto kind : {Kind::kString, Kind::kBytes, Kind::kList, Kind::kMap})
      table.push_back({"size", style, {kind}, Kind::kInt, size_of});
  return table;
}

}  // namespace muster::cel
