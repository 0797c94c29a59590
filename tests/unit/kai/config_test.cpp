#include "policy/kai/config.h"

#include <gtest/gtest.h>

#include "policy/kai/options.h"

namespace muster::kai {
namespace {

Value text(std::string content) { return Value(Value::Data(std::move(content))); }

Value plugin(std::string name) { return Value(Value::Data(Value::Map{{text("name"), text(std::move(name))}})); }

Value config(Value::Map members) { return Value(Value::Data(std::move(members))); }

Value tier(Value::List plugins) {
  return Value(Value::Data(Value::Map{{text("plugins"), Value(Value::Data(std::move(plugins)))}}));
}

TEST(KaiConfig, NeedsActionsThatExist) {
  EXPECT_FALSE(read_config(config({}), "f"));
  EXPECT_FALSE(read_config(config({{text("actions"), text("allocate, fly")}}), "f"));
  const auto reading = read_config(config({{text("actions"), text(" allocate ,reclaim")}}), "f");
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->config.actions, (std::vector<std::string>{"allocate", "reclaim"}));
  EXPECT_EQ(reading->config.plugins.size(), default_config().plugins.size());
}

TEST(KaiConfig, JoinsTiersAndPassesOverUnknownPlugins) {
  const auto tiers = Value(Value::Data(Value::List{tier({plugin("priority"), plugin("gravity")}), tier({plugin("elastic")})}));
  const auto reading = read_config(config({{text("actions"), text("allocate")}, {text("tiers"), tiers}}), "f");
  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->config.plugins.size(), 2u);
  EXPECT_EQ(reading->config.plugins[1].name, "elastic");
  ASSERT_EQ(reading->diagnostics.size(), 1u);
  EXPECT_EQ(reading->diagnostics[0].severity, Severity::kWarning);
}

TEST(KaiConfig, RefusesAPluginThatIsListedTwice) {
  const auto tiers = Value(Value::Data(Value::List{tier({plugin("priority")}), tier({plugin("elastic"), plugin("priority")})}));
  EXPECT_FALSE(read_config(config({{text("actions"), text("allocate")}, {text("tiers"), tiers}}), "f"));
}

TEST(KaiConfig, QueueDepths) {
  const auto with_depth = [](std::int64_t depth) {
    const auto depths = config({{text("allocate"), Value(Value::Data(depth))}});
    return read_config(config({{text("actions"), text("allocate")}, {text("queueDepthPerAction"), depths}}), "f");
  };
  EXPECT_FALSE(with_depth(-2));
  ASSERT_TRUE(with_depth(-1));
  EXPECT_TRUE(with_depth(-1)->config.queue_depth.empty());
  ASSERT_TRUE(with_depth(0));
  EXPECT_EQ(with_depth(0)->config.queue_depth.at("allocate"), 0);
}

TEST(KaiArguments, ReadDurationsWithDaysAndWeeks) {
  const Arguments arguments({{"a", "1h30m"}, {"b", "2d"}, {"c", "1w"}, {"d", "-5m"}, {"e", "soon"}});
  EXPECT_EQ(arguments.get_duration("a", 0), 90 * 60 * kSecond);
  EXPECT_EQ(arguments.get_duration("b", 0), 48 * 3600 * kSecond);
  EXPECT_EQ(arguments.get_duration("c", 0), 7 * 24 * 3600 * kSecond);
  EXPECT_EQ(arguments.get_duration("d", 7), 7);
  EXPECT_EQ(arguments.get_duration("e", 7), 7);
  EXPECT_EQ(arguments.get_duration("none", 7), 7);
}

}  // namespace
}  // namespace muster::kai
