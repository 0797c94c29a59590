#include "sim/run_time.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/split.h"
#include "model/time.h"
#include "sim/fields.h"

namespace muster::sim {
namespace {

// Every bit of the result depends on every bit of the text.
std::uint64_t mixed(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBULL;
  return hash ^ (hash >> 31U);
}

// At least 0, less than 1.
double share_of(std::uint64_t bits) { return std::ldexp(static_cast<double>(bits >> 11U), -53); }

}  // namespace

Result<std::int64_t> parse_seconds(std::string_view text) {
  const auto wrong = [&] { return fail(fmt::format("\"{}\" is no time in whole seconds, such as 90, 90s or 1h30m", text)); };
  auto seconds = parse_integer(text);
  if (!seconds) {
    const auto nanos = parse_go_duration(text);
    if (!nanos || *nanos % kNanosPerSecond != 0) return wrong();
    seconds = *nanos / kNanosPerSecond;
  }
  if (*seconds < 0) return wrong();
  return bounded(*seconds);
}

Result<RunTime> parse_run_time(std::string_view text) {
  constexpr std::string_view kTo = "..";
  const auto at = text.find(kTo);
  const auto least = parse_seconds(text.substr(0, at));
  if (!least) return fail(least.error());
  if (at == std::string_view::npos) return RunTime{*least, *least};
  const auto most = parse_seconds(text.substr(at + kTo.size()));
  if (!most) return fail(most.error());
  if (*least < 1) return fail(fmt::format("\"{}\" must begin at 1s or later", text));
  if (*most < *least) return fail(fmt::format("\"{}\" ends before it begins", text));
  return RunTime{*least, *most};
}

std::int64_t drawn_seconds(const RunTime& time, std::string_view uid, std::int64_t restarts, std::uint64_t seed) {
  if (time.least == time.most) return time.least;
  const auto share = share_of(mixed(fmt::format("{} {} {}", seed, restarts, uid)));
  // Rounded down, so that the last second of the range has its part as well.
  const auto first = static_cast<double>(time.least);
  const auto drawn = first * std::pow(static_cast<double>(time.most + 1) / first, share);
  return std::clamp(static_cast<std::int64_t>(drawn), time.least, time.most);
}

}  // namespace muster::sim
