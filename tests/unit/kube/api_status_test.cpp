#include "kube/api_status.h"

#include <gtest/gtest.h>

#include "codec/kinds.h"
#include "kube/backoff.h"
#include "kube/resource_kinds.h"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Timestamp kNow{784111777, 0};  // Sun, 06 Nov 1994 08:49:37 GMT

TEST(ApiStatus, Reads) {
  const auto status =
      read_status(R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"TooManyRequests",
    "details":{"retryAfterSeconds":7,"causes":[{"reason":"DisruptionBudget","message":"m"}]},"code":429})",
                  500);
  EXPECT_EQ(status.code, 429);
  EXPECT_TRUE(status.has_cause("DisruptionBudget"));
  EXPECT_FALSE(status.has_cause("Other"));
  EXPECT_EQ(status.retry_after, seconds(7));
  EXPECT_EQ(status.text(), "429 TooManyRequests: no m");
  EXPECT_EQ(
      read_status(R"({"kind":"Status","message":"a is invalid: b: must be c","details":{"causes":[{"message":"must be c"}]}})", 422)
          .text(),
      "422: a is invalid: b: must be c")
      << "which names its cause already";
  EXPECT_EQ(read_status("Too many requests, please try again later.\n", 429).text(),
            "429: Too many requests, please try again later.");
  EXPECT_EQ(read_status("", 502).text(), "502");
  EXPECT_EQ(read_status("[1", 502).code, 502);
}

TEST(ApiStatus, RetryAfter) {
  EXPECT_EQ(read_retry_after("10", kNow), seconds(10));
  EXPECT_EQ(read_retry_after(" 0 ", kNow), seconds(0));
  EXPECT_EQ(read_retry_after("Sun, 06 Nov 1994 08:50:00 GMT", kNow), seconds(23));
  EXPECT_EQ(read_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", kNow), seconds(0));
  EXPECT_EQ(read_retry_after("99999999999999", kNow), std::chrono::minutes(10));
  for (const auto* bad : {"", "soon", "-1", "1.5", "Sun, 06 Foo 1994 08:50:00 GMT", "Sun, 99 Nov 1994 08:50:00 GMT"})
    EXPECT_FALSE(read_retry_after(bad, kNow)) << bad;
}

TEST(ApiStatus, Judges) {
  const auto kind = [](HttpAnswer answer) { return judge(answer, kNow).kind; };
  EXPECT_EQ(kind({201}), AnswerKind::kGood);
  EXPECT_EQ(kind({200, {}, "{", "the connection broke"}), AnswerKind::kNoAnswer);
  EXPECT_EQ(kind({0, {}, {}, "nobody"}), AnswerKind::kNoAnswer);
  EXPECT_EQ(kind({409, {}, {}, "cut"}), AnswerKind::kConflict);
  EXPECT_EQ(kind({422}), AnswerKind::kInvalid);
  EXPECT_EQ(kind({410}), AnswerKind::kExpired);
  EXPECT_EQ(kind({503}), AnswerKind::kServerFault);
  EXPECT_EQ(kind({302}), AnswerKind::kOther);
  const auto both = judge({429, "1", R"({"kind":"Status","details":{"retryAfterSeconds":3}})"}, kNow);
  EXPECT_EQ(both.retry_after, seconds(3));
}

TEST(Backoff, DoublesToItsBound) {
  double random = 0;
  Backoff backoff({milliseconds(100), milliseconds(450), 1.0}, [&] { return random; });
  EXPECT_EQ(backoff.next(), milliseconds(100));
  EXPECT_EQ(backoff.next(), milliseconds(200));
  random = 0.5;
  EXPECT_EQ(backoff.next(), milliseconds(600));
  EXPECT_EQ(backoff.next(), milliseconds(675));
  EXPECT_EQ(backoff.next(seconds(10)), seconds(10));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(backoff.next(), milliseconds(675));
  backoff.reset();
  EXPECT_EQ(backoff.next(), milliseconds(150));
}

TEST(ResourceKinds, AllHaveReadersAndAllReadersAreFollowed) {
  std::size_t versions = 0;
  for (const auto& kind : resource_kinds())
    for (const auto version : kind.versions) {
      ++versions;
      const auto* reader = find_kind(api_version(kind, version), kind.kind);
      ASSERT_NE(reader, nullptr) << kind.kind;
      EXPECT_EQ(reader->namespaced, kind.namespaced) << kind.kind;
    }
  EXPECT_EQ(versions, 32u) << "codec reads as many kinds and versions";
}

TEST(ResourceKinds, Paths) {
  const auto& pod = resource_kinds().back();
  EXPECT_EQ(collection_path(pod, "v1"), "/api/v1/pods");
  EXPECT_EQ((ObjectPath{"v1", "pods", "default", "a b", "binding"}).text(), "/api/v1/namespaces/default/pods/a%20b/binding");
  EXPECT_EQ((ObjectPath{"scheduling.volcano.sh/v1beta1", "queues", "", "q"}).text(),
            "/apis/scheduling.volcano.sh/v1beta1/queues/q");
}

}  // namespace
}  // namespace muster::kube
