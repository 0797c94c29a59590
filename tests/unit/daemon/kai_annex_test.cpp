// What plugins of KAI's scheduler serve, by a whole scheduler against a small API server on the loopback.

#include "daemon/kai_annex.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "app/http_client.h"
#include "app/kai_run.h"
#include "codec/input.h"
#include "codec/kai_snapshot.h"
#include "codec/value_json.h"
#include "codec/yaml_value.h"
#include "daemon/daemon.h"
#include "daemon/kai_setup.h"
#include "model/json.h"
#include "support/kubeconfig_text.h"
#include "unit/daemon/silent_api_server.h"
#include "unit/daemon/soon.h"

namespace muster::daemon {
namespace {

constexpr const char* kExample = MUSTER_SOURCE_DIR "/examples/kai-cluster";

std::string text_of_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Where the API server has objects of a kind.
std::string collection_of(const std::string& version, const std::string& kind) {
  for (const auto& known : kube::resource_kinds())
    for (const auto& one : known.versions)
      if (kube::api_version(known, one) == version && known.kind == kind) return kube::collection_path(known, one);
  return {};
}

class KaiAnnexTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("muster-annex-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    // In the order in which files are read, and listed under names in that order: ties are decided by it.
    std::set<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(kExample)) files.insert(file.path());
    for (const auto& file : files) take_file(text_of_file(file));
    ASSERT_EQ(objects_, 16u);
    std::ofstream(folder_ / "kubeconfig") << kubeconfig_for(api_.port());
  }
  void TearDown() override {
    if (daemon_) daemon_->stop();
    if (thread_.joinable()) thread_.join();
    std::filesystem::remove_all(folder_);
  }

  // Gives the server every document of a file.
  void take_file(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find("\n---\n", at), text.size());
      take_object(text.substr(at, end - at));
      at = std::min(end + 5, text.size());
    }
  }
  void take_object(const std::string& text) {
    const auto value = read_yaml_value(text, "example");
    ASSERT_TRUE(value) << value.error().text();
    auto json = json_of_value(*value);
    const auto number = std::to_string(100 + ++objects_);
    const std::string meta = R"("metadata":{)";
    json.insert(json.find(meta) + meta.size(), R"("uid":"u-)" + number + R"(","resourceVersion":")" + number + R"(",)");
    const auto collection = collection_of(*value->find("apiVersion")->as_string(), *value->find("kind")->as_string());
    ASSERT_FALSE(collection.empty()) << json;
    api_.set(collection, number, json);
    given_ += (given_.empty() ? "" : ",") + json;
  }

  void start(std::map<std::string, std::string> flags = {}, const std::string& config = {}) {
    DaemonOptions options;
    options.dialect = "kai";
    options.access.kubeconfig = (folder_ / "kubeconfig").string();
    options.leader_elect = false;
    options.config = config;
    options.outlets.annex = kai_annex("127.0.0.1:0", flags);
    daemon_ = std::make_unique<Daemon>(
        std::move(options), kai_clusters({.exact = false, .lenient = false, .writing = {}, .flags = std::move(flags)}, log_), log_);
    thread_ = std::thread([this] { EXPECT_TRUE(daemon_->run()); });
    ASSERT_TRUE(soon([&] { return port_ != 0; }));
  }
  HttpResponse get(const std::string& path) {
    HttpClient client;
    HttpRequest request;
    request.url = "http://127.0.0.1:" + std::to_string(port_) + path;
    request.timeout_nanos = 20'000'000'000;
    request.largest_answer = std::size_t{1} << 20;
    auto answer = client.send(request);
    return answer ? std::move(*answer) : HttpResponse{.status = 0, .body = answer.error().message};
  }
  std::string file(const std::string& name, const std::string& content) const {
    const auto path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  // What `muster schedule --dialect kai -f` would tell.
  static std::string scheduled(const std::string& path) {
    OfflineOptions options;
    options.files = {path};
    options.now = Timestamp::parse_rfc3339("2026-01-01T00:10:00Z").value();
    const Progress nobody = [](std::string_view, std::uint64_t) {};
    auto run = KaiOfflineRun::prepare(options, nobody);
    EXPECT_TRUE(run) << (run ? "" : run.error().text());
    if (!run) return {};
    const auto outcome = run->run({}, nobody);
    EXPECT_TRUE(outcome);
    return kai_outcome_json(std::nullopt, outcome->cycles, outcome->final_pods, nullptr);
  }

  SilentApiServer api_;
  std::filesystem::path folder_;
  std::size_t objects_ = 0;
  std::string given_;  // what the server has, as items of a list
  kube::SystemClock clock_;
  std::atomic<int> port_ = 0;
  Log log_{{}, clock_, [this](std::string_view line) {
             if (const auto at = line.find(" at="); at != std::string_view::npos) port_ = std::atoi(line.data() + at + 4);
           }};
  std::unique_ptr<Daemon> daemon_;
  std::thread thread_;
};

TEST_F(KaiAnnexTest, WhatASnapshotHoldsIsDecidedLikeTheClusterItIsOf) {
  start();
  const auto snapshot = get("/get-snapshot");
  ASSERT_EQ(snapshot.status, 200) << snapshot.body;
  const auto decided = scheduled(file("snapshot.zip", snapshot.body));
  EXPECT_NE(decided.find("\"evicted\":[\"product/"), std::string::npos) << decided;
  EXPECT_EQ(decided, scheduled(file("given.json", R"({"apiVersion":"v1","kind":"List","items":[)" + given_ + "]}")));
  EXPECT_EQ(get("/get-snapshot").body, snapshot.body);  // once more, of the same objects
}

TEST_F(KaiAnnexTest, ASnapshotHasTheConfigurationAndTheFlags) {
  const auto config = file("kai.conf", "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: predicates\n  - name: proportion\n");
  start({{"scheduler-name", "mine"}, {"partition-label-value", "blue"}, {"full-hierarchy-fairness", "false"}}, config);
  const auto snapshot = get("/get-snapshot");
  ASSERT_EQ(snapshot.status, 200) << snapshot.body;
  const auto input = Input::read(file("snapshot.zip", snapshot.body));
  ASSERT_TRUE(input) << input.error().text();
  const auto settings = read_kai_snapshot_settings(*input);
  ASSERT_TRUE(settings) << settings.error().text();
  EXPECT_EQ(settings->config, R"({"actions":"allocate","tiers":[{"plugins":[{"name":"predicates"},{"name":"proportion"}]}]})");
  const auto& flags = settings->flags;
  EXPECT_EQ(flags.at("scheduler-name"), "mine");
  EXPECT_EQ(flags.at("partition-label-value"), "blue");
  EXPECT_EQ(flags.at("full-hierarchy-fairness"), "false");
  EXPECT_EQ(flags.at("allow-consolidating-reclaim"), "true");
  EXPECT_EQ(flags.at("stuck-in-releasing-threshold"), "120000000000ns");
  EXPECT_EQ(flags.at("max-consolidation-preemptees"), "16");
  // Nodes, queues and PodGroups of no shard are not of this one; pods are given out all the same.
  const auto json = read_json(input->text());
  ASSERT_TRUE(json);
  const auto* objects = json->find("rawObjects");
  ASSERT_NE(objects, nullptr);
  EXPECT_EQ(objects->find("nodes")->items.size(), 0u);
  EXPECT_EQ(objects->find("queues")->items.size(), 0u);
  EXPECT_EQ(objects->find("podGroups")->items.size(), 0u);
  EXPECT_EQ(objects->find("pods")->items.size(), 8u);
}

TEST_F(KaiAnnexTest, JobsAreToldInTheirOrder) {
  // Nobody is evicted, and nothing fits: research has nothing of its share, product more than its own.
  const auto config = file("kai.conf", "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: predicates\n  - name: proportion\n");
  start({}, config);
  HttpResponse order;
  ASSERT_TRUE(soon([&] { return (order = get("/get-job-order")).status == 200; })) << order.body;
  EXPECT_EQ(order.body,
            R"({"global_order":[{"id":"train","priority":50},{"id":"notebook","priority":50}],"queue_order":{"product":)"
            R"([{"id":"notebook","priority":50}],"research":[{"id":"train","priority":50}]}})"
            "\n");
  EXPECT_EQ(get("/anything-else").status, 404);
}

}  // namespace
}  // namespace muster::daemon
