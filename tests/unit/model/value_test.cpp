#include "model/value.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Value text(std::string content) { return Value(std::move(content)); }

TEST(Value, FindsMembersByStringKey) {
  const Value map(Value::Map{{text("a"), Value(std::int64_t{1})}, {Value(true), text("yes")}, {text("b"), text("x")}}, 3, 5);
  ASSERT_NE(map.find("b"), nullptr);
  EXPECT_EQ(*map.find("b")->as_string(), "x");
  EXPECT_EQ(*map.find("a")->as_int(), 1);
  EXPECT_EQ(map.find("true"), nullptr);
  EXPECT_EQ(map.find("c"), nullptr);
  EXPECT_EQ(text("a").find("a"), nullptr);
  EXPECT_EQ(map.line(), 3u);
  EXPECT_EQ(map.column(), 5u);
}

TEST(Value, NamesItsType) {
  EXPECT_EQ(Value().type_name(), "null");
  EXPECT_EQ(Value(true).type_name(), "a boolean");
  EXPECT_EQ(Value(std::int64_t{1}).type_name(), "an integer");
  EXPECT_EQ(Value(1.5).type_name(), "a number");
  EXPECT_EQ(text("").type_name(), "a string");
  EXPECT_EQ(Value(Value::List()).type_name(), "a list");
  EXPECT_EQ(Value(Value::Map()).type_name(), "a map");
}

}  // namespace
}  // namespace muster
