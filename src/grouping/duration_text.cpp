#include "grouping/duration_text.h"

#include <fmt/format.h>

namespace muster::grouping {
namespace {

// A count of units with as many of their decimals as it needs.
std::string decimal(std::uint64_t value, std::uint64_t unit) {
  auto out = fmt::format("{}", value / unit);
  auto rest = value % unit;
  if (rest == 0) return out;
  out += '.';
  for (auto digit = unit / 10; rest != 0; digit /= 10) {
    out += static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
  return out;
}

}  // namespace

std::string go_duration_text(std::int64_t nanos) {
  constexpr std::uint64_t kMicro = 1'000;
  constexpr std::uint64_t kMilli = 1'000'000;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kMinute = 60 * kSecond;
  constexpr std::uint64_t kHour = 60 * kMinute;
  if (nanos == 0) return "0s";
  const std::string sign = nanos < 0 ? "-" : "";
  const auto value = nanos < 0 ? ~static_cast<std::uint64_t>(nanos) + 1 : static_cast<std::uint64_t>(nanos);
  if (value < kMicro) return sign + fmt::format("{}ns", value);
  if (value < kMilli) return sign + decimal(value, kMicro) + "\u00b5s";
  if (value < kSecond) return sign + decimal(value, kMilli) + "ms";
  std::string out = sign;
  if (value >= kHour) out += fmt::format("{}h", value / kHour);
  if (value >= kMinute) out += fmt::format("{}m", value % kHour / kMinute);
  return out + decimal(value % kMinute, kSecond) + "s";
}

}  // namespace muster::grouping
