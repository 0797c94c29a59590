#include "daemon/cluster_views.h"

#include <gtest/gtest.h>

#include "daemon/cycle_log.h"

namespace muster::daemon {
namespace {

server::Request asking(server::Headers headers) {
  server::Request request;
  request.headers = std::move(headers);
  return request;
}

TEST(SharedAnswer, IsPackedForWhoCanReadThat) {
  const std::string body(100'000, 'x');
  SharedAnswer answer(body);
  const auto plain = answer.for_request(asking({}));
  EXPECT_EQ(plain.body, body);
  EXPECT_EQ(plain.headers.find("Content-Encoding"), std::nullopt);
  EXPECT_EQ(plain.headers.find("Vary"), "Accept-Encoding");
  EXPECT_EQ(plain.content_type, "application/json");
  const auto packed = answer.for_request(asking({{"Accept-Encoding", "br, gzip;q=0.8"}}));
  EXPECT_EQ(packed.headers.find("Content-Encoding"), "gzip");
  EXPECT_EQ(packed.body.substr(0, 2), "\x1f\x8b");
  EXPECT_LT(packed.body.size(), 1000u);
  EXPECT_EQ(answer.for_request(asking({{"Accept-Encoding", "gzip;q=0"}})).body, body);
  EXPECT_EQ(SharedAnswer("{}").for_request(asking({{"Accept-Encoding", "gzip"}})).body, "{}") << "not worth it";
}

TEST(SharedAnswer, IsNotSentAgainToWhoHasIt) {
  SharedAnswer answer("{\"jobs\":[]}\n");
  const auto tag = std::string(answer.for_request(asking({})).headers.find("ETag").value_or(""));
  EXPECT_EQ(tag.rfind("W/\"", 0), 0u) << tag;
  const auto again = answer.for_request(asking({{"If-None-Match", tag}, {"Accept-Encoding", "gzip"}}));
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(again.headers.find("ETag"), tag);
  SharedAnswer other("{\"jobs\":[1]}\n");
  EXPECT_EQ(other.for_request(asking({{"If-None-Match", tag}})).status, 200);
}

TEST(ClusterViews, SaysWhenNobodyDecides) {
  const kube::SystemClock clock;
  ClusterViews views(clock, [](const auto&) { return false; });
  const auto answer = views.get(Sight::What::kJobs, asking({}));
  const auto given = std::get<std::shared_ptr<server::Deferred>>(answer)->take();
  ASSERT_TRUE(given);
  EXPECT_EQ(given->status, 503);
}

TEST(ClusterViews, ManyReadersAreOneQuestionAndThereIsABound) {
  const kube::SystemClock clock;
  int posted = 0;
  ClusterViews views(clock, [&](const auto&) { return ++posted > 0; });
  std::vector<server::Answer> answers;
  for (int i = 0; i < 64; ++i) answers.push_back(views.get(Sight::What::kNodes, asking({})));
  EXPECT_EQ(posted, 1);
  EXPECT_EQ(std::get<server::Response>(views.get(Sight::What::kNodes, asking({}))).status, 503);
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<server::Deferred>>(views.get(Sight::What::kJobs, asking({}))));
  EXPECT_EQ(posted, 2);
  answers.clear();  // who has gone makes room
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<server::Deferred>>(views.get(Sight::What::kNodes, asking({}))));
}

TEST(CycleLog, HasTheLatestFirstWithTheirPhases) {
  CycleLog log(2);
  CycleOutcome outcome;
  outcome.micros = {{"open", 400}, {"allocate", 2000}, {"backfill", 5}, {"allocate", 100}};
  outcome.total_micros = 3100;
  outcome.effects.binds.resize(3);
  for (const std::uint64_t cycle : {1, 2, 3}) log.add(cycle, {1'767'225'600, 0}, outcome);
  const std::string rest =
      R"("time":"2026-01-01T00:00:00Z","seconds":0.0031,"phases":{"allocate":0.0021,"backfill":0.000005,"open":0.0004},)"
      R"("binds":3,"evictions":0})";
  EXPECT_EQ(log.json(), R"({"cycles":[{"cycle":3,)" + rest + R"(,{"cycle":2,)" + rest + "]}");
}

}  // namespace
}  // namespace muster::daemon
