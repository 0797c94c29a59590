#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cel/value.h"

namespace muster::cel {

// What an evaluation may still cost. Once it is used up, everything ends with the same error.
class Budget {
 public:
  explicit Budget(std::uint64_t limit) : left_(limit) {}
  // False when there is not so much left.
  bool spend(std::uint64_t cost) {
    exhausted_ |= cost > left_;
    left_ -= exhausted_ ? 0 : cost;
    return !exhausted_;
  }
  bool exhausted() const { return exhausted_; }
  static Value error() { return Value::error("operation cancelled: actual cost limit exceeded"); }

 private:
  std::uint64_t left_;
  bool exhausted_ = false;
};

// One way to call a function. Arguments are those kinds and never errors; kDyn takes any.
struct Overload {
  std::string_view name;
  enum class Style : std::uint8_t { kGlobal, kMember } style;
  std::vector<Kind> parameters;  // of a member: its target first
  Kind result;
  Value (*call)(std::span<const Value> arguments, Budget& budget);
};

// All overloads of a name in a style; empty: there is no such function.
std::span<const Overload> find_functions(std::string_view name, Overload::Style style);

// The parts of the table.
std::vector<Overload> text_functions();
std::vector<Overload> number_functions();
std::vector<Overload> collection_functions();

}  // namespace muster::cel
