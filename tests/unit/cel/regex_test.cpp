#include "cel/regex.h"

#include <gtest/gtest.h>

namespace muster::cel {
namespace {

TEST(Regex, Searches) {
  struct Row {
    const char* pattern;
    const char* text;
    bool found;
  };
  const Row rows[] = {
      {"", "", true},
      {"b", "abc", true},
      {"^b", "abc", false},
      {"^a.c$", "abc", true},
      {"^a.c$", "a\nc", false},
      {"a|b|cd", "xxcd", true},
      {"^(a|b)+$", "abba", true},
      {"^(a|b)+$", "abca", false},
      {"^a*$", "aaaa", true},
      {"^a?b$", "b", true},
      {"^a{2,3}$", "a", false},
      {"^a{2,3}$", "aaa", true},
      {"^a{2,3}$", "aaaa", false},
      {"^a{2}$", "aa", true},
      {"^a{2,}$", "aaaaa", true},
      {"^a{x}$", "a{x}", true},
      {"^(ab){0,2}c$", "ababc", true},
      {"^(?:ab)*$", "abab", true},
      {"^(?P<name>ab)$", "ab", true},
      {"(?i)GPU", "my-gpu", true},
      {"(?i:g)PU", "gPU", true},
      {"(?i:g)PU", "gpu", false},
      {"^[a-c]+$", "abc", true},
      {"^[^a-c]+$", "abc", false},
      {"^[]a]+$", "]a", true},
      {"^[\\d_-]+$", "1_-2", true},
      {"^[[:alpha:]]+$", "abC", true},
      {"^\\w+\\s\\d\\D\\W$", "ab 1x-", true},
      {"^\\.\\*$", ".*", true},
      {"\\bgpu\\b", "a gpu b", true},
      {"\\bgpu\\b", "agpub", false},
      {"^(a*)*$", "aaaa", true},
      {"^((a|)(b|))+$", "abab", true},
  };
  for (const auto& row : rows) {
    const auto regex = Regex::compile(row.pattern);
    ASSERT_TRUE(regex) << row.pattern << ": " << regex.error().message;
    EXPECT_EQ(regex->search(row.text), row.found) << row.pattern << " in " << row.text;
  }
}

TEST(Regex, RefusesWhatIsNone) {
  for (const auto* pattern : {"(", ")", "[", "a**", "*a", "a{3,2}", "a{2000}", "\\", "(?<", "[z-a]", "\\q", "(?P<x)"})
    EXPECT_FALSE(Regex::compile(pattern)) << pattern;
}

TEST(Regex, TakesTimeInProportion) {
  const auto nasty = Regex::compile("(a*)*b");
  ASSERT_TRUE(nasty);
  EXPECT_FALSE(nasty->search(std::string(20000, 'a')));
  EXPECT_FALSE(Regex::compile("((((a{100}){100}){100}){100})"));
  EXPECT_FALSE(Regex::compile("(((((){1000}){1000}){1000}){1000})"));
  EXPECT_FALSE(Regex::compile(std::string(500, '(') + std::string(500, ')')));
}

}  // namespace
}  // namespace muster::cel
