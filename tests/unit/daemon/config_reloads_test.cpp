#include "daemon/config_reloads.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "unit/kube/fake_loop.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

class ConfigReloadsTest : public testing::Test {
 protected:
  void SetUp() override {
    write("one");
    ASSERT_TRUE(config_.begin());
    reloads_.start(loop_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  // What the log has said since this was last asked.
  std::string said() { return std::exchange(lines_, {}); }
  bool metrics_say(const std::string& line) { return monitor_.registry().text().find("\n" + line + "\n") != std::string::npos; }

  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("muster-config-reloads-" + std::to_string(getpid()));
  kube::FakeLoop loop_;
  std::string lines_;
  Log log_{{}, loop_.clock(), [this](std::string_view line) { lines_ += line; }};
  Monitor monitor_{{}, {.ready = [] { return true; }, .leading = [] { return true; }}, log_};
  WatchedConfig config_{path_.string()};
  int posted_ = 0;
  std::vector<std::string> told_;
  ConfigReloads reloads_{config_,
                         monitor_,
                         log_,
                         {.post = [this](auto) { ++posted_; },
                          .make_anew = [] {},
                          .tell = [this](const std::string& problem) { told_.push_back(problem); }}};
};

TEST_F(ConfigReloadsTest, AFileThatCannotBeReadIsSaidAndCountedAndTheOldOneStays) {
  std::filesystem::remove(path_);
  loop_.advance(1s);
  EXPECT_EQ(said(), "") << "a mount may be changing just now";
  loop_.advance(1s);
  EXPECT_NE(lines_.find(R"(error "the configuration cannot be read any more, the old one stays" problem=")" + path_.string() +
                        R"(: cannot be opened: No such file or directory")"),
            std::string::npos)
      << lines_;
  EXPECT_TRUE(metrics_say(R"(muster_config_reloads_total{result="unreadable"} 1)"));
  said();
  loop_.advance(1min);
  EXPECT_EQ(said(), "") << "once";
  EXPECT_EQ(told_, std::vector<std::string>{path_.string() + ": cannot be opened: No such file or directory"});
  EXPECT_EQ(config_.in_force().text, "one");
  std::filesystem::create_directory(path_);
  loop_.advance(2s);
  EXPECT_NE(said().find("Is a directory"), std::string::npos) << "another reason";
  EXPECT_TRUE(metrics_say(R"(muster_config_reloads_total{result="unreadable"} 2)"));
  std::filesystem::remove(path_);
  write("one");
  loop_.advance(1s);
  EXPECT_NE(said().find("the configuration can be read again"), std::string::npos);
  EXPECT_EQ(posted_, 0) << "it is the same";
}

TEST_F(ConfigReloadsTest, AChangeIsHandedToTheThreadThatDecides) {
  loop_.advance(10s);
  EXPECT_EQ(posted_, 0);
  write("two");
  loop_.advance(1s);
  EXPECT_EQ(posted_, 1);
  EXPECT_EQ(said(), "") << "whoever takes it says so";
}

TEST(BadConfig, AnEventIsAboutTheLease) {
  const auto event = event_of_bad_config({"ns", "muster", "u", ""}, "f.conf:3:7: no such action");
  EXPECT_EQ(event.api_version + " " + event.kind + " " + event.about.name, "coordination.k8s.io/v1 Lease muster");
  EXPECT_EQ(event.type + " " + event.reason, "Warning InvalidConfiguration");
  EXPECT_EQ(event.note, "The configuration that is in force stays: f.conf:3:7: no such action");
  EXPECT_FALSE(event.action.empty()) << "the API wants one";
}

}  // namespace
}  // namespace muster::daemon
