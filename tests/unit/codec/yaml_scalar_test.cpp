#include "codec/yaml_scalar.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace muster {
namespace {

template <class T>
void expect_all(std::initializer_list<std::string_view> texts, const T& meaning) {
  for (const auto text : texts) {
    const Value::Data data = resolve_plain_scalar(text);
    ASSERT_TRUE(std::holds_alternative<T>(data)) << text << " is " << Value(data).type_name();
    EXPECT_EQ(std::get<T>(data), meaning) << text;
  }
}

TEST(YamlScalar, Nulls) { expect_all({"", "~", "null", "Null", "NULL"}, std::monostate()); }

TEST(YamlScalar, Booleans) {
  expect_all({"y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"}, true);
  expect_all({"n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"}, false);
}

TEST(YamlScalar, Integers) {
  expect_all({"16", "+16", "0x10", "0X10", "0o20", "020", "0b10000", "1_6", "0x1_0", "+0x10"}, std::int64_t{16});
  expect_all({"-16", "-0x10", "-0b10000", "-020"}, std::int64_t{-16});
  expect_all({"0", "-0", "00"}, std::int64_t{0});
  expect_all({"9223372036854775807"}, std::numeric_limits<std::int64_t>::max());
  expect_all({"-9223372036854775808"}, std::numeric_limits<std::int64_t>::min());
}

TEST(YamlScalar, Floats) {
  expect_all({"1.5", "+1.5", "15e-1", "1_.5", "0.15e1", "1.5E0"}, 1.5);
  expect_all({".5", "0.5", "5e-1"}, 0.5);
  expect_all({"-.5"}, -0.5);
  expect_all({"5.", "5e0"}, 5.0);
  expect_all({"08", "8."}, 8.0);  // not octal, so a float
  expect_all({"9223372036854775808", "+9223372036854775808"}, 9223372036854775808.0);
  expect_all({"1e-400"}, 0.0);
  expect_all({".inf", ".Inf", ".INF", "+.inf"}, std::numeric_limits<double>::infinity());
  expect_all({"-.inf", "-.INF"}, -std::numeric_limits<double>::infinity());
  for (const std::string_view text : {".nan", ".NaN", ".NAN"})
    EXPECT_TRUE(std::isnan(std::get<double>(resolve_plain_scalar(text))));
}

TEST(YamlScalar, EverythingElseIsAString) {
  for (const std::string text : {"a",     "yEs",     "tRUE", "nulL", "1Gi",   "100m", "1.2.3", "2026-01-01", "2026-01-01T00:00:00Z",
                                 "0x",    "0xg",     "0b2",  "0o8",  "1e",    "e1",   "+",     "-",          ".",
                                 "--1",   "1-2",     "_1",   "1:30", "10:00", "=",    "<<",    ".infinity",  "-x",
                                 "1e400", "0x1.8p1", "NaN"})
    expect_all({text}, text);
}

TEST(YamlScalar, NamesFieldsByTheirText) {
  EXPECT_EQ(scalar_text(Value(std::string("a"))), "a");
  EXPECT_EQ(scalar_text(Value(std::int64_t{-8})), "-8");
  EXPECT_EQ(scalar_text(Value(true)), "true");
  EXPECT_EQ(scalar_text(Value(1.5)), "1.5");
  EXPECT_EQ(scalar_text(Value()), "null");
  EXPECT_EQ(scalar_text(Value(Value::List())), "");
}

}  // namespace
}  // namespace muster
