#pragma once

#include <array>
#include <cstddef>

namespace muster::kai {

// The three resources that queues are accounted in: thousandths of a core, bytes, devices. Floating point with the original's order
// of operations, because its results decide.
enum class Share : std::size_t { kCpu, kMemory, kGpu };
inline constexpr std::array<Share, 3> kShares = {Share::kCpu, Share::kMemory, Share::kGpu};

inline constexpr double kUnlimited = -1;

struct Quantities {
  std::array<double, 3> amounts{};

  double& operator[](Share share) { return amounts[static_cast<std::size_t>(share)]; }
  double operator[](Share share) const { return amounts[static_cast<std::size_t>(share)]; }

  Quantities& operator+=(const Quantities& other) {
    for (const auto share : kShares) (*this)[share] += other[share];
    return *this;
  }
  Quantities& operator-=(const Quantities& other) {
    for (const auto share : kShares) (*this)[share] -= other[share];
    return *this;
  }
  friend Quantities operator+(Quantities left, const Quantities& right) { return left += right; }
  bool operator==(const Quantities&) const = default;
};

// Whether an amount is at most a bound, where -1 is more than everything.
constexpr bool at_most(double amount, double bound) {
  if (amount == kUnlimited) return bound == kUnlimited;
  return bound == kUnlimited || amount <= bound;
}

inline bool at_most(const Quantities& amounts, const Quantities& bounds) {
  for (const auto share : kShares)
    if (!at_most(amounts[share], bounds[share])) return false;
  return true;
}

}  // namespace muster::kai
