#include "base/percent_encoding.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(PercentEncoding, KeepsWhatAddressesMayHold) {
  EXPECT_EQ(percent_encoded("a b\"{é}-_.~"), "a%20b%22%7B%C3%A9%7D-_.~");
  EXPECT_EQ(percent_encoded("a+b/c", "+"), "a+b%2Fc");
  EXPECT_EQ(percent_encoded(""), "");
}

TEST(PercentEncoding, AndBack) {
  EXPECT_EQ(percent_decoded("a%20b%22%7b%C3%A9%7D-_.~+"), "a b\"{é}-_.~+");
  EXPECT_EQ(percent_decoded("%00%ff"), std::string("\0\xff", 2));
  EXPECT_EQ(percent_decoded("%2525"), "%25");
  EXPECT_EQ(percent_decoded(""), "");
  for (const auto* bad : {"%", "%2", "a%", "%g0", "%0g", "% 1", "%-1", "%+1", "%0x", "%%20"})
    EXPECT_FALSE(percent_decoded(bad)) << bad;
}

}  // namespace
}  // namespace muster
