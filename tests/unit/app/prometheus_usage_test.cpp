#include "app/prometheus_usage.h"

#include <gtest/gtest.h>

#include "support/http_server.h"
#include "support/volcano_builders.h"

namespace muster {
namespace {

using volcano::Behaviour;

constexpr Timestamp kNow{1'767'225'600, 0};

std::string vector_of(const std::string& number) {
  return R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1767225600,")" + number + R"("]}]}})";
}
const std::string kNothing = R"({"status":"success","data":{"resultType":"vector","result":[]}})";

// Knows the load of n1, and nothing of other nodes.
HttpServer::Response prometheus(const HttpServer::Request& request) {
  if (request.path != "/base/api/v1/query") return {404, ""};
  if (request.body.find("instance%3D%22n1%22") == std::string::npos) return {200, kNothing};
  return {200, vector_of(request.body.find("node_cpu_seconds_total") != std::string::npos ? "62.5" : "40")};
}

TEST(PrometheusUsage, ReadsTheFirstNumber) {
  EXPECT_EQ(prometheus_value(vector_of("62.5")), 62.5);
  EXPECT_EQ(prometheus_value(vector_of("1e1")), 10);
  for (const auto& text : {kNothing, vector_of("NaN"), vector_of("+Inf"), vector_of("x"), vector_of(""), std::string("<html>"),
                           std::string("{}"), std::string(R"({"data":{"resultType":"scalar","result":[1,"2"]}})"),
                           std::string(R"({"data":{"resultType":"vector","result":[{"value":[1]}]}})")})
    EXPECT_EQ(prometheus_value(text), std::nullopt) << text;
}

TEST(PrometheusUsage, AsksForEachNode) {
  HttpServer server(prometheus);
  std::vector<std::string> notes;
  const auto measured = ask_prometheus({server.url() + "/base/"}, {"n1", "n2"}, kNow, Behaviour::safe(), notes);
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured[0].name, "n1");
  EXPECT_EQ(measured[0].usage.at.seconds, kNow.seconds);
  EXPECT_EQ(measured[0].usage.over("10m").cpu_percent, 62.5);
  EXPECT_EQ(measured[0].usage.over("10m").memory_percent, 40);
  EXPECT_EQ(measured[0].usage.over("5m").cpu_percent, 0);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("does not tell the load of n2 (it has no such series): not measured"), std::string::npos) << notes[0];
  EXPECT_EQ(server.requests().size(), 4u);
  EXPECT_TRUE(server.requests()[0].body.ends_with("&time=1767225600"));
}

TEST(PrometheusUsage, CountsSilentNodesAsIdleWhereTheOriginalDoes) {
  std::vector<std::string> notes;
  const auto measured = ask_prometheus({HttpServer::nobody()}, {"n1", "n2"}, kNow, Behaviour::exact(), notes);
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[1].usage.over("10m").cpu_percent, 0);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("counted as idle, as the original does"), std::string::npos) << notes[0];
  notes.clear();
  EXPECT_TRUE(ask_prometheus({HttpServer::nobody()}, {"n1", "n2"}, kNow, Behaviour::safe(), notes).empty());
  EXPECT_NE(notes[0].find("does not tell the load of any node"), std::string::npos) << notes[0];
}

TEST(PrometheusUsage, AsksInAnotherWayWhereOneIsNotAllowed) {
  HttpServer server([](const HttpServer::Request& request) {
    return HttpServer::Response{request.method == "POST" ? 405 : 200, request.method == "POST" ? "" : vector_of("7")};
  });
  std::vector<std::string> notes;
  const auto measured = ask_prometheus({server.url()}, {"n1"}, kNow, Behaviour::safe(), notes);
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured[0].usage.over("10m").memory_percent, 7);
}

TEST(PrometheusUsage, GivesUpSoonWhenNobodyIsThere) {
  std::vector<std::string> nodes(10'000, "n");
  std::vector<std::string> notes;
  EXPECT_TRUE(ask_prometheus({HttpServer::nobody()}, nodes, kNow, Behaviour::safe(), notes).empty());
}

TEST(PrometheusUsage, KnowsWhomItCannotAsk) {
  const auto source = [](std::map<std::string, std::string> metrics, std::vector<std::string>& notes) {
    volcano::Config config;
    config.metrics = std::move(metrics);
    return metrics_source(config, notes);
  };
  std::vector<std::string> notes;
  EXPECT_FALSE(source({}, notes));
  EXPECT_TRUE(notes.empty());
  EXPECT_FALSE(source({{"type", "elasticsearch"}, {"address", "http://x"}}, notes));
  EXPECT_FALSE(source({{"type", "prometheus_adaptor"}}, notes));
  EXPECT_FALSE(source({{"type", "prometheus"}}, notes));
  EXPECT_FALSE(source({{"type", "influx"}}, notes));
  ASSERT_EQ(notes.size(), 4u);
  EXPECT_NE(notes[0].find("muster does not ask Elasticsearch"), std::string::npos);
  EXPECT_NE(notes[2].find("has no address"), std::string::npos);
  const auto asked = source({{"type", "prometheus"}, {"address", "https://x"}, {"tls.insecureSkipVerify", "true"}}, notes);
  ASSERT_TRUE(asked);
  EXPECT_FALSE(asked->check_certificate);
}

}  // namespace
}  // namespace muster
