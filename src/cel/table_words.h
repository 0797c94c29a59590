#pragma once

#include <span>

#include "cel/functions.h"

namespace muster::cel {

// The words of the tables of functions, short enough that an overload is a line.
using Arguments = std::span<const Value>;
inline constexpr auto kMember = Overload::Style::kMember;
inline constexpr auto kGlobal = Overload::Style::kGlobal;
inline constexpr auto kB = Kind::kBool;
inline constexpr auto kD = Kind::kDyn;
inline constexpr auto kI = Kind::kInt;
inline constexpr auto kL = Kind::kList;
inline constexpr auto kO = Kind::kOptional;
inline constexpr auto kQ = Kind::kQuantity;
inline constexpr auto kS = Kind::kString;
inline constexpr auto kV = Kind::kSemver;

}  // namespace muster::cel
