#include "codec/utf8.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Utf8, MeasuresTheFirstCharacter) {
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_EQ(utf8_length("a"), 1u);
  EXPECT_EQ(utf8_length("\x7F"), 1u);
  EXPECT_EQ(utf8_length("äx"), 2u);
  EXPECT_EQ(utf8_length("€x"), 3u);
  EXPECT_EQ(utf8_length("😀x"), 4u);
  EXPECT_EQ(utf8_length("\xF4\x8F\xBF\xBF"), 4u);
}

TEST(Utf8, RefusesMalformedCharacters) {
  for (const std::string_view text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF0\x80\x80\x80", "\xF0\x9F\x98", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"})
    EXPECT_EQ(utf8_length(text), 0u) << testing::PrintToString(text);
}

TEST(Utf8, EncodesWhatItMeasures) {
  for (const std::uint32_t code : {0x00u, 0x41u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    std::string out;
    append_utf8(out, code);
    EXPECT_EQ(utf8_length(out), out.size()) << code;
  }
  for (const std::uint32_t code : {0xD800u, 0xDFFFu, 0x110000u}) {
    std::string out;
    append_utf8(out, code);
    EXPECT_EQ(out, "\xEF\xBF\xBD") << code;
  }
}

TEST(Utf8, FindsControlCharactersThatNoFormatAllows) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(find_control("a: b\r\n\tc"), std::nullopt);
  EXPECT_EQ(find_control(""), std::nullopt);
  EXPECT_EQ(find_control("a: \0b"sv), 3u);
  EXPECT_EQ(find_control("kind: Pod\x1b[31m"), 9u);
}

}  // namespace
}  // namespace muster
