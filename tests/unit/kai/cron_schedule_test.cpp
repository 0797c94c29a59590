#include "policy/kai/cron_schedule.h"

#include <gtest/gtest.h>

namespace muster::kai {
namespace {

Timestamp at(std::string_view text) { return *Timestamp::parse_rfc3339(text); }

std::string next(std::string_view schedule, std::string_view after) {
  const auto cron = CronSchedule::parse(schedule);
  if (!cron) return "unreadable";
  const auto time = cron->next(at(after));
  return time ? time->rfc3339() : "never";
}

TEST(CronSchedule, FindsTheNextTime) {
  struct Row {
    const char *schedule, *after, *next;
  };
  const Row rows[] = {
      {"0 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"},
      {"0 * * * *", "2026-01-01T00:59:59Z", "2026-01-01T01:00:00Z"},
      {"*/15 9-17 * * MON-FRI", "2026-01-02T17:45:00Z", "2026-01-05T09:00:00Z"},  // from a Friday to Monday
      {"30 4 1,15 * *", "2026-01-02T00:00:00Z", "2026-01-15T04:30:00Z"},
      {"0 0 31 * *", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"},
      {"0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
      {"@monthly", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"},
      {"0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},  // 7 is a Sunday, too
      {"0 0 1 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},  // the first, or a Friday
      {"30 0 0 1 1 * 2027", "2026-01-01T00:00:00Z", "2027-01-01T00:00:30Z"},
      {"0 0 1 1 * 2020", "2026-01-01T00:00:00Z", "never"},
      {"0 12 * dec ?", "2026-01-01T00:00:00Z", "2026-12-01T12:00:00Z"},
  };
  for (const auto& row : rows) EXPECT_EQ(next(row.schedule, row.after), row.next) << row.schedule;
}

TEST(CronSchedule, RefusesWhatItCannotRead) {
  for (const auto* text : {"", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "*/0 * * * *", "5-1 * * * *", "a * * * *",
                           "* * * * * * * *", "@sometimes", "* * L * *", ", * * * *"})
    EXPECT_EQ(next(text, "2026-01-01T00:00:00Z"), "unreadable") << text;
}

}  // namespace
}  // namespace muster::kai
