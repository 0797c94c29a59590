// Questions to a running scheduler: answered from what it knows, without a trace in it.

#include "daemon/whatif_service.h"

#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/whatif_remote.h"
#include "codec/object_reader.h"
#include "daemon/held_pods.h"
#include "daemon/recorded_cluster.h"
#include "server/server.h"

namespace muster::daemon {
namespace {

constexpr Timestamp kNow{1'800'000'000, 0};

constexpr const char* kVolcanoObjects = R"(
{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '4', pods: '10'}}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: old, namespace: d, uid: g}, spec: {minMember: 1, queue: default}}
---
{apiVersion: v1, kind: Pod, metadata: {name: old-0, namespace: d, uid: p, annotations: {scheduling.k8s.io/group-name: old}},
 spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: '3'}}}]}, status: {phase: Pending}}
)";

std::string volcano_job(const std::string& cpu) {
  return "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: new, namespace: d}, spec: {minMember: 1, "
         "queue: default}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: new-0, namespace: d, annotations: "
         "{scheduling.k8s.io/group-name: new}}, spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: "
         "'" +
         cpu + "'}}}]}}\n";
}

constexpr const char* kKaiObjects = R"(
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: root}, spec: {resources: {gpu: {quota: -1, limit: -1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: q}, spec: {parentQueue: root, resources: {gpu: {quota: -1, limit: -1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '8', memory: 8Gi, pods: '10', nvidia.com/gpu: '4'}}}
---
{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: old, namespace: d, uid: g}, spec: {minMember: 1, queue: q}}
---
{apiVersion: v1, kind: Pod, metadata: {name: old-0, namespace: d, uid: p, annotations: {pod-group-name: old}},
 spec: {schedulerName: kai-scheduler, containers: [{name: c, resources: {requests: {nvidia.com/gpu: '3'}}}]}, status: {phase: Pending}}
)";

std::string kai_job(const std::string& gpus) {
  return "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: new, namespace: d}, spec: {minMember: 1, "
         "queue: "
         "q}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: new-0, namespace: d, annotations: {pod-group-name: new}}, spec: "
         "{schedulerName: kai-scheduler, containers: [{name: c, resources: {requests: {nvidia.com/gpu: '" +
         gpus + "'}}}]}}\n";
}

class WhatIfOfAScheduler : public testing::Test {
 protected:
  void live(const std::string& dialect, const std::string& objects) { live(tape::Life{.dialect = dialect}, objects); }
  void live(const tape::Life& life, const std::string& objects) {
    tape::Opening opening;
    opening.life_id = 1;
    opening.life = life;
    opening.gpu_groups = "g-";
    const auto sink = tape_sink(keeper_, opening);
    auto made = clusters_of(opening.life, noted_outside(sink, {}), {}, log_)("", "config");
    ASSERT_TRUE(made) << made.error().text();
    cluster_ = recorded(std::move(*made), sink);
    const auto read = read_objects_text(objects, "objects.yaml", [&](Object&& object, const Location&) -> Result<void> {
      cluster_->apply(std::move(object));
      return {};
    });
    ASSERT_TRUE(read) << read.error().text();
  }

  server::Response ask(const std::string& question, const std::string& type = "application/yaml") {
    server::Request request;
    request.method = server::Method::kPost;
    request.path = "/api/v1/whatif";
    request.body = question;
    if (!type.empty()) request.headers.add("Content-Type", type);
    return given(service_.ask(request));
  }
  static server::Response given(server::Answer answer) {
    if (auto* at_once = std::get_if<server::Response>(&answer)) return *at_once;
    const auto later = std::get<std::shared_ptr<server::Deferred>>(answer);
    for (int i = 0; i < 3000; ++i) {
      if (auto given = later->take()) return *given;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no answer";
    return {};
  }
  // Over HTTP, at the address that it gives.
  std::string serve(server::Guard guard = {}) {
    server::Router router;
    service_.add_routes(router);
    server::Settings settings;
    settings.listen = "127.0.0.1:0";
    settings.guard = std::move(guard);
    http_ = std::make_unique<server::Server>(settings, router);
    EXPECT_TRUE(http_->start());
    return "127.0.0.1:" + std::to_string(http_->port());
  }
  nlohmann::json first_job(const std::string& question) {
    const auto response = ask(question);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.status == 200 ? nlohmann::json::parse(response.body)["jobs"][0] : nlohmann::json();
  }

  Result<WhatIfAnswer> changes_for(const std::string& job) {
    std::promise<Result<WhatIfAnswer>> told;
    service_.fits_if(job, [&](const Result<WhatIfAnswer>& answer) { told.set_value(answer); });
    return told.get_future().get();
  }

  kube::SystemClock clock_;
  Log log_{{}, clock_, [](std::string_view) {}};
  std::shared_ptr<StateKeeper> keeper_ = std::make_shared<StateKeeper>(log_);
  std::unique_ptr<LiveCluster> cluster_;
  WhatIfService service_{keeper_, clock_};
  std::unique_ptr<server::Server> http_;
};

TEST_F(WhatIfOfAScheduler, WaitsUntilEverythingIsKnown) {
  EXPECT_EQ(ask(volcano_job("1")).status, 503);
  live("volcano", kVolcanoObjects);
  EXPECT_EQ(ask(volcano_job("1")).status, 503);
  cluster_->settle();
  EXPECT_EQ(ask(volcano_job("1")).status, 200);
}

// The question is about room: by the time that matters the pod is tried again.
TEST_F(WhatIfOfAScheduler, AsksOfPodsWhoseBindsWereRefusedAsOfOthers) {
  live("volcano", kVolcanoObjects);
  HeldPods held;
  const auto read = read_objects_text(kVolcanoObjects, "objects.yaml", [&](Object&& object, const Location&) -> Result<void> {
    auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) return {};
    held.refuse(kube::identity_of(pod->meta), "", {}, "its bind was refused");
    held.complete(*pod);
    cluster_->apply(std::move(object));
    return {};
  });
  ASSERT_TRUE(read);
  cluster_->settle();
  std::promise<Result<SharedState>> told;
  keeper_->ask([&](Result<SharedState> state) { told.set_value(std::move(state)); });
  const auto state = told.get_future().get();
  ASSERT_TRUE(state);
  std::size_t pods = 0;
  for (const auto& object : (*state)->objects)
    if (const auto* pod = std::get_if<Pod>(&object)) {
      ++pods;
      EXPECT_TRUE(pod->spec.scheduling_gates.empty());
    }
  EXPECT_EQ(pods, 1u);
  EXPECT_EQ(first_job(volcano_job("2"))["verdict"], "waits") << "the other one is placed";
}

TEST_F(WhatIfOfAScheduler, KnowsWhatWasDecidedAndNotSeenYet) {
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  const auto outcome = cluster_->run_cycle(kNow);
  ASSERT_EQ(outcome.effects.binds.size(), 1u);
  const auto small = first_job(volcano_job("1"));
  EXPECT_EQ(small["verdict"], "starts");
  EXPECT_EQ(small["placement"]["d/new-0"], "n1");
  const auto large = first_job(volcano_job("2"));
  EXPECT_EQ(large["verdict"], "waits");
  ASSERT_FALSE(large["explanation"]["fits_if"].empty());
  EXPECT_EQ(large["explanation"]["fits_if"][0]["path"], "spec.containers[*].resources.requests.cpu");
  EXPECT_EQ(large["explanation"]["fits_if"][0]["to"], "1");
}

TEST_F(WhatIfOfAScheduler, LeavesNoTraceInIt) {
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  EXPECT_EQ(first_job(volcano_job("4"))["verdict"], "waits");
  EXPECT_EQ(cluster_->counts().jobs, 1u);
  const auto outcome = cluster_->run_cycle(kNow);
  ASSERT_EQ(outcome.effects.binds.size(), 1u);
  EXPECT_EQ(outcome.effects.binds.front().pod.name, "old-0");
}

TEST_F(WhatIfOfAScheduler, FollowsItsConfiguration) {
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  ASSERT_TRUE(cluster_->reconfigure("actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: gang\n", "config"));
  EXPECT_EQ(first_job(volcano_job("1"))["verdict"], "waits");
}

TEST_F(WhatIfOfAScheduler, ForgetsWhatIsGone) {
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  cluster_->run_cycle(kNow);
  for (const auto& kind : kube::resource_kinds())
    if (kind.kind == "Pod") cluster_->remove(kind, {.ns = "d", .name = "old-0", .uid = "p", .resource_version = {}});
  EXPECT_EQ(first_job(volcano_job("4"))["verdict"], "starts");
}

TEST_F(WhatIfOfAScheduler, SpeaksKai) {
  live("kai", kKaiObjects);
  cluster_->settle();
  ASSERT_EQ(cluster_->run_cycle(kNow).effects.binds.size(), 1u);
  EXPECT_EQ(first_job(kai_job("1"))["verdict"], "starts");
  EXPECT_EQ(first_job(kai_job("2"))["verdict"], "waits");
}

TEST_F(WhatIfOfAScheduler, KnowsThatNobodyReservesSharesWhereItBindsByItself) {
  const auto half = [](std::string text) {
    return text.replace(text.find("{pod-group-name"), 1, "{gpu-fraction: '0.5', ")
        .replace(text.find("nvidia.com/gpu: '1'"), 19, "");
  };
  live(tape::Life{.dialect = "kai", .binds_directly = true}, kKaiObjects);
  cluster_->settle();
  cluster_->run_cycle(kNow);
  EXPECT_EQ(first_job(kai_job("1"))["verdict"], "starts");
  const auto job = first_job(half(kai_job("1")));
  EXPECT_EQ(job["verdict"], "waits");
  EXPECT_EQ(job["explanation"]["reason"]["code"], "needs-binder") << job.dump();
}

TEST_F(WhatIfOfAScheduler, RefusesWhatIsNoQuestion) {
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  EXPECT_EQ(ask(volcano_job("1"), "").status, 415);
  EXPECT_EQ(ask(volcano_job("1"), "text/plain").status, 415);
  EXPECT_EQ(ask(volcano_job("1"), "application/json").status, 400);
  const std::string pod =
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone"}, "spec": {"schedulerName": "volcano"}})";
  EXPECT_EQ(ask(pod, "application/json; charset=utf-8").status, 200);
  EXPECT_EQ(ask("{").status, 400);
  EXPECT_EQ(ask("").status, 400);
  EXPECT_EQ(ask(kVolcanoObjects).status, 400);  // it is there
}

// As `muster whatif --server` does.
TEST_F(WhatIfOfAScheduler, IsAskedOverHttp) {
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  const auto address = serve();
  const auto path = std::filesystem::temp_directory_path() / ("muster-whatif-" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(path) << volcano_job("1");
  SchedulerClient client(address, "");
  const auto json = ask_scheduler(client, path.string());
  ASSERT_TRUE(json) << json.error().text();
  const auto answer = read_whatif_answer(*json);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(whatif_text(*answer, Paint::none()),
            "d/new would start at once, beside everybody.\n\nWhere its pods would go\n  n1  1  new-0\n");
  std::ofstream(path) << volcano_job("none");
  const auto wrong = ask_scheduler(client, path.string());
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("question.yaml:"), std::string::npos) << wrong.error().text();
  std::ofstream(path) << std::string(std::size_t{2} << 20, '#');
  const auto large = ask_scheduler(client, path.string());
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().text().find("too large"), std::string::npos) << large.error().text();
  std::filesystem::remove(path);
  http_->stop();
}

TEST_F(WhatIfOfAScheduler, IsAskedWithAToken) {
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  const auto address = serve({.bearer_token = "secret", .trusts_loopback = false});
  const auto path = std::filesystem::temp_directory_path() / ("muster-whatif-token-" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(path) << volcano_job("1");
  SchedulerClient stranger(address, "");
  const auto refused = ask_scheduler(stranger, path.string());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("--token-file"), std::string::npos) << refused.error().text();
  SchedulerClient friendly(address, "secret");
  EXPECT_TRUE(ask_scheduler(friendly, path.string()));
  std::filesystem::remove(path);
  http_->stop();
}

TEST_F(WhatIfOfAScheduler, AsksWhoMakesPodsOfWorkloads) {
  const MakeOfWorkloads make = [](const std::vector<UnreadObject>& submitted,
                                  const WorkloadScene& scene) -> Result<MadeOfWorkloads> {
    EXPECT_EQ(scene.scheduler_names, std::vector<std::string>{"volcano"});
    if (submitted.front().kind != "Job") return fail("of that nobody makes pods");
    return MadeOfWorkloads{{R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"made"},"spec":{"schedulerName":"volcano"}})"},
                           {"batch/v1 Job"},
                           {}};
  };
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  WhatIfService service(keeper_, clock_, make);
  const auto told = [&](const std::string& kind) {
    server::Request request;
    request.body = "{apiVersion: batch/v1, kind: " + kind + ", metadata: {name: j}}";
    request.headers.add("Content-Type", "application/yaml");
    return given(service.ask(request));
  };
  EXPECT_EQ(nlohmann::json::parse(told("Job").body)["jobs"][0]["verdict"], "starts");
  EXPECT_EQ(told("Other").status, 400);
}

TEST_F(WhatIfOfAScheduler, SaysWhatWouldMakeAWaitingJobFit) {
  std::string objects = kVolcanoObjects;
  objects.replace(objects.find("cpu: '3'"), 8, "cpu: '8'");
  live("volcano", objects);
  cluster_->settle();
  const auto answer = changes_for("d/old");
  ASSERT_TRUE(answer) << answer.error().text();
  ASSERT_TRUE(answer->jobs.front().fits_if && !answer->jobs.front().fits_if->empty());
  EXPECT_EQ(answer->jobs.front().fits_if->front().text, "no container asked for more than 4 of cpu (now 8)");
  EXPECT_EQ(verdict_of(answer->jobs.front()), WhatIfVerdict::kWaits);
}

TEST_F(WhatIfOfAScheduler, SaysWhyItDoesNotLookForChanges) {
  const auto error_for = [&](const std::string& job) {
    const auto answer = changes_for(job);
    return answer ? "" : answer.error().text();
  };
  EXPECT_EQ(error_for("d/old"), "the cluster is being read: try again");
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  EXPECT_EQ(error_for("d/nobody"), "no PodGroup is called d/nobody");
  const auto starts = changes_for("d/old");  // which the scheduler itself has not looked at yet
  ASSERT_TRUE(starts) << starts.error().text();
  EXPECT_EQ(verdict_of(starts->jobs.front()), WhatIfVerdict::kStarts);
  EXPECT_FALSE(starts->jobs.front().fits_if);
  ASSERT_TRUE(
      cluster_->reconfigure("actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: extender\n    arguments: "
                            "{extender.urlPrefix: 'http://127.0.0.1:9'}\n",
                            "config"));
  EXPECT_NE(error_for("d/old").find("has an extender"), std::string::npos) << error_for("d/old");
}

// Whoever asks too often is told so, and others are served all the same.
TEST_F(WhatIfOfAScheduler, AnswersSoManyAtOnce) {
  live("volcano", kVolcanoObjects);
  cluster_->settle();
  server::Request request;
  request.body = volcano_job("4");
  request.headers.add("Content-Type", "application/yaml");
  std::vector<server::Answer> answers;
  std::size_t refused = 0;
  for (int i = 0; i < 200; ++i) {
    answers.push_back(service_.ask(request));
    refused += std::holds_alternative<server::Response>(answers.back());
  }
  EXPECT_GT(refused, 0u);
  for (auto& answer : answers) {
    auto* later = std::get_if<std::shared_ptr<server::Deferred>>(&answer);
    if (later == nullptr) continue;
    for (int i = 0; i < 3000 && !(*later)->take(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(ask(volcano_job("1")).status, 200);
}

// The one that nobody answers would be counted for ever.
TEST(StateKeeper, WhoAsksIsAnsweredWhenTheKeepingEnds) {
  const kube::SystemClock clock;
  Log log{{}, clock, [](std::string_view) {}};
  StateKeeper keeper(log, 1000);
  std::promise<void> begun, may_end;
  std::promise<std::string> second, third;
  keeper.ask([&](const Result<SharedState>&) {
    begun.set_value();
    may_end.get_future().wait();
  });
  begun.get_future().wait();
  keeper.ask([&](const Result<SharedState>& state) { second.set_value(state ? "" : state.error().text()); });
  keeper.note({std::string(2000, 'x'), {}, {}});
  auto told = second.get_future();
  ASSERT_EQ(told.wait_for(std::chrono::seconds(5)), std::future_status::ready) << "while the keeper is busy with something else";
  EXPECT_EQ(told.get(), "what the cluster is told comes faster than it can be kept: try again later");
  may_end.set_value();
  keeper.ask([&](const Result<SharedState>& state) { third.set_value(state ? "" : state.error().text()); });
  EXPECT_EQ(third.get_future().get(), "the cluster is being read: try again");
}

}  // namespace
}  // namespace muster::daemon
