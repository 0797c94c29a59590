#include "model/time.h"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "model/date.h"
#include "model/quoted.h"

namespace muster {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;

// Reads fixed forms from left to right; a missing piece makes everything after it fail too.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!has_digit()) {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (take() - '0');
    }
    return value;
  }
  void expect(char c) { ok_ = ok_ && skip(c); }
  bool skip(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool has_digit() const { return !text_.empty() && is_digit(text_.front()); }
  char take() {
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }
  bool done() const { return ok_ && text_.empty(); }
  bool ok() const { return ok_; }
  void reject() { ok_ = false; }

 private:
  std::string_view text_;
  bool ok_ = true;
};

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

std::int32_t fraction(Scanner& scan) {
  if (!scan.has_digit()) scan.reject();
  std::int32_t nanos = 0;
  std::int32_t weight = 100'000'000;
  while (scan.has_digit()) {  // digits beyond nanoseconds are dropped
    nanos += (scan.take() - '0') * weight;
    weight /= 10;
  }
  return nanos;
}

// Seconds east of Greenwich.
std::int64_t zone(Scanner& scan) {
  if (scan.skip('Z')) return 0;
  const bool west = scan.skip('-');
  if (!west) scan.expect('+');
  const int hours = scan.number(2);
  scan.expect(':');
  const int minutes = scan.number(2);
  if (hours > 23 || minutes > 59) scan.reject();
  const std::int64_t seconds = (hours * 60 + minutes) * 60;
  return west ? -seconds : seconds;
}

std::optional<std::int64_t> unit_nanos(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return kNanosPerSecond;
  if (unit == "m") return 60 * kNanosPerSecond;
  if (unit == "h") return 3600 * kNanosPerSecond;
  return std::nullopt;
}

// One "1.5h" of a duration, removed from the front of the text.
std::optional<std::uint64_t> take_part(std::string_view& text) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  std::uint64_t whole = 0;
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    whole = whole * 10 + static_cast<std::uint64_t>(text[at] - '0');
    if (whole > kLimit) return std::nullopt;
  }
  bool digits = at > 0;
  std::uint64_t part = 0;
  double scale = 1;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at) {
      digits = true;
      if (part > (kLimit - 10) / 10) continue;  // further digits are too small to count
      part = part * 10 + static_cast<std::uint64_t>(text[at] - '0');
      scale *= 10;
    }
  }
  if (!digits) return std::nullopt;
  std::size_t end = at;
  while (end < text.size() && text[end] != '.' && !is_digit(text[end])) ++end;
  const auto unit = unit_nanos(text.substr(at, end - at));
  if (!unit) return std::nullopt;
  text.remove_prefix(end);
  const auto nanos = static_cast<std::uint64_t>(*unit);
  if (whole > kLimit / nanos) return std::nullopt;
  return whole * nanos + static_cast<std::uint64_t>(static_cast<double>(part) * (static_cast<double>(nanos) / scale));
}

}  // namespace

Result<Timestamp> Timestamp::parse_rfc3339(std::string_view text) {
  Scanner scan(text);
  const int year = scan.number(4);
  scan.expect('-');
  const int month = scan.number(2);
  scan.expect('-');
  const int day = scan.number(2);
  scan.expect('T');
  const int hour = scan.number(2);
  scan.expect(':');
  const int minute = scan.number(2);
  scan.expect(':');
  const int second = scan.number(2);
  Timestamp time;
  if (scan.skip('.')) time.nanos = fraction(scan);
  const std::int64_t offset = zone(scan);
  if (!scan.done() || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 || minute > 59 ||
      second > 59)
    return fail(quoted(text) + " is not a time like 2026-01-31T23:59:59Z");
  time.seconds = days_from_date(year, month, day) * kDaySeconds + hour * 3600 + minute * 60 + second - offset;
  return time;
}

std::string Timestamp::rfc3339() const {
  std::int64_t days = seconds / kDaySeconds;
  std::int64_t rest = seconds % kDaySeconds;
  if (rest < 0) {
    rest += kDaySeconds;
    --days;
  }
  const Date date = date_from_days(days);
  auto text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day, rest / 3600, rest / 60 % 60, rest % 60);
  if (nanos != 0) {
    text += fmt::format(".{:09}", nanos);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "Z";
}

std::int64_t nanos_between(Timestamp from, Timestamp to) {
  std::int64_t nanos = 0;
  if (!__builtin_sub_overflow(to.seconds, from.seconds, &nanos) && !__builtin_mul_overflow(nanos, kNanosPerSecond, &nanos) &&
      !__builtin_add_overflow(nanos, std::int64_t{to.nanos} - from.nanos, &nanos))
    return nanos;
  return from < to ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

Result<std::int64_t> parse_go_duration(std::string_view text) {
  const auto bad = [&] { return fail(quoted(text) + " is not a duration like 300ms, 1.5h or 2h45m"); };
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  if (rest == "0") return 0;
  if (rest.empty()) return bad();

  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  std::uint64_t total = 0;
  while (!rest.empty()) {
    const auto part = take_part(rest);
    if (!part || *part > kLimit - total) return bad();
    total += *part;
  }
  if (!negative && total > kLimit - 1) return bad();
  return negative ? static_cast<std::int64_t>(0 - total) : static_cast<std::int64_t>(total);
}

}  // namespace muster
