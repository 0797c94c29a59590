#pragma once

#include <optional>
#include <string_view>

#include "model/time.h"

namespace muster::volcano {

// A span of every day, in UTC: "9:00-17:30". One that ends no later than it begins goes on into the next day, but what has begun
// the day before does not count: "22:00-06:00" does not hold at 3:00, as in the original.
class DailyHours {
 public:
  static std::optional<DailyHours> parse(std::string_view text);

  // Both ends are part of it.
  bool contains(Timestamp time) const;

 private:
  DailyHours(int from, int to) : from_(from), to_(to) {}
  int from_;  // minutes since midnight
  int to_;    // the same, or beyond a whole day
};

}  // namespace muster::volcano
