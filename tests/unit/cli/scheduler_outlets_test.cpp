// What the flags of both dialects about dumps, profiles and what plugins serve come to.

#include <gtest/gtest.h>

#include "cli/scheduler_options.h"

namespace muster::cli {
namespace {

TEST(SchedulerOutlets, OfVolcano) {
  SchedulerCommand command;
  auto options = daemon_options(command);
  EXPECT_EQ(options.outlets.dump_folder, "/tmp");
  EXPECT_EQ(options.outlets.annex.listen, "");
  EXPECT_EQ(options.monitor.profiles, "");
  command.pprof = true;
  command.listen = ":9000";
  command.dumps = false;
  options = daemon_options(command);
  EXPECT_EQ(options.outlets.dump_folder, "");
  EXPECT_EQ(options.monitor.profiles, ":9000");
  EXPECT_EQ(options.monitor.listen, "") << "metrics are not asked for";
}

TEST(SchedulerOutlets, OfKai) {
  SchedulerCommand command;
  command.dialect = "kai";
  auto options = daemon_options(command);
  EXPECT_EQ(options.outlets.dump_folder, "");
  EXPECT_EQ(options.outlets.annex.listen, "127.0.0.1:8081");
  EXPECT_EQ(options.monitor.profiles, "");
  command.profiler = true;
  command.profiler_port = 9001;
  command.plugin_port = 0;
  options = daemon_options(command);
  EXPECT_EQ(options.monitor.profiles, ":9001");
  EXPECT_EQ(options.outlets.annex.listen, "");
}

}  // namespace
}  // namespace muster::cli
