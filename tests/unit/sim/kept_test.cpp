// What a cluster keeps in a file, and what it makes of a file that a crash left.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "unit/sim/test_cluster.h"

namespace muster::sim {
namespace {

class Kept : public testing::Test {
 protected:
  Kept() { std::filesystem::create_directories(folder_); }
  ~Kept() override { std::filesystem::remove_all(folder_); }

  ClusterSettings settings() const {
    ClusterSettings out;
    out.file = file_;
    return out;
  }
  std::string bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  // Why the file is refused; empty when it is not.
  std::string refusal() const {
    Cluster cluster(settings());
    const auto opened = cluster.open();
    return opened ? std::string() : opened.error().message;
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("muster-kept-" + std::to_string(getpid()));
  std::filesystem::path file_ = folder_ / "journal";
};

TEST_F(Kept, EverythingThatWasAnswered) {
  std::string list;
  {
    TestCluster cluster(settings());
    for (const char* name : {"a", "b", "c"}) ASSERT_EQ(cluster.post(kConfigs, config_text(name)).status, 201);
    ASSERT_EQ(cluster.merge(kConfigs + "/b", R"({"data":{"a":"2"}})").status, 200);
    ASSERT_EQ(cluster.remove(kConfigs + "/c").status, 200);
    list = cluster.get(kConfigs).body.text();
    EXPECT_NE(refusal().find("another process has it"), std::string::npos);
  }
  TestCluster again(settings());
  EXPECT_EQ(again.get(kConfigs).body.text(), list) << "and at the same revision";
  const auto old = again.watch(kConfigs + "?watch=1&resourceVersion=2");
  EXPECT_NE(old->take().bytes.find("\"code\":410"), std::string::npos) << "what was before is forgotten";
}

TEST_F(Kept, ARecordThatWasCutOffIsLeftOut) {
  {
    TestCluster cluster(settings());
    cluster.post(kConfigs, config_text("a"));
    cluster.post(kConfigs, config_text("b"));
  }
  const auto whole = bytes();
  const auto last = whole.rfind(R"({"revision")") - 8;
  for (const auto length : {last + 1, last + 7, last + 8, last + 20, whole.size() - 1}) {
    write(whole.substr(0, length));
    TestCluster cluster(settings());
    EXPECT_EQ(cluster.get(kConfigs + "/a").status, 200);
    EXPECT_EQ(cluster.get(kConfigs + "/b").status, 404) << length;
    EXPECT_EQ(cluster.post(kConfigs, config_text("b")).status, 201) << "and it goes on behind it";
  }
  TestCluster cluster(settings());
  EXPECT_EQ(cluster.get(kConfigs + "/b").status, 200);
}

TEST_F(Kept, ATailThatWasNotWrittenIsLeftOut) {
  {
    TestCluster cluster(settings());
    cluster.post(kConfigs, config_text("a"));
  }
  const auto whole = bytes();
  for (const std::size_t length : {1, 7, 8, 4096}) {
    write(whole + std::string(length, '\0'));
    EXPECT_EQ(refusal(), "") << length;
    EXPECT_EQ(bytes(), whole) << length;
  }
}

TEST_F(Kept, NoDamageBeforeTheLastRecordThrowsAnythingAway) {
  {
    TestCluster cluster(settings());
    for (const char* name : {"a", "b"}) cluster.post(kConfigs, config_text(name));
  }
  const auto whole = bytes();
  const auto last = whole.rfind(R"({"revision")") - 8;
  for (std::size_t at = 0; at < last; at += at < 120 ? 1 : 13)
    for (const unsigned bit : {0U, 4U, 7U}) {
      auto damaged = whole;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
      write(damaged);
      ASSERT_NE(refusal(), "") << "bit " << bit << " of byte " << at;
      ASSERT_EQ(bytes(), damaged) << "it is not touched";
    }
}

TEST_F(Kept, AnotherFileIsNotTouched) {
  write("a letter to somebody");
  EXPECT_NE(refusal().find("is no journal"), std::string::npos);
  EXPECT_EQ(bytes(), "a letter to somebody");
}

TEST_F(Kept, AnObjectAsDeepAsCanBe) {
  std::string deep = "1";
  for (std::size_t i = 2; i < kMostLevels; ++i) deep = "[" + deep + "]";
  {
    TestCluster cluster(settings());
    const auto made =
        cluster.post(kConfigs, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"x":)" + deep + "}}");
    ASSERT_EQ(made.status, 201) << made.message();
  }
  EXPECT_EQ(refusal(), "");
}

TEST_F(Kept, AFileThatCannotBeWrittenAnewGrows) {
  std::filesystem::create_directory(folder_ / "journal.new");
  auto with_log = settings();
  int told = 0;
  with_log.log = [&](std::string_view) { ++told; };
  {
    TestCluster cluster(with_log);
    const std::string large(2'000'000, 'x');
    ASSERT_EQ(cluster.post(kConfigs, config_text("c")).status, 201);
    for (int i = 0; i < 10; ++i)
      ASSERT_EQ(cluster.merge(kConfigs + "/c", R"({"data":{"a":")" + large + std::to_string(i) + "\"}}").status, 200) << i;
  }
  EXPECT_EQ(told, 1) << "it is not tried at every write";
  EXPECT_GT(std::filesystem::file_size(file_), std::uintmax_t{20'000'000});
  EXPECT_EQ(refusal(), "");
}

TEST_F(Kept, DamageIsNoCrash) {
  {
    TestCluster cluster(settings());
    for (const char* name : {"a", "b"}) cluster.post(kConfigs, config_text(name));
  }
  auto damaged = bytes();
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  write(damaged);
  EXPECT_NE(refusal().find("is damaged"), std::string::npos) << refusal();
  EXPECT_EQ(bytes(), damaged) << "it is not touched";
}

TEST_F(Kept, HistoryIsThrownAwayWhenItIsMostOfTheFile) {
  std::string list;
  {
    TestCluster cluster(settings());
    const std::string large(200'000, 'x');
    for (int i = 0; i < 60; ++i)
      cluster.post(kConfigs, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":")" + large +
                                 std::to_string(i) + "\"}}"),
          cluster.merge(kConfigs + "/c", R"({"data":{"a":")" + large + std::to_string(i) + "\"}}");
    EXPECT_LT(std::filesystem::file_size(file_), std::uintmax_t{9} << 20);
    list = cluster.get(kConfigs).body.text();
  }
  TestCluster again(settings());
  EXPECT_TRUE(again.get(kConfigs).body.text() == list);
}

TEST_F(Kept, WhatCannotBeAFile) {
  std::filesystem::create_directory(file_);
  EXPECT_NE(refusal(), "");
}

}  // namespace
}  // namespace muster::sim
