// What queues used in the past, asked of a Prometheus on the loopback or read from a file.

#include "app/kai_usage_source.h"

#include <gtest/gtest.h>

#include "support/http_server.h"

namespace muster {
namespace {

using kai::Behaviour;
using kai::Share;
using kai::UsageWindow;

constexpr Timestamp kNow{1'767'225'600, 0};  // 2026-01-01T00:00:00Z
constexpr std::int64_t kSecond = 1'000'000'000;

std::string series(const std::string& queue, const std::string& number) {
  const auto metric = queue.empty() ? std::string() : "\"queue_name\":\"" + queue + "\"";
  return "{\"metric\":{" + metric + "},\"value\":[1767225600,\"" + number + "\"]}";
}
std::string vector_of(const std::string& list) {
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + list + "]}}";
}

// A cluster of 10 of everything; queue a held half of the GPUs, b a fifth.
HttpServer::Response prometheus(const HttpServer::Request& request) {
  if (request.path != "/api/v1/query") return {404, ""};
  if (request.body.find("kube_node_status_capacity") != std::string::npos) return {200, vector_of(series("", "10"))};
  if (request.body.find("kai_queue_allocated_gpus") != std::string::npos)
    return {200, vector_of(series("a", "5") + "," + series("b", "2"))};
  return {200, vector_of("")};
}

kai::UsageParams params_for(const std::string& address) {
  auto params = kai::default_usage_params();
  params.client = "prometheus";
  params.address = address;
  return params;
}

double gpu_of(const kai::QueueUsage& usage, const std::string& queue) {
  const auto found = usage.find(queue);
  return found == usage.end() ? -1 : found->second[Share::kGpu];
}

// What a source brings at a time.
kai::QueueUsage brought(KaiUsageSource& source, Timestamp now, std::vector<std::string>& notes) {
  kai::Cluster cluster;
  source.bring(cluster, now, notes);
  return cluster.usage();
}

TEST(KaiUsageSource, AsksPrometheusForTheWindow) {
  HttpServer server(prometheus);
  const auto answer = ask_kai_usage(server.url(), params_for(server.url()), kNow);
  ASSERT_TRUE(answer.usage) << answer.why;
  EXPECT_DOUBLE_EQ(gpu_of(*answer.usage, "a"), 0.5);
  EXPECT_DOUBLE_EQ(gpu_of(*answer.usage, "b"), 0.2);
  ASSERT_EQ(server.requests().size(), 6u);
  EXPECT_NE(server.requests()[3].body.find("sum_over_time%28%28kai_queue_allocated_gpus%29%5B604800s%3A60s%5D%29"),
            std::string::npos)
      << server.requests()[3].body;
  EXPECT_TRUE(server.requests()[3].body.ends_with("&time=1767225600"));
}

TEST(KaiUsageSource, AsksForWindowsThatBeginAnewOnlySinceThen) {
  HttpServer server(prometheus);
  auto params = params_for(server.url());
  params.half_life = 3600 * kSecond;
  params.window = UsageWindow::kTumbling;
  params.window_size = 24 * 3600 * kSecond;
  params.tumbling_start = Timestamp{kNow.seconds - 25 * 3600, 0};
  ASSERT_TRUE(ask_kai_usage(server.url(), params, kNow).usage);
  EXPECT_NE(server.requests()[0].body.find("%5B3600s%3A60s%5D"), std::string::npos) << server.requests()[0].body;
  EXPECT_NE(server.requests()[0].body.find("0.5%5E%28%281767225600%20-%20time%28%29%29%20%2F%203600"), std::string::npos)
      << server.requests()[0].body;
  params.window = UsageWindow::kCron;
  params.cron = *kai::CronSchedule::parse("0 */2 * * *");
  ASSERT_TRUE(ask_kai_usage(server.url(), params, Timestamp{kNow.seconds + 1800, 0}).usage);
  EXPECT_NE(server.requests().back().body.find("%5B1800s%3A60s%5D"), std::string::npos) << server.requests().back().body;
  std::vector<std::string> notes;
  KaiUsageSource exact(params, std::nullopt, Behaviour::exact(), notes);
  const auto before = server.requests().size();
  EXPECT_TRUE(brought(exact, kNow, notes).empty());
  EXPECT_EQ(server.requests().size(), before);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("in a way that it does not answer"), std::string::npos) << notes[0];
}

TEST(KaiUsageSource, AsksAgainWhenItIsTimeAndKeepsWhatItKnows) {
  bool dead = false;
  HttpServer server([&](const HttpServer::Request& request) { return dead ? HttpServer::Response{500, ""} : prometheus(request); });
  std::vector<std::string> notes;
  KaiUsageSource source(params_for(server.url()), std::nullopt, Behaviour::safe(), notes);
  EXPECT_DOUBLE_EQ(gpu_of(brought(source, kNow, notes), "a"), 0.5);
  brought(source, Timestamp{kNow.seconds + 30, 0}, notes);
  EXPECT_EQ(server.requests().size(), 6u);  // the interval is a minute
  EXPECT_TRUE(notes.empty());
  dead = true;
  EXPECT_DOUBLE_EQ(gpu_of(brought(source, Timestamp{kNow.seconds + 60, 0}, notes), "a"), 0.5);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("does not tell what queues used (status 500): what it told last counts"), std::string::npos) << notes[0];
  EXPECT_DOUBLE_EQ(gpu_of(brought(source, Timestamp{kNow.seconds + 600, 0}, notes), "a"), 0.5);
  EXPECT_NE(notes.back().find("longer ago than the stalenessPeriod"), std::string::npos) << notes.back();
}

TEST(KaiUsageSource, GivesUpWhenNobodyIsThere) {
  std::vector<std::string> notes;
  KaiUsageSource source(params_for(HttpServer::nobody()), std::nullopt, Behaviour::safe(), notes);
  EXPECT_TRUE(brought(source, kNow, notes).empty());
  EXPECT_TRUE(brought(source, Timestamp{kNow.seconds + 600, 0}, notes).empty());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("it counts as nothing"), std::string::npos) << notes[0];
}

TEST(KaiUsageSource, ComesBackInTimeFromOneWhoNeverAnswers) {
  HttpServer server([](const HttpServer::Request&) { return HttpServer::Response{200, "", true}; });
  auto params = params_for(server.url());
  params.extra["usageQueryTimeout"] = "200ms";
  const auto answer = ask_kai_usage(server.url(), params, kNow);
  EXPECT_FALSE(answer.usage);
  EXPECT_TRUE(answer.unreachable);
}

TEST(KaiUsageSource, MissingCapacityAndWrongAnswersBringNothing) {
  for (const auto* body :
       {"<html>", "{}", R"({"data":{"resultType":"matrix","result":[]}})", R"({"data":{"resultType":"vector","result":[]}})"}) {
    HttpServer server([&](const HttpServer::Request&) { return HttpServer::Response{200, body}; });
    const auto answer = ask_kai_usage(server.url(), params_for(server.url()), kNow);
    EXPECT_FALSE(answer.usage) << body;
    EXPECT_FALSE(answer.unreachable) << body;
    EXPECT_FALSE(answer.why.empty()) << body;
  }
}

TEST(KaiUsageSource, SaysWhomItCannotAsk) {
  std::vector<std::string> notes;
  auto params = params_for("");
  params.address_variable = "MUSTER_TEST_NO_SUCH_VARIABLE";
  KaiUsageSource nowhere(params, std::nullopt, Behaviour::safe(), notes);
  params.client = "fake";
  KaiUsageSource fake(params, std::nullopt, Behaviour::safe(), notes);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("MUSTER_TEST_NO_SUCH_VARIABLE"), std::string::npos);
  EXPECT_NE(notes[1].find("not fake"), std::string::npos);
  EXPECT_TRUE(brought(fake, kNow, notes).empty());
}

std::string failure(const std::string& text) {
  const auto read = read_kai_usage_text(text, "u.yaml");
  return read ? "" : read.error().text();
}

TEST(KaiUsageFile, IsReadStrictly) {
  const auto read = read_kai_usage_text("measured: 2026-01-01T00:00:00Z\nqueues: {a: {gpu: 0.5, cpu: 1}, b: {}}\n", "u.yaml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->measured, kNow);
  EXPECT_DOUBLE_EQ(gpu_of(read->queues, "a"), 0.5);
  EXPECT_EQ(failure("queue: {}"), "u.yaml:1:1: unknown key \"queue\"; did you mean \"queues\"?");
  EXPECT_EQ(failure("queues: {a: {gpus: 1}}"), "u.yaml:1:14: unknown key \"gpus\"; did you mean \"gpu\"?");
  EXPECT_EQ(failure("queues: {a: {gpu: -1}}"), "u.yaml:1:19: queues.a.gpu: must not be negative");
  EXPECT_EQ(failure("queues: {a: {gpu: x}}"), "u.yaml:1:19: queues.a.gpu: must be a number, not a string");
  EXPECT_EQ(failure("samples:\n- capacity: {gpu: 1}\n"), "u.yaml:2:3: samples: at: is required");
  EXPECT_EQ(failure("measured: yesterday\nqueues: {}").substr(0, 21), "u.yaml:1:11: measured");
  EXPECT_NE(failure("{}").find("must have either queues or samples"), std::string::npos);
}

TEST(KaiUsageFile, CountsByTheWindowAndItsAge) {
  const auto file = read_kai_usage_text(
      "measured: 2025-12-31T23:00:00Z\n"
      "samples:\n"
      "- {at: 2025-12-31T10:00:00Z, capacity: {gpu: 10, cpu: 10, memory: 10}, queues: {a: {gpu: 10}}}\n"
      "- {at: 2025-12-31T22:30:00Z, capacity: {gpu: 10, cpu: 10, memory: 10}, queues: {b: {gpu: 5}}}\n",
      "u.yaml");
  ASSERT_TRUE(file) << file.error().text();
  auto params = params_for("http://unused");
  std::vector<std::string> notes;
  KaiUsageSource sliding(params, *file, Behaviour::safe(), notes);
  EXPECT_DOUBLE_EQ(gpu_of(brought(sliding, kNow, notes), "a"), 0.5);
  ASSERT_EQ(notes.size(), 1u);  // it is an hour old
  EXPECT_NE(notes[0].find("stalenessPeriod"), std::string::npos);
  params.window = UsageWindow::kTumbling;
  params.window_size = 12 * 3600 * kSecond;
  params.tumbling_start = *Timestamp::parse_rfc3339("2025-12-31T00:00:00Z");
  KaiUsageSource tumbling(params, *file, Behaviour::safe(), notes);
  const auto usage = brought(tumbling, kNow, notes);
  EXPECT_EQ(gpu_of(usage, "a"), -1);
  EXPECT_DOUBLE_EQ(gpu_of(usage, "b"), 0.5);
  KaiUsageSource exact(params, *file, Behaviour::exact(), notes);
  EXPECT_TRUE(brought(exact, kNow, notes).empty());
}

}  // namespace
}  // namespace muster
