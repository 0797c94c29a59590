#include "app/extender_http.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/http_server.h"
#include "support/volcano_builders.h"

namespace muster {
namespace {

using volcano::ExtenderQuestion;
using volcano::ExtenderTopic;
using Document = nlohmann::json;

class ExtenderHttp : public testing::Test {
 protected:
  void SetUp() override {
    world_.add(volcano::a_volcano_queue("default"));
    world_.add(volcano::a_volcano_node("n1").cpu("8").gpu("4").label("zone", "a"));
    world_.add(volcano::a_pod_group("train").minimum(2).phase("Inqueue"));
    world_.add(volcano::a_volcano_pod("train-0").group("train").role("worker").cpu("1500m").gpu("1").label("app", "x"));
    world_.add(volcano::a_volcano_pod("old-0").group("train").cpu("2").on("n1"));
    world_.open();
  }
  Document body(ExtenderQuestion question) { return Document::parse(extender_body(world_.session(), question)); }

  volcano::VolcanoWorld world_;
};

TEST_F(ExtenderHttp, WritesPodsAndNodesInTheOriginalsNames) {
  const NodeId nodes[] = {world_.node("n1")};
  const auto sent = body({.topic = ExtenderTopic::kPredicate, .pod = world_.pod("train-0"), .nodes = nodes});
  const auto& task = sent["task"];
  EXPECT_EQ(task["Name"], "train-0");
  EXPECT_EQ(task["Namespace"], "default");
  EXPECT_EQ(task["Job"], "default/train");
  EXPECT_EQ(task["TaskRole"], "worker");
  EXPECT_EQ(task["Status"], 1);
  EXPECT_EQ(task["Resreq"]["MilliCPU"], 1500);
  EXPECT_EQ(task["Resreq"]["ScalarResources"]["nvidia.com/gpu"], 1000);
  EXPECT_EQ(task["Pod"]["metadata"]["labels"]["app"], "x");
  EXPECT_EQ(task["Pod"]["spec"]["containers"][0]["resources"]["requests"]["cpu"], "1500m");
  EXPECT_EQ(task["Pod"]["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"], "1");
  const auto& node = sent["node"];
  EXPECT_EQ(node["Name"], "n1");
  EXPECT_EQ(node["Idle"]["MilliCPU"], 6000);
  EXPECT_EQ(node["Allocatable"]["MilliCPU"], 8000);
  EXPECT_EQ(node["Node"]["metadata"]["labels"]["zone"], "a");
  EXPECT_EQ(node["Tasks"].size(), 1u);
}

TEST_F(ExtenderHttp, WritesEveryTopic) {
  const NodeId nodes[] = {world_.node("n1")};
  const PodId pods[] = {world_.pod("old-0")};
  const auto pod = world_.pod("train-0");
  EXPECT_EQ(body({.topic = ExtenderTopic::kPrioritize, .pod = pod, .nodes = nodes})["nodes"].size(), 1u);
  const auto victims = body({.topic = ExtenderTopic::kPreemptable, .pod = pod, .candidates = pods});
  EXPECT_EQ(victims["evictor"]["Name"], "train-0");
  EXPECT_EQ(victims["evictees"][0]["Name"], "old-0");
  const auto job = body({.topic = ExtenderTopic::kJobReady, .job = world_.job("train").id})["job"];
  EXPECT_EQ(job["MinAvailable"], 2);
  EXPECT_EQ(job["Tasks"].size(), 2u);
  EXPECT_EQ(job["TaskStatusIndex"]["1"].size(), 1u);
  EXPECT_EQ(job["PodGroup"]["status"]["phase"], "Inqueue");
  EXPECT_EQ(body({.topic = ExtenderTopic::kQueueOverused, .queue = world_.queue("default")})["queue"]["Name"], "default");
  EXPECT_EQ(body({.topic = ExtenderTopic::kAllocate, .pod = pod})["task"]["Name"], "train-0");
  EXPECT_EQ(body({.topic = ExtenderTopic::kSessionClose}), Document::object());
  const auto session = body({.topic = ExtenderTopic::kSessionOpen});
  for (const auto* key : {"Jobs", "Nodes", "Queues", "NamespaceInfo", "RevocableNodes", "NodeList"})
    EXPECT_TRUE(session.contains(key));
  EXPECT_TRUE(session["Jobs"].contains("default/train"));
}

TEST(ExtenderAnswers, AreReadAsTheOriginalDoes) {
  EXPECT_EQ(extender_answer(ExtenderTopic::kPredicate, R"({"status":"no","code":3})")->message, "no");
  EXPECT_EQ(extender_answer(ExtenderTopic::kPredicate, R"({"Status":"no","CODE":3})")->code, 3);
  EXPECT_EQ(extender_answer(ExtenderTopic::kPredicate, R"( {"status":null} trailing)")->message, "");
  EXPECT_EQ(extender_answer(ExtenderTopic::kPredicate, "null")->message, "");
  EXPECT_FALSE(extender_answer(ExtenderTopic::kPrioritize, R"({"errorMessage":""})")->has_scores);
  EXPECT_TRUE(extender_answer(ExtenderTopic::kPrioritize, R"({"nodeScore":{}})")->has_scores);
  EXPECT_EQ(extender_answer(ExtenderTopic::kPrioritize, R"({"nodeScore":{"n1":2.5}})")->scores.at("n1"), 2.5);
  const auto victims =
      extender_answer(ExtenderTopic::kReclaimable, R"({"status":1,"victims":[{"UID":"u1","Name":"x"},{"uid":"u2"}]})");
  EXPECT_EQ(victims->victims, (std::vector<std::string>{"u1", "u2"}));
  EXPECT_TRUE(extender_answer(ExtenderTopic::kQueueOverused, R"({"overused":true})")->flag);
  EXPECT_TRUE(extender_answer(ExtenderTopic::kSessionOpen, "anything"));
}

TEST(ExtenderAnswers, ThatAreWrongAreFailures) {
  const std::pair<ExtenderTopic, const char*> wrong[] = {
      {ExtenderTopic::kPredicate, ""},
      {ExtenderTopic::kPredicate, "<html>"},
      {ExtenderTopic::kPredicate, "[]"},
      {ExtenderTopic::kPredicate, R"({"status":1})"},
      {ExtenderTopic::kPredicate, R"({"code":1.5})"},
      {ExtenderTopic::kPrioritize, R"({"nodeScore":[1]})"},
      {ExtenderTopic::kPrioritize, R"({"nodeScore":{"n1":"high"}})"},
      {ExtenderTopic::kPreemptable, R"({"victims":["u1"]})"},
      {ExtenderTopic::kJobReady, R"({"status":1})"},
      {ExtenderTopic::kJobEnqueueable, R"({"status":"yes"})"},
      {ExtenderTopic::kAllocate, R"({"errorMessage":)"},
  };
  for (const auto& [topic, text] : wrong) EXPECT_FALSE(extender_answer(topic, text)) << text;
  EXPECT_FALSE(extender_answer(ExtenderTopic::kPredicate, std::string(100'000, '[')));
}

TEST_F(ExtenderHttp, SaysWhatWentWrong) {
  HttpServer server([](const HttpServer::Request& request) {
    if (request.path == "/huge") return HttpServer::Response{200, std::string((10u << 20) + 1, ' ')};
    return HttpServer::Response{request.path == "/broken" ? 500 : 200, "garbage"};
  });
  HttpExtender extender;
  const auto failure = [&](const std::string& url) {
    return extender
        .ask(world_.session(),
             {.topic = ExtenderTopic::kJobReady, .url = url, .timeout_nanos = 5'000'000'000, .job = world_.job("train").id})
        .error();
  };
  EXPECT_EQ(failure(server.url() + "/broken").message, "failed broken with extender at URL " + server.url() + "/broken, code 500");
  EXPECT_TRUE(failure(server.url() + "/x").message.starts_with("Post \"" + server.url() + "/x\": the answer is no JSON"));
  EXPECT_NE(failure(server.url() + "/huge").message.find("more than 10485760 bytes"), std::string::npos);
  EXPECT_TRUE(failure(HttpServer::nobody() + "/x").unreachable);
}

}  // namespace
}  // namespace muster
