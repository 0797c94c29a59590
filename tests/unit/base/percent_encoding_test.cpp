#include "base/percent_encoding.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(PercentEncoding, KeepsWhatAddressesMayHold) {
  EXPECT_EQ(percent_encoded("a b\"{é}-_.~"), "a%20b%22%7B%C3%A9%7D-_.~");
  EXPECT_EQ(percent_encoded("a+b/c", "+"), "a+b%2Fc");
  EXPECT_EQ(percent_encoded(""), "");
}

}  // namespace
}  // namespace muster
