#include "daemon/object_lists.h"

#include <gtest/gtest.h>

#include "unit/kube/fake_loop.h"

namespace muster::daemon {
namespace {

const kube::ResourceKind& kind_named(std::string_view name, std::string_view group) {
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == name && kind.group == group) return kind;
  ADD_FAILURE() << name;
  return kube::resource_kinds().front();
}

class ObjectListsTest : public testing::Test {
 protected:
  void collect(std::vector<const kube::ResourceKind*> kinds) {
    ObjectLists::collect(loop_, kinds, [this](Result<std::vector<ObjectList>> lists) {
      ++answers_;
      if (lists)
        lists_ = std::move(*lists);
      else
        problem_ = lists.error().text();
    });
  }
  void answer(int status, const std::string& body) { loop_.answer(loop_.only(), status, body); }
  static std::string page(const std::string& items, const std::string& next = {}) {
    return R"({"metadata":{"resourceVersion":"1")" + (next.empty() ? "" : R"(,"continue":")" + next + "\"") + R"(},"items":[)" +
           items + "]}";
  }

  const kube::ResourceKind& nodes_ = kind_named("Node", "");
  const kube::ResourceKind& pods_ = kind_named("Pod", "");
  kube::FakeLoop loop_;
  int answers_ = 0;
  std::vector<ObjectList> lists_;
  std::string problem_;
};

TEST_F(ObjectListsTest, KindAfterKindInPages) {
  collect({&nodes_, &pods_});
  EXPECT_EQ(loop_.path(), "/api/v1/nodes?limit=500");
  answer(200, page(R"({"a":1},{"b":2})", "t/1+"));
  EXPECT_EQ(loop_.path(), "/api/v1/nodes?limit=500&continue=t%2F1%2B");
  answer(200, page(R"({"c":3})"));
  EXPECT_EQ(loop_.path(), "/api/v1/pods?limit=500");
  EXPECT_EQ(answers_, 0);
  answer(200, page(""));
  EXPECT_EQ(answers_, 1);
  ASSERT_EQ(lists_.size(), 2u);
  EXPECT_EQ(lists_[0].items, (std::vector<std::string>{R"({"a":1})", R"({"b":2})", R"({"c":3})"}));
  EXPECT_EQ(lists_[0].kind, &nodes_);
  EXPECT_TRUE(lists_[1].items.empty());
  EXPECT_TRUE(loop_.calls.empty());
}

TEST_F(ObjectListsTest, PagesThatHaveExpiredAreListedAsOne) {
  collect({&nodes_});
  answer(200, page(R"({"a":1})", "t"));
  answer(410, R"({"kind":"Status","code":410,"reason":"Expired"})");
  EXPECT_EQ(loop_.path(), "/api/v1/nodes");
  answer(200, page(R"({"b":1})"));
  ASSERT_EQ(lists_.size(), 1u);
  EXPECT_EQ(lists_[0].items, std::vector<std::string>{R"({"b":1})"});
}

TEST_F(ObjectListsTest, WhatIsNotInstalledIsEmptyAndWhatIsForbiddenIsTold) {
  const auto& groups = kind_named("PodGroup", "scheduling.volcano.sh");
  collect({&groups, &pods_, &nodes_});
  for (std::size_t i = 0; i < groups.versions.size(); ++i) answer(404, "404 page not found");
  EXPECT_EQ(loop_.path(), "/api/v1/pods?limit=500");
  answer(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"pods is forbidden"})");
  answer(200, page(R"({"a":1})"));
  ASSERT_EQ(lists_.size(), 3u);
  EXPECT_EQ(lists_[0].problem, "");
  EXPECT_NE(lists_[1].problem.find("pods is forbidden"), std::string::npos) << lists_[1].problem;
  EXPECT_EQ(lists_[2].items.size(), 1u);
}

TEST_F(ObjectListsTest, WithoutAnAnswerThereIsNone) {
  collect({&nodes_, &pods_});
  loop_.end(loop_.only(), "nobody there");
  EXPECT_EQ(answers_, 1);
  EXPECT_EQ(problem_, "nodes cannot be listed: nobody there");
  EXPECT_TRUE(loop_.calls.empty());
}

TEST_F(ObjectListsTest, AnAnswerThatIsNoListIsNone) {
  collect({&nodes_});
  answer(200, "<html>");
  EXPECT_EQ(answers_, 1);
  EXPECT_NE(problem_, "");
}

}  // namespace
}  // namespace muster::daemon
