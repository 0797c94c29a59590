#include "codec/base64.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Base64, BackAndForth) {
  using namespace std::string_literals;
  for (const auto& text : {""s, "a"s, "ab"s, "abc"s, "abcd"s, "\0\xff\x10"s}) EXPECT_EQ(base64_decoded(base64_encoded(text)), text);
  EXPECT_EQ(base64_encoded("ab"), "YWI=");
  EXPECT_EQ(base64_decoded("YW\nI="), "ab");
  for (const auto* bad : {"a", "a===", "YW=I", "%%%%", "YWI"}) EXPECT_FALSE(base64_decoded(bad)) << bad;
}

}  // namespace
}  // namespace muster
