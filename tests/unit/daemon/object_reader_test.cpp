#include "daemon/object_reader.h"

#include <gtest/gtest.h>

#include "unit/kube/fake_loop.h"

namespace muster::daemon {
namespace {

using namespace std::chrono_literals;

constexpr const char* kNotFound = R"({"kind":"Status","code":404,"reason":"NotFound","message":"pods \"x\" not found"})";

class ObjectReaderTest : public testing::Test {
 protected:
  void read(const std::string& name) {
    reader_.read({.api_version = "v1", .plural = "pods", .ns = "ns", .name = name}, *find_kind("v1", "Pod"),
                 [this, name](std::optional<Object> object) {
                   told_ += name + (object ? "=" + std::get<Pod>(*object).meta.uid : "-") + " ";
                 });
    loop_.run_posted();
  }
  void answer(int status, const std::string& body) { loop_.answer(loop_.calls.begin()->first, status, body); }
  void break_first() { loop_.end(loop_.calls.begin()->first, "nobody there"); }
  static std::string pod(const std::string& uid) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"a","uid":")" + uid + R"("}})";
  }

  kube::FakeLoop loop_;
  std::vector<std::string> problems_;
  ObjectReader reader_{loop_, [] { return 1.0; }, [this](const std::string& problem) { problems_.push_back(problem); }};
  std::string told_;
};

TEST_F(ObjectReaderTest, WhatIsThereAndWhatIsNot) {
  read("a");
  read("b");
  EXPECT_EQ(loop_.calls.begin()->second.request.path, "/api/v1/namespaces/ns/pods/a");
  answer(200, pod("u1"));
  answer(404, kNotFound);
  EXPECT_EQ(told_, "a=u1 b- ");
}

TEST_F(ObjectReaderTest, WithoutAServerOneAsksAndWhenItIsBackAllDo) {
  for (const auto* name : {"a", "b", "c"}) read(name);
  for (int i = 0; i < 3; ++i) break_first();
  read("d");
  EXPECT_TRUE(loop_.calls.empty());
  for (auto since = loop_.now(); loop_.now() < since + 60s; loop_.advance(1s)) {
    ASSERT_LE(loop_.calls.size(), 1u);
    if (!loop_.calls.empty()) break_first();
  }
  ASSERT_EQ(loop_.calls.size(), 1u) << "at the latest after a second";
  answer(200, pod("u"));
  EXPECT_EQ(loop_.calls.size(), 3u);
  while (!loop_.calls.empty()) answer(200, pod("u"));
  EXPECT_EQ(told_.size(), 4 * std::string("a=u ").size()) << told_;
  EXPECT_FALSE(loop_.has_timers());
}

TEST_F(ObjectReaderTest, AServerThatDoesNotKnowTheKindYetSaysNothingOfTheObject) {
  read("a");
  read("b");
  answer(404, "404 page not found");
  answer(200, pod("u"));
  EXPECT_EQ(told_, "b=u ") << "nobody else waits";
  loop_.advance(1s);
  answer(404, kNotFound);
  EXPECT_EQ(told_, "b=u a- ");
}

TEST_F(ObjectReaderTest, NoMoreThanSoManyAreAskedAtATime) {
  for (int i = 0; i < 100; ++i) read("p" + std::to_string(i));
  EXPECT_EQ(loop_.calls.size(), ObjectReader::kMostAsked);
  break_first();
  while (!loop_.calls.empty()) break_first();
  loop_.advance(1s);
  ASSERT_EQ(loop_.calls.size(), 1u);
  answer(404, kNotFound);
  EXPECT_EQ(loop_.calls.size(), ObjectReader::kMostAsked) << "the server is back, and binds want their turns, too";
  std::size_t asked = 1;
  for (; !loop_.calls.empty(); ++asked) answer(404, kNotFound);
  EXPECT_EQ(asked, 100u);
}

TEST_F(ObjectReaderTest, ARefusalIsSaidOnceAndAskedAgainLessAndLessOften) {
  for (const auto* name : {"a", "b"}) read(name);
  for (int i = 0; i < 2; ++i) answer(403, "{}");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0].find("/api/v1/namespaces/ns/pods/a cannot be read"), 0u) << problems_[0];
  std::size_t asked = 0;
  for (const auto since = loop_.now(); loop_.now() < since + 10min; loop_.advance(1s))
    for (; !loop_.calls.empty(); ++asked) answer(200, "no object");
  EXPECT_GE(asked, 40u) << "every half a minute in the end";
  EXPECT_LE(asked, 52u);
  EXPECT_EQ(problems_.size(), 2u);
}

// A token that has expired under many failed binds.
TEST_F(ObjectReaderTest, WhoIsNotKnownAsksOneQuestionAtATime) {
  for (int i = 0; i < 10; ++i) read("p" + std::to_string(i));
  for (int i = 0; i < 10; ++i) answer(401, "{}");
  EXPECT_EQ(problems_.size(), 1u);
  loop_.advance(1s);
  EXPECT_EQ(loop_.calls.size(), 1u);
  answer(404, kNotFound);
  EXPECT_EQ(loop_.calls.size(), 9u);
}

}  // namespace
}  // namespace muster::daemon
