#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/tree.h"

namespace muster::sim {

// The text of an annotation; empty where there is none.
std::string_view annotation_of(const Tree& object, std::string_view key);

// In seconds; nothing where there is no time.
std::optional<std::int64_t> time_at(const Tree& object, std::string_view path);

// Counts and seconds are int32 in the API, but objects are kept as they are written: what is less is 0, what is more is the most,
// so that whoever adds and multiplies them need not fear for the sum.
inline constexpr std::int64_t kMostAmount = 2'147'483'647;
std::int64_t bounded(std::int64_t amount);
std::optional<std::int64_t> bounded(std::optional<std::int64_t> amount);
std::optional<std::int64_t> bounded_at(const Tree& object, std::string_view path);

// A count, or a percentage of all ("25%"), rounded up or down; 0 for nullptr.
enum class Rounding { kUp, kDown };
std::int64_t count_or_share(const Tree* value, std::int64_t of, Rounding rounding);

}  // namespace muster::sim
