#include "daemon/watched_config.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::daemon {
namespace {

class WatchedConfigTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("muster-watched-config-" + std::to_string(getpid()));
};

TEST_F(WatchedConfigTest, WithoutAFileTheDefaultStays) {
  WatchedConfig config("");
  ASSERT_TRUE(config.begin());
  EXPECT_EQ(config.in_force().text, "");
  EXPECT_EQ(config.changed(), std::nullopt);
}

TEST_F(WatchedConfigTest, OneThatCannotBeReadIsNoBeginning) {
  WatchedConfig config(path_.string());
  const auto begun = config.begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().text(), path_.string() + ": cannot be read");
}

TEST_F(WatchedConfigTest, ChangesAreToldUntilTheyAreTakenOrRefused) {
  write("one");
  WatchedConfig config(path_.string());
  ASSERT_TRUE(config.begin());
  EXPECT_EQ(config.in_force().file, path_.string());
  EXPECT_EQ(config.changed(), std::nullopt);
  write("two");
  EXPECT_EQ(config.changed(), "two");
  EXPECT_EQ(config.changed(), "two");
  EXPECT_EQ(config.in_force().text, "one");
  config.take("two");
  EXPECT_EQ(config.changed(), std::nullopt);
  EXPECT_EQ(config.in_force().text, "two");
  write("bad");
  config.refuse("bad");
  EXPECT_EQ(config.changed(), std::nullopt);
  EXPECT_EQ(config.in_force().text, "two");
  write("three");
  EXPECT_EQ(config.changed(), "three");
  std::filesystem::remove(path_);
  EXPECT_EQ(config.changed(), std::nullopt) << "a file that is gone changes nothing";
}

}  // namespace
}  // namespace muster::daemon
