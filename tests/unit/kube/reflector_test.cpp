#include "kube/reflector.h"

#include <gtest/gtest.h>

#include "unit/kube/fake_loop.h"

namespace muster::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const ResourceKind& kind_named(std::string_view name) {
  for (const auto& kind : resource_kinds())
    if (kind.kind == name) return kind;
  return resource_kinds().front();
}

std::string object(const std::string& name, int version, const std::string& uid = "u") {
  return R"({"metadata":{"name":")" + name + R"(","uid":")" + uid + name + R"(","resourceVersion":")" + std::to_string(version) +
         R"("}})";
}
std::string page(const std::string& items, int version, const std::string& next = {}) {
  return R"({"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":")" + std::to_string(version) +
         R"(","continue":")" + next + R"("},"items":[)" + items + "]}";
}
std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
std::string bookmark(int version, bool ends_list = false) {
  return event("BOOKMARK", R"({"kind":"Namespace","metadata":{"resourceVersion":")" + std::to_string(version) + R"(")" +
                               (ends_list ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") + "}}");
}
std::string error(int code) {
  return event("ERROR", R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"reason":"Expired"})");
}

class ReflectorTest : public testing::Test {
 protected:
  explicit ReflectorTest(std::string_view kind = "Namespace") : kind_(kind_named(kind)) { settings_.streams_lists = false; }

  void start() {
    reflector_ = std::make_unique<Reflector>(
        loop_, kind_, queue_, settings_, [] { return 0.0; },
        [this](const ResourceKind&, const Error& problem) { problems_.push_back(problem.message); });
    reflector_->start();
  }
  // "+a1 *b2 -c =": added, modified, deleted, synced.
  std::string told() {
    std::string out;
    for (const auto& change : queue_.take(1000, Duration(0))) {
      if (!out.empty()) out += " ";
      switch (change.type) {
        case ChangeType::kAdded: out += "+" + change.id.name + change.id.resource_version; break;
        case ChangeType::kModified: out += "*" + change.id.name + change.id.resource_version; break;
        case ChangeType::kDeleted: out += "-" + change.id.name; break;
        case ChangeType::kUnchanged: out += "~" + change.id.name + change.id.resource_version; break;
        case ChangeType::kSynced: out += "="; break;
      }
    }
    return out;
  }
  void answer(int status, const std::string& text, const std::string& retry_after = {}) {
    loop_.answer(loop_.only(), status, text, retry_after);
  }
  void stream(const std::string& text) {
    const auto id = loop_.only();
    loop_.head(id, 200);
    loop_.body(id, text);
  }
  void listed() {
    start();
    answer(200, page(object("a", 1) + "," + object("b", 2), 5));
    EXPECT_EQ(told(), "+a1 +b2 =");
  }

  const ResourceKind& kind_;
  FakeLoop loop_;
  EventQueue queue_{100};
  ReflectorSettings settings_;
  std::vector<std::string> problems_;
  std::unique_ptr<Reflector> reflector_;
};

TEST_F(ReflectorTest, PagesThenWatch) {
  start();
  EXPECT_EQ(loop_.path(), "/api/v1/namespaces?limit=500");
  answer(200, page(object("a", 1), 5, "t/1"));
  EXPECT_FALSE(reflector_->synced());
  EXPECT_EQ(loop_.path(), "/api/v1/namespaces?limit=500&continue=t%2F1");
  answer(200, page(object("b", 2), 5));
  EXPECT_EQ(told(), "+a1 +b2 =");
  EXPECT_EQ(reflector_->state(), ReflectorState::kSynced);
  EXPECT_EQ(loop_.path(), "/api/v1/namespaces?watch=1&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=300");
  stream(event("MODIFIED", object("a", 6)) + event("DELETED", object("b", 7)) + event("ADDED", object("c", 8)));
  EXPECT_EQ(told(), "*a6 -b +c8");
}

TEST_F(ReflectorTest, ResumesFromTheLastEventOrBookmark) {
  listed();
  stream(event("MODIFIED", object("a", 6)).substr(0, 30));
  loop_.end(loop_.only(), "the connection broke");
  loop_.advance(seconds(3));
  EXPECT_NE(loop_.path().find("resourceVersion=5&"), std::string::npos) << loop_.path();
  stream(event("MODIFIED", object("a", 6)) + event("MODIFIED", object("a", 6)) + bookmark(9));
  loop_.advance(minutes(1));
  loop_.end(loop_.only());
  EXPECT_NE(loop_.path().find("resourceVersion=9&"), std::string::npos) << loop_.path();
  EXPECT_EQ(told(), "*a6") << "once";
}

TEST_F(ReflectorTest, ExpiredWatchIsListedAndCompared) {
  listed();
  stream(error(410));
  loop_.advance(seconds(3));
  EXPECT_EQ(loop_.path(), "/api/v1/namespaces?limit=500");
  answer(200, page(object("b", 7, "other") + "," + object("c", 8), 9));
  EXPECT_EQ(told(), "-b +b7 +c8 -a");
  EXPECT_NE(loop_.path().find("resourceVersion=9&"), std::string::npos);
}

TEST_F(ReflectorTest, ExpiredWatchByStatus) {
  listed();
  answer(410, "{}");
  loop_.advance(seconds(3));
  answer(200, page(object("a", 1) + "," + object("b", 2), 9));
  EXPECT_EQ(told(), "") << "nothing changed";
}

TEST_F(ReflectorTest, ExpiredPageListsInOnePiece) {
  start();
  answer(200, page(object("a", 1), 5, "t"));
  answer(410, R"({"kind":"Status","code":410,"metadata":{"continue":"new"}})");
  EXPECT_EQ(loop_.path(), "/api/v1/namespaces");
  answer(200, page(object("b", 2), 7));
  EXPECT_EQ(told(), "+a1 +b2 -a =");
}

TEST_F(ReflectorTest, ThrottledPagesWaitAsAsked) {
  start();
  answer(429, "later", "7");
  loop_.advance(seconds(6));
  EXPECT_TRUE(loop_.calls.empty());
  loop_.advance(seconds(1));
  answer(200, page("", 5));
  EXPECT_EQ(told(), "=");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0], "cannot be listed: 429: later");
}

TEST_F(ReflectorTest, FullQueueHoldsBackPagesAndStreams) {
  settings_.page = 1;
  start();
  for (int i = 0; i < 100; ++i) answer(200, page(object("n" + std::to_string(i), i), 5, "t"));
  EXPECT_TRUE(loop_.calls.empty()) << "the queue is full";
  queue_.on_room([this] { reflector_->on_room(); });
  told();
  answer(200, page("", 5));
  std::string many;
  for (int i = 0; i < 120; ++i) many += event("MODIFIED", object("n0", 1000 + i));
  stream(many);
  EXPECT_TRUE(loop_.calls.begin()->second.paused);
  told();
  EXPECT_FALSE(loop_.calls.begin()->second.paused);
}

// Of a group that a server may not have.
class OptionalKindTest : public ReflectorTest {
 protected:
  OptionalKindTest() : ReflectorTest("PriorityClass") {}
};

TEST_F(ReflectorTest, KindsThatEveryServerHasAreNotTakenForGone) {
  listed();
  for (auto since = loop_.now(); loop_.now() < since + minutes(5); loop_.advance(seconds(60))) answer(404, "404 page not found");
  EXPECT_EQ(told(), "");
  EXPECT_EQ(reflector_->state(), ReflectorState::kSynced);
  ASSERT_FALSE(problems_.empty());
  EXPECT_NE(problems_[0].find("no API server"), std::string::npos) << problems_[0];
  answer(200, page(object("a", 1), 9));
  EXPECT_EQ(told(), "-b");
}

TEST_F(OptionalKindTest, MissingKindIsWaitedFor) {
  start();
  answer(404, "404 page not found");
  EXPECT_EQ(reflector_->state(), ReflectorState::kNotInstalled);
  EXPECT_TRUE(reflector_->synced());
  EXPECT_EQ(told(), "=");
  loop_.advance(seconds(15));
  answer(200, page(object("a", 1), 5));
  EXPECT_EQ(told(), "+a1");
  EXPECT_EQ(reflector_->state(), ReflectorState::kSynced);
  EXPECT_TRUE(problems_.empty()) << problems_[0];
}

// As who begins to lead has it done: the cycles wait until it has ended.
TEST_F(ReflectorTest, IsListedAgainWhenAsked) {
  listed();
  EXPECT_TRUE(reflector_->list_again());
  EXPECT_EQ(told(), "");
  answer(200, page(object("a", 7), 9));
  EXPECT_EQ(told(), "*a7 -b =");
  EXPECT_TRUE(reflector_->list_again());
  EXPECT_FALSE(reflector_->list_again()) << "one end is still to come";
  answer(200, page(object("a", 7), 9));
  EXPECT_EQ(told(), "=");
}

TEST_F(OptionalKindTest, WhatIsNotThereIsSoAgainAtOnce) {
  start();
  answer(404, "");
  told();
  EXPECT_TRUE(reflector_->list_again());
  answer(404, "");
  EXPECT_EQ(told(), "=");
}

TEST_F(OptionalKindTest, KindThatGoesIsGoneAfterAWhile) {
  listed();
  for (auto since = loop_.now(); loop_.now() < since + seconds(30); loop_.advance(seconds(2))) {
    answer(404, "");
    EXPECT_EQ(told(), "");
    EXPECT_EQ(reflector_->state(), ReflectorState::kSynced);
  }
  answer(404, "");
  EXPECT_EQ(told(), "-a -b");
  EXPECT_EQ(reflector_->state(), ReflectorState::kNotInstalled);
}

TEST_F(OptionalKindTest, KindThatAStartingServerDoesNotKnowYetIsLookedForSoon) {
  start();
  answer(200, page("", 5));  // there is nothing of it, but the kind is there
  told();
  answer(404, "");
  EXPECT_EQ(reflector_->state(), ReflectorState::kSynced);
  loop_.advance(seconds(2));
  answer(200, page(object("a", 6), 6));
  EXPECT_EQ(told(), "+a6");
}

TEST_F(OptionalKindTest, WhatIsNotInstalledIsToldOnceAndSoIsItsComing) {
  std::string told_of;
  start();
  reflector_->on_installed([&](const ResourceKind&, bool installed) { told_of += installed ? "+" : "-"; });
  answer(404, "");
  loop_.advance(seconds(2));
  answer(404, "");
  EXPECT_EQ(told_of, "-");
  loop_.advance(seconds(4));
  answer(200, page("", 5));
  EXPECT_EQ(told_of, "-+");
}

TEST_F(ReflectorTest, ServerThatIsBackIsFoundWithinTwoSecondsHoweverLongItWasAway) {
  listed();
  for (auto since = loop_.now(); loop_.now() < since + minutes(5); loop_.advance(seconds(2))) {
    ASSERT_FALSE(loop_.calls.empty());
    loop_.end(loop_.only(), "nobody there");
  }
  EXPECT_NE(loop_.path().find("resourceVersion=5&"), std::string::npos) << "and goes on where it was: " << loop_.path();
}

TEST_F(ReflectorTest, UnreadableObjectsAreToldOfAndPassedOver) {
  listed();
  stream(event("MODIFIED", R"({"metadata":{"name":"a","uid":"ua","resourceVersion":"6","labels":7}})") +
         event("MODIFIED", object("b", 7)));
  EXPECT_EQ(told(), "*b7");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("metadata.labels"), std::string::npos) << problems_[0];
}

TEST_F(ReflectorTest, GarbageBreaksTheStreamOnly) {
  listed();
  stream("<html>\n");
  EXPECT_TRUE(loop_.calls.empty());
  loop_.advance(seconds(2));
  EXPECT_NE(loop_.path().find("resourceVersion=5&"), std::string::npos) << loop_.path();
}

TEST_F(ReflectorTest, SilenceAfterSilenceIsListedAnew) {
  listed();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(loop_.path().find("watch=1"), std::string::npos);
    loop_.head(loop_.only(), 200);
    loop_.end(loop_.only(), "too slow");
    loop_.advance(seconds(30));
  }
  EXPECT_EQ(loop_.path(), "/api/v1/namespaces?limit=500");
}

TEST_F(ReflectorTest, StreamedList) {
  settings_.streams_lists = true;
  start();
  EXPECT_EQ(
      loop_.path(),
      "/api/v1/"
      "namespaces?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=300");
  stream(event("ADDED", object("a", 1)) + event("ADDED", object("b", 2)));
  EXPECT_FALSE(reflector_->synced());
  stream(bookmark(5, true) + event("DELETED", object("a", 6)));
  EXPECT_EQ(told(), "+a1 +b2 = -a");
  loop_.advance(minutes(5));
  loop_.end(loop_.only());
  EXPECT_NE(loop_.path().find("resourceVersion=6&"), std::string::npos) << loop_.path();
  stream(error(410));
  loop_.advance(seconds(3));
  stream(event("ADDED", object("c", 9)) + bookmark(9, true));
  EXPECT_EQ(told(), "+c9 -b");
}

class StreamRefused : public ReflectorTest, public testing::WithParamInterface<int> {};

TEST_P(StreamRefused, FallsBackToPages) {
  settings_.streams_lists = true;
  start();
  switch (GetParam()) {
    case 0: stream(event("ADDED", object("a", 1)) + error(500)); break;
    case 1:
      loop_.head(loop_.only(), 200);
      loop_.advance(seconds(31));
      break;
    default: answer(GetParam(), "{}");
  }
  loop_.advance(seconds(2));
  EXPECT_EQ(loop_.path(), "/api/v1/namespaces?limit=500");
  answer(200, page(object("b", 2), 5));
  EXPECT_EQ(told(), GetParam() == 0 ? "+a1 +b2 -a =" : "+b2 =");
}

INSTANTIATE_TEST_SUITE_P(Answers, StreamRefused, testing::Values(400, 422, 500, 0, 1));

// A proxy that cuts every watch would otherwise be seen by nobody.
TEST_F(ReflectorTest, AWatchThatBreaksIsSaidAndOneThatEndsIsNot) {
  listed();
  stream(event("MODIFIED", object("a", 6)));
  loop_.end(loop_.only());
  EXPECT_TRUE(problems_.empty());
  loop_.advance(seconds(10));
  stream(event("MODIFIED", object("a", 7)));
  loop_.end(loop_.only(), "cut");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0], "the watch broke off: cut");
  loop_.advance(seconds(10));
  loop_.head(loop_.only(), 200);
  loop_.end(loop_.only(), "cut after its head");
  EXPECT_EQ(problems_.size(), 2u);
}

class DeviceReflector : public ReflectorTest {
 protected:
  DeviceReflector() : ReflectorTest("DeviceClass") {}
};

TEST_F(DeviceReflector, OlderVersionsAreTried) {
  start();
  EXPECT_EQ(loop_.path(), "/apis/resource.k8s.io/v1/deviceclasses?limit=500");
  answer(404, "");
  EXPECT_EQ(loop_.path(), "/apis/resource.k8s.io/v1beta2/deviceclasses?limit=500");
  answer(404, "");
  answer(200, page(object("gpu", 1), 5));
  EXPECT_EQ(loop_.path().substr(0, 50), "/apis/resource.k8s.io/v1beta1/deviceclasses?watch=");
  EXPECT_EQ(told(), "+gpu1 =");
}

}  // namespace
}  // namespace muster::kube
