#include "codec/positions.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(TextPositions, CountsLinesAndCharacters) {
  const std::string_view text = "abc\n\näöü x\r\nlast";
  EXPECT_EQ(locate(text, 0, "f"), (Location{"f", 1, 1}));
  EXPECT_EQ(locate(text, 2, "f"), (Location{"f", 1, 3}));
  EXPECT_EQ(locate(text, 4, "f"), (Location{"f", 2, 1}));
  EXPECT_EQ(locate(text, text.find('x'), "f"), (Location{"f", 3, 5}));
  EXPECT_EQ(locate(text, text.find("last") + 1, "f"), (Location{"f", 4, 2}));
  EXPECT_EQ(locate(text, 1000, "f"), (Location{"f", 4, 5}));
}

TEST(TextPositions, GoesBackWhenItMust) {
  const std::string text = "one\ntwo\n" + std::string(100, 'x') + "ä";
  TextPositions positions(text, "f", 7);
  EXPECT_EQ(positions.at(110), (Location{"f", 9, 102}));
  EXPECT_EQ(positions.at(5), (Location{"f", 8, 2}));
  EXPECT_EQ(positions.at(5), (Location{"f", 8, 2}));
  EXPECT_EQ(positions.at(0), (Location{"f", 7, 1}));
}

TEST(MappedPositions, TakesTheLastMarkBefore) {
  MappedPositions positions("f");
  EXPECT_EQ(positions.at(3), (Location{"f", 0, 0}));
  positions.mark(2, 1, 5);
  positions.mark(10, 4, 2);
  EXPECT_EQ(positions.at(1), (Location{"f", 0, 0}));
  EXPECT_EQ(positions.at(2), (Location{"f", 1, 5}));
  EXPECT_EQ(positions.at(9), (Location{"f", 1, 5}));
  EXPECT_EQ(positions.at(99), (Location{"f", 4, 2}));
}

}  // namespace
}  // namespace muster
