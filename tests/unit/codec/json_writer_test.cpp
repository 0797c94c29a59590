#include "codec/json_writer.h"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

template <class T>
std::string written(const T& value) {
  std::string out;
  JsonWriter(out).value(value);
  return out;
}

TEST(JsonWriter, WritesNestedValuesWithCommasWhereTheyBelong) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("id", 7).key("names").begin_array().value("a").value("b").end_array();
  json.key("empty").begin_object().end_object().key("none").begin_array().end_array();
  json.key("nothing").null().key("raw").raw("{\"x\":[1]}").member("flag", true).end_object();
  EXPECT_EQ(out, R"({"id":7,"names":["a","b"],"empty":{},"none":[],"nothing":null,"raw":{"x":[1]},"flag":true})");
}

TEST(JsonWriter, WritesNumbersExactly) {
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::int8_t{-5}), "-5");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1.0), "1");
  EXPECT_EQ(written(-0.0), "-0");
  EXPECT_EQ(written(1e6), "1000000");
  EXPECT_EQ(written(1e20), "100000000000000000000");
  EXPECT_EQ(written(1e21), "1e+21");
  EXPECT_EQ(written(1e-7), "1e-07");
  EXPECT_EQ(written(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonWriter, EscapesStrings) {
  EXPECT_EQ(written("plain"), R"("plain")");
  EXPECT_EQ(written("\"\\/\b\f\n\r\t"), R"("\"\\/\u0008\u000c\n\r\t")");
  EXPECT_EQ(written(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(written("ä€😀"), "\"ä€😀\"");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(written("a\xff"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(written("\xC3"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(written("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(written("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

RC_GTEST_PROP(JsonWriterProperty, DoublesReadBackTheSame, (double number)) {
  RC_ASSERT(nlohmann::json::parse(written(number)).get<double>() == number);
}

RC_GTEST_PROP(JsonWriterProperty, AsciiStringsReadBackTheSame, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  RC_ASSERT(nlohmann::json::parse(written(text)).get<std::string>() == text);
}

}  // namespace
}  // namespace muster
