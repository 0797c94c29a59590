#include "daemon/watched_config.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
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
  EXPECT_EQ(config.look().changed, std::nullopt);
}

TEST_F(WatchedConfigTest, OneThatCannotBeReadIsNoBeginning) {
  WatchedConfig config(path_.string());
  const auto begun = config.begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().text(), path_.string() + ": cannot be opened: No such file or directory");
}

TEST_F(WatchedConfigTest, ChangesAreToldUntilTheyAreTakenOrRefused) {
  write("one");
  WatchedConfig config(path_.string());
  ASSERT_TRUE(config.begin());
  EXPECT_EQ(config.in_force().file, path_.string());
  EXPECT_EQ(config.look().changed, std::nullopt);
  write("two");
  EXPECT_EQ(config.look().changed, "two");
  EXPECT_EQ(config.look().changed, "two");
  EXPECT_EQ(config.in_force().text, "one");
  config.take("two");
  EXPECT_EQ(config.look().changed, std::nullopt);
  EXPECT_EQ(config.in_force().text, "two");
  write("bad");
  config.refuse("bad");
  EXPECT_EQ(config.look().changed, std::nullopt);
  EXPECT_EQ(config.in_force().text, "two");
  write("three");
  EXPECT_EQ(config.look().changed, "three");
}

TEST_F(WatchedConfigTest, WhatWasRefusedIsToldAgainWhenItComesBack) {
  write("one");
  WatchedConfig config(path_.string());
  ASSERT_TRUE(config.begin());
  write("bad");
  config.refuse("bad");
  write("one");
  EXPECT_EQ(config.look().changed, std::nullopt);
  write("bad");
  EXPECT_EQ(config.look().changed, "bad");
}

// What a look says of the file, in words.
std::string said(const ConfigLook& look) {
  auto text = look.changed ? "changed" : std::string();
  if (look.unreadable) text += look.unreadable->message;
  if (look.is_readable_again) text += " again";
  return text;
}

TEST_F(WatchedConfigTest, AFileThatCannotBeReadAnyMoreIsToldOnceForEachReason) {
  write("one");
  WatchedConfig config(path_.string());
  ASSERT_TRUE(config.begin());
  std::filesystem::remove(path_);
  EXPECT_EQ(said(config.look()), "") << "it may be there again in a moment";
  EXPECT_EQ(said(config.look()), "cannot be opened: No such file or directory");
  EXPECT_EQ(said(config.look()), "");
  std::filesystem::create_directory(path_);
  EXPECT_EQ(said(config.look()), "");
  EXPECT_EQ(said(config.look()), "cannot be read: Is a directory");
  EXPECT_EQ(said(config.look()), "");
  EXPECT_EQ(config.in_force().text, "one");
  std::filesystem::remove(path_);
  write("one");
  EXPECT_EQ(said(config.look()), " again");
  EXPECT_EQ(said(config.look()), "");
  std::filesystem::remove(path_);
  EXPECT_EQ(said(config.look()), "");
  EXPECT_NE(said(config.look()), "") << "another time";
  write("two");
  EXPECT_EQ(said(config.look()), "changed again");
}

TEST_F(WatchedConfigTest, AFileThatIsMissingForAMomentIsNotTold) {
  write("one");
  WatchedConfig config(path_.string());
  ASSERT_TRUE(config.begin());
  for (int i = 0; i < 3; ++i) {
    std::filesystem::remove(path_);
    EXPECT_EQ(said(config.look()), "");
    write("one");
    EXPECT_EQ(said(config.look()), "") << "nothing had been said, so nothing is taken back";
  }
}

TEST_F(WatchedConfigTest, AFileThatIsEmptyForLongIsTold) {
  write("one");
  WatchedConfig config(path_.string());
  ASSERT_TRUE(config.begin());
  write("");
  EXPECT_EQ(said(config.look()), "") << "it may be written just now";
  EXPECT_EQ(said(config.look()), "is empty");
  EXPECT_EQ(said(config.look()), "");
  EXPECT_EQ(config.in_force().text, "one");
}

TEST_F(WatchedConfigTest, ADirectoryIsNoBeginning) {
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(WatchedConfig(path_.string()).begin());
}

// `--scheduler-conf <(…)`: read once more, it would be empty.
TEST_F(WatchedConfigTest, WhatCameThroughAPipeStays) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::thread writer([this] { write("one"); });
  WatchedConfig config(path_.string());
  ASSERT_TRUE(config.begin());
  writer.join();
  EXPECT_EQ(config.in_force().text, "one");
  EXPECT_EQ(said(config.look()), "");
  EXPECT_EQ(said(config.look()), "");
}

}  // namespace
}  // namespace muster::daemon
