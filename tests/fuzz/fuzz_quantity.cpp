// Any text is a quantity or it is none; what a quantity prints reads back as the same value, and its roundings agree.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/assert.h"
#include "model/quantity.h"
#include "model/time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using muster::Quantity;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  if (const auto quantity = Quantity::parse(text)) {
    const auto again = Quantity::parse(quantity->text());
    MUSTER_ASSERT(again.has_value());
    MUSTER_ASSERT(*again == *quantity);
    const std::int64_t units = quantity->units();
    const bool exact = units != std::numeric_limits<std::int64_t>::max() && units > -std::numeric_limits<std::int64_t>::max();
    if (exact) MUSTER_ASSERT(Quantity::from_units(units > 0 ? units - 1 : units + 1) < *quantity || units <= 0);
    MUSTER_ASSERT((units == 0) == quantity->is_zero());
  }
  if (const auto time = muster::Timestamp::parse_rfc3339(text)) {
    // A zone can push a time of the year 9999 into the next one, which has no text of four digits.
    const auto again = muster::Timestamp::parse_rfc3339(time->rfc3339());
    MUSTER_ASSERT(!again || *again == *time);
  }
  static_cast<void>(muster::parse_go_duration(text));
  return 0;
}
