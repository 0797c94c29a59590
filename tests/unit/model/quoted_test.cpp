#include "model/quoted.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Quoted, LeavesShortTextsAlone) {
  EXPECT_EQ(quoted(std::string_view("abc")), "\"abc\"");
  EXPECT_EQ(shortened(""), "");
  EXPECT_EQ(shortened(std::string(253, 'x')), std::string(253, 'x'));
}

TEST(Quoted, KeepsAMessageOnOneLine) { EXPECT_EQ(quoted(std::string_view("a\nb\x1b[31m")), "\"a?b?[31m\""); }

TEST(Quoted, CutsLongTextsBetweenCharacters) {
  EXPECT_EQ(shortened(std::string(1000, 'x')), std::string(253, 'x') + "…");
  EXPECT_EQ(shortened(std::string(252, 'x') + "ä and more"), std::string(252, 'x') + "…");
}

}  // namespace
}  // namespace muster
