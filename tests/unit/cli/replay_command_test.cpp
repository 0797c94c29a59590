// muster replay as users meet it: a recording in, rows and an exit status out.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "daemon/tape_recorder.h"

namespace muster::cli {
namespace {

namespace tape = daemon::tape;

struct Ended {
  int status = 0;
  std::string out;
  std::string err;
};

Ended replay(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"muster", "replay"});
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ended ended;
  ended.status = run(static_cast<int>(argv.size()), argv.data());
  ended.out = testing::internal::GetCapturedStdout();
  ended.err = testing::internal::GetCapturedStderr();
  return ended;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ReplayCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("muster-replay-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A cluster without objects, of which the cycle is said to have bound this pod; empty: none.
  std::string record(const std::string& pod) {
    tape::Opening opening;
    opening.life.dialect = "volcano";
    tape::Cycle cycle{.number = 1, .now = {1'767'225'600, 0}, .decisions = {}};
    if (!pod.empty()) cycle.decisions.binds.push_back({pod, "u", "n1", 0});
    std::string entries;
    tape::add_entry(entries, tape::bytes_of(opening));
    tape::add_entry(entries, tape::bytes_of(tape::StateComplete{.settled = true}));
    tape::add_entry(entries, tape::bytes_of(cycle));
    tape::add_entry(entries, tape::bytes_of(tape::Closed()));
    const auto path = folder_ / "muster-00000001.recording";
    std::filesystem::remove(path);
    auto writer = tape::SegmentWriter::open(path, {tape::shape(), "other"});
    EXPECT_TRUE(writer && writer->write(writer->pack(entries)));
    return path.string();
  }

  std::filesystem::path folder_;
};

TEST_F(ReplayCommandTest, TheSameIsZero) {
  record("");
  const auto ended = replay({folder_.string()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(has(ended.out, "1 cycle was replayed, with the same decisions")) << ended.out;
  EXPECT_TRUE(has(ended.err, "was written by muster other")) << ended.err;
  EXPECT_TRUE(has(replay({folder_.string(), "-o", "json"}).out, R"({"cycles":1,"different":0,"complete":true,)"));
  EXPECT_TRUE(has(replay({folder_.string(), "--until", "1"}).out, "cycle 1 decided:"));
  EXPECT_TRUE(has(replay({folder_.string(), "--until", "9"}).err, "the recording ends with cycle 1"));
}

TEST_F(ReplayCommandTest, SomethingElseIsFour) {
  const auto ended = replay({record("ns/a")});
  EXPECT_EQ(ended.status, 4) << ended.err;
  EXPECT_TRUE(has(ended.out, "ns/a was bound to n1 and is not bound now")) << ended.out;
}

TEST_F(ReplayCommandTest, WhatCannotBeReadIsOne) {
  const auto none = replay({(folder_ / "none").string()});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.out, "");  // no table of nothing
  EXPECT_FALSE(has(none.err, "until there")) << none.err;
  EXPECT_TRUE(has(replay({folder_.string()}).err, "there is no recording in this folder"));
  const auto path = record("");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  const auto ended = replay({path});
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(has(ended.err, path + ": at offset ")) << ended.err;
  EXPECT_EQ(ended.out, "");
  std::filesystem::rename(path, folder_ / "muster-00000002.recording");
  record("");
  const auto half = replay({folder_.string()});
  EXPECT_EQ(half.status, 1);
  EXPECT_TRUE(has(half.err, "until there 1 cycle was replayed")) << half.err;
  std::filesystem::remove(folder_ / "muster-00000002.recording");
  EXPECT_EQ(replay({path, "--dialect", "kai"}).status, 1);
}

TEST_F(ReplayCommandTest, WrongUsageIsTwo) {
  EXPECT_EQ(replay({}).status, 2);
  EXPECT_EQ(replay({folder_.string(), "--until", "0"}).status, 2);
  EXPECT_EQ(replay({folder_.string(), "-o", "yaml"}).status, 2);
}

}  // namespace
}  // namespace muster::cli
