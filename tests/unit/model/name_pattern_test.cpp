#include "model/name_pattern.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(NamePatternTest, MatchesAnywhereInTheName) {
  struct Case {
    std::string pattern, name;
    bool matches;
  };
  const Case cases[] = {
      {"gpu", "node-gpu-1", true},
      {"^gpu", "node-gpu-1", false},
      {"-[0-9]$", "node-1", true},
      {"^(a|b)\\.pool$", "b.pool", true},
      {"^(a|b)\\.pool$", "bxpool", false},
      {"", "anything", true},
      {"(", "(", false},
      {"^n\\d{2,3}$", "n1", false},
      {"^n\\d{2,3}$", "n123", true},
  };
  for (const auto& c : cases) EXPECT_EQ(NamePattern(c.pattern).matches(c.name), c.matches) << c.pattern << " " << c.name;
}

TEST(NamePatternTest, WhatCannotBeReadIsSaidAndMatchesNothing) {
  EXPECT_FALSE(NamePattern("[z-a]").valid());
  EXPECT_FALSE(NamePattern("(?=look)ahead").valid());
  EXPECT_TRUE(NamePattern("(a*)*b").valid());
}

TEST(NamePatternTest, TakesLinearTime) {
  EXPECT_FALSE(NamePattern("^(a*)*b$").matches(std::string(250, 'a')));  // would never end in a backtracking matcher
}

}  // namespace
}  // namespace muster
