#include "cel/semver.h"

#include <gtest/gtest.h>

namespace muster::cel {
namespace {

TEST(Semver, OrdersAsItsSpecificationSays) {
  // Each before the next.
  const char* rows[] = {"0.9.9",      "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
                        "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
                        "1.0.0",      "1.0.1",        "1.1.0",         "10.0.0"};
  for (std::size_t i = 0; i + 1 < std::size(rows); ++i) EXPECT_LT(*Semver::parse(rows[i]), *Semver::parse(rows[i + 1])) << rows[i];
  EXPECT_EQ(*Semver::parse("1.0.0+linux"), *Semver::parse("1.0.0"));
}

TEST(Semver, RefusesWhatIsNone) {
  for (const auto* text : {"", "1", "1.2", "1.2.x", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+", "v1.2.3", "1.2.3 ",
                           "99999999999999999999.0.0", "1.2.3-a_b"})
    EXPECT_FALSE(Semver::parse(text)) << text;
}

TEST(Semver, IsTolerantWhenAsked) {
  const std::pair<const char*, const char*> rows[] = {{"v1.2.3", "1.2.3"},   {"1.2", "1.2.0"},    {"1", "1.0.0"},
                                                      {"01.02.03", "1.2.3"}, {"00.0.0", "0.0.0"}, {"1.2.3-rc.1", "1.2.3-rc.1"}};
  for (const auto& [written, meant] : rows) {
    const auto version = Semver::parse_tolerant(written);
    ASSERT_TRUE(version) << written;
    EXPECT_EQ(*version, *Semver::parse(meant)) << written;
  }
  EXPECT_FALSE(Semver::parse_tolerant("1.2-rc"));
  EXPECT_FALSE(Semver::parse_tolerant(""));
}

}  // namespace
}  // namespace muster::cel
