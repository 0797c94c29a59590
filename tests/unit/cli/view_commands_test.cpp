// Lists and explanations in a terminal: of files, and of a scheduler that runs, over sockets.

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <thread>
#include <unistd.h>

#include "cli/command_line.h"
#include "daemon/daemon.h"
#include "daemon/volcano_setup.h"
#include "model/json.h"
#include "support/kubeconfig_text.h"
#include "unit/daemon/silent_api_server.h"
#include "unit/daemon/soon.h"

namespace muster::cli {
namespace {

struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};

Ran muster(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "muster");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.status = run(static_cast<int>(argv.size()), argv.data());
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> operator+(std::vector<std::string> left, const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const std::string kExamples = std::string(MUSTER_SOURCE_DIR) + "/examples/";
const std::vector<std::string> kVolcano = {"-f", kExamples + "first-cluster", "--config", kExamples + "first-cluster.conf"};
const std::vector<std::string> kKai = {"--dialect", "kai", "-f", kExamples + "kai-cluster", "--now", "2026-01-01T00:10:00Z"};

// ---------------------------------------------------------------------------------------------------------------- from files

TEST(ViewCommands, ListJobsOfFiles) {
  const auto all = muster(std::vector<std::string>{"jobs"} + kVolcano);
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_TRUE(contains(all.out, "6 jobs: 3 placed, 2 running, 1 waiting\n")) << all.out;
  EXPECT_FALSE(contains(all.out, "\x1b")) << all.out;
  const auto waiting = muster(std::vector<std::string>{"jobs", "--state", "waiting", "--queue", "research"} + kVolcano);
  EXPECT_TRUE(contains(waiting.out, "1 of 6 jobs: 1 waiting\n")) << waiting.out;
  EXPECT_TRUE(contains(waiting.out, "research/train-large  research  waiting   0/2")) << waiting.out;
  const auto kai = muster(std::vector<std::string>{"jobs"} + kKai);
  EXPECT_EQ(kai.status, 0) << kai.err;
  EXPECT_TRUE(contains(kai.out, "3 jobs: 1 running, 1 pipelined, 1 waiting\n")) << kai.out;
}

// An option takes one argument, with commas in it: what follows is a name, and one that nothing has is an error.
TEST(ViewCommands, TakeNamesBehindOptions) {
  const auto one = muster(std::vector<std::string>{"queues", "--resource", "cpu", "research"} + kVolcano);
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_FALSE(contains(one.out, "product")) << one.out;
  EXPECT_EQ(muster(std::vector<std::string>{"jobs", "--queue", "research,product", "nobody"} + kVolcano).status, 1);
}

TEST(ViewCommands, ListQueuesAndNodesOfFiles) {
  for (const auto& [cluster, nodes] : {std::pair(kVolcano, "6 nodes: cpu "), std::pair(kKai, " nodes: cpu ")}) {
    const auto queues = muster(std::vector<std::string>{"queues"} + cluster);
    EXPECT_EQ(queues.status, 0) << queues.err;
    EXPECT_TRUE(contains(queues.out, "research")) << queues.out;
    EXPECT_TRUE(contains(queues.out, "# allocated, + promised")) << queues.out;
    const auto listed = muster(std::vector<std::string>{"nodes"} + cluster);
    EXPECT_EQ(listed.status, 0) << listed.err;
    EXPECT_TRUE(contains(listed.out, nodes)) << listed.out;
  }
}

TEST(ViewCommands, ListDecisionsOfTheLastCycle) {
  const auto ran = muster(std::vector<std::string>{"decisions", "--now", "2026-01-01T00:00:00Z"} + kVolcano);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "6 decisions: 6 bound, 0 evicted\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "2026-01-01T00:00:00Z      1  bind  product/etl-0")) << ran.out;
  const auto later = muster(std::vector<std::string>{"decisions", "--cycles", "2", "--between", "bound-pods-run"} + kVolcano);
  EXPECT_EQ(later.out, "0 decisions\n") << later.err;
  const auto evicted =
      muster(std::vector<std::string>{"decisions", "--kind", "evict", "-f", kExamples + "configurations/priorities", "--config",
                                      kExamples + "configurations/priorities.conf"});
  EXPECT_EQ(evicted.status, 0) << evicted.err;
  EXPECT_FALSE(contains(evicted.out, "  bind  ")) << evicted.out;
  EXPECT_TRUE(contains(evicted.out, " for ")) << evicted.out;
  const auto kai = muster(std::vector<std::string>{"decisions", "-o", "json"} + kKai);
  EXPECT_EQ(kai.status, 0) << kai.err;
  const auto json = read_json(kai.out);
  ASSERT_TRUE(json && json->find("decisions") != nullptr) << kai.out;
  EXPECT_FALSE(json->find("decisions")->items.empty()) << kai.out;
}

TEST(ViewCommands, AreForProgramsToo) {
  const auto json = muster(std::vector<std::string>{"jobs", "train-*", "-o", "json"} + kVolcano);
  EXPECT_TRUE(json.out.starts_with(R"({"jobs":[{"job":"research/train-large","queue":"research","state":"waiting",)")) << json.out;
  const auto yaml = muster(std::vector<std::string>{"nodes", "gpu-1", "-o", "yaml"} + kVolcano);
  EXPECT_TRUE(yaml.out.starts_with("nodes:\n  - node: gpu-1\n")) << yaml.out;
}

TEST(ViewCommands, SayWhatIsWrong) {
  const auto unknown = muster(std::vector<std::string>{"queues", "reserch"} + kVolcano);
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(contains(unknown.err, "no queue is called \"reserch\"; did you mean \"research\"?")) << unknown.err;
  EXPECT_EQ(muster(std::vector<std::string>{"queues", "x*"} + kVolcano).status, 0);
  EXPECT_EQ(muster(std::vector<std::string>{"jobs", "--state", "asleep"} + kVolcano).status, 2);
  const auto reason = muster(std::vector<std::string>{"jobs", "--reason", "queue-ful"} + kVolcano);
  EXPECT_EQ(reason.status, 2);
  EXPECT_TRUE(contains(reason.err, "\"queue-ful\" is none of the codes of docs/why-pending.md; did you mean queue-full?"))
      << reason.err;
  EXPECT_EQ(muster({"jobs", "-f", "/nowhere"}).status, 1);
  const auto both = muster(std::vector<std::string>{"jobs", "--server", "http://127.0.0.1:1"} + kVolcano);
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(contains(both.err, "--server: is about a running scheduler, and -f about files")) << both.err;
  const auto without = muster({"explain", "x", "--config", "y"});
  EXPECT_EQ(without.status, 2);
  EXPECT_TRUE(contains(without.err, "--config: is about a cluster from files: give them with -f")) << without.err;
}

// What the list itself does not have is looked for where it would be: a queue without jobs is no mistake, a mistyped one is.
TEST(ViewCommands, KnowWhatElseThereIs) {
  struct Case {
    std::vector<std::string> arguments;
    const char* says;  // empty: nothing is wrong
  };
  for (const auto& [arguments, says] : std::vector<Case>{
           {{"jobs", "--queue", "reserch"}, "no queue is called \"reserch\"; did you mean \"research\"?"},
           {{"jobs", "--queue", "default"}, ""},
           {{"jobs", "--queue", "nope*"}, ""},
           {{"decisions", "--job", "etk"}, "no job is called \"etk\"; did you mean \"etl\"?"},
           {{"decisions", "--job", "train-large"}, ""},  // it waits
           {{"decisions", "--node", "gpu-9"}, "no node is called \"gpu-9\""},
           {{"decisions", "nopod"}, "no decision is about a pod called \"nopod\""},
           {{"nodes", "--resource", "gpu"}, "did you mean \"nvidia.com/gpu\"?"},
           {{"nodes", "--resource", "nope"}, "no node has a resource called \"nope\""},
       }) {
    const auto ran = muster(arguments + kVolcano);
    EXPECT_EQ(ran.status, *says == '\0' ? 0 : 1) << arguments.back();
    EXPECT_TRUE(contains(ran.err, says)) << ran.err;
    EXPECT_EQ(ran.out.empty(), *says != '\0') << ran.out;
  }
}

// One rule for all commands: by the PodGroup or by what it was made for, in any case, with or without kind and namespace.
TEST(ViewCommands, FindJobsHoweverPeopleNameThem) {
  const auto path = (std::filesystem::temp_directory_path() / ("muster-names-" + std::to_string(::getpid()) + ".yaml")).string();
  std::ofstream(path) << R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: podgroup-1f, namespace: mine, ownerReferences: [{kind: Job, name: train, controller: true}]}
spec: {minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: train-x7, namespace: mine, annotations: {scheduling.k8s.io/group-name: podgroup-1f}}
spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: '1'}}}]}
)";
  const std::vector<std::string> files = {"-f", path};
  for (const auto* name : {"train", "TRAIN", "mine/train", "Job/train", "job/train", "mine/Job/train", "podgroup-1f"}) {
    EXPECT_TRUE(contains(muster(std::vector<std::string>{"explain", name} + files).out, "mine/podgroup-1f (Job/train)")) << name;
    EXPECT_TRUE(contains(muster(std::vector<std::string>{"jobs", name} + files).out, "\n1 job: 1 placed\n")) << name;
    const auto decisions = muster(std::vector<std::string>{"decisions", "--job", name} + files);
    EXPECT_TRUE(contains(decisions.out, "\n1 decision: 1 bound")) << name << ": " << decisions.out << decisions.err;
  }
  for (const auto* pattern : {"tr*", "mine/t*", "Job/*", "pod*"}) {
    EXPECT_TRUE(contains(muster(std::vector<std::string>{"jobs", pattern} + files).out, "\n1 job: 1 placed\n")) << pattern;
    const auto decisions = muster(std::vector<std::string>{"decisions", "--job", pattern} + files);
    EXPECT_TRUE(contains(decisions.out, "\n1 decision: 1 bound")) << pattern << ": " << decisions.out << decisions.err;
  }
  for (const auto* pattern : {"j*", "m*"}) {
    EXPECT_EQ(muster(std::vector<std::string>{"jobs", pattern} + files).out, "0 of 1 job\n") << pattern;
    EXPECT_EQ(muster(std::vector<std::string>{"decisions", "--job", pattern} + files).out, "0 of 1 decision\n") << pattern;
  }
  const auto unknown = muster(std::vector<std::string>{"decisions", "--job", "Job/trian"} + files);
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(contains(unknown.err, "no job is called \"Job/trian\"; did you mean \"job/train\"?")) << unknown.err;
  std::filesystem::remove(path);
}

// ------------------------------------------------------------------------------------------------------ of a running scheduler

class LiveViews : public testing::Test {
 protected:
  static constexpr const char* kNode = R"(},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}})";
  static constexpr const char* kQueue = R"(},"spec":{"weight":1},"status":{"state":"Open"})";
  static constexpr const char* kGroup =
      R"(,"ownerReferences":[{"kind":"Job","name":"trainer","controller":true}]},"spec":{"minMember":1,"queue":"default"},)"
      R"("status":{"phase":"Inqueue"})";
  // It asks for more than the node has.
  static constexpr const char* kPod =
      R"(,"annotations":{"scheduling.k8s.io/group-name":"large"}},"spec":{"schedulerName":"volcano","containers":)"
      R"([{"name":"c","resources":{"requests":{"cpu":"8"}}}]},"status":{"phase":"Pending"})";

  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("muster-views-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    add("v1", "Node", "/api/v1/nodes", "n1", kNode, false);
    for (const auto* queue : {"default", "root"})  // files without them are given both
      add("scheduling.volcano.sh/v1beta1", "Queue", "/apis/scheduling.volcano.sh/v1beta1/queues", queue, kQueue, false);
    add("scheduling.volcano.sh/v1beta1", "PodGroup", "/apis/scheduling.volcano.sh/v1beta1/podgroups", "large", kGroup, true);
    add("v1", "Pod", "/api/v1/pods", "large-0", kPod, true);
    file("kubeconfig", kubeconfig_for(api_.port()));
    daemon::DaemonOptions options;
    options.dialect = "volcano";
    options.access.kubeconfig = (folder_ / "kubeconfig").string();
    options.leader_elect = false;
    options.monitor.listen = "127.0.0.1:0";
    scheduler_ = std::make_unique<daemon::Daemon>(
        std::move(options), daemon::volcano_clusters({.exact = false, .lenient = false, .flags = {}}, log_), log_);
    thread_ = std::thread([this] { EXPECT_TRUE(scheduler_->run()); });
    ASSERT_TRUE(daemon::soon([&] { return port_ != 0; }));
    ASSERT_TRUE(daemon::soon([&] { return live({"nodes"}).status == 0; }));
  }
  void TearDown() override {
    if (scheduler_) scheduler_->stop();
    if (thread_.joinable()) thread_.join();
    std::filesystem::remove_all(folder_);
  }

  std::string file(const std::string& name, const std::string& content) const {
    const auto path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  // To the server, and to the file with the same objects.
  void add(const std::string& version, const std::string& kind, const std::string& collection, const std::string& name,
           const std::string& rest, bool namespaced) {
    const auto object = daemon::open_metadata(name, 1, namespaced) + rest + "}";
    api_.set(collection, name, "{" + object);
    objects_ += R"({"apiVersion":")" + version + R"(","kind":")" + kind + "\"," + object + "\n";
  }
  std::string server() const { return "http://127.0.0.1:" + std::to_string(port_); }
  Ran live(const std::vector<std::string>& arguments) const {
    return muster(arguments + std::vector<std::string>{"--server", server()});
  }
  Ran offline(const std::vector<std::string>& arguments) const {
    return muster(arguments + std::vector<std::string>{"-f", file("objects.json", objects_)});
  }

  daemon::SilentApiServer api_;
  std::filesystem::path folder_;
  std::string objects_;
  kube::SystemClock clock_;
  std::atomic<int> port_ = 0;
  daemon::Log log_{{}, clock_, [this](std::string_view line) {
                     if (const auto at = line.find("port="); at != std::string_view::npos) port_ = std::atoi(line.data() + at + 5);
                   }};
  std::unique_ptr<daemon::Daemon> scheduler_;
  std::thread thread_;
};

// A running scheduler also says since when a job waits and how many are before it.
std::string without_waits(const std::string& text) {
  static const std::regex waits(R"re("(position|since)":("[^"]*"|\d+),)re");
  return std::regex_replace(text, waits, "");
}

TEST_F(LiveViews, TellWhatFilesWithTheSameObjectsDo) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"jobs"},
                                                                     {"jobs", "-o", "json"},
                                                                     {"nodes"},
                                                                     {"nodes", "-o", "json"},
                                                                     {"queues", "default"},
                                                                     {"decisions", "-o", "json"},
                                                                     {"explain", "large"},
                                                                     {"explain", "trainer"},
                                                                     {"explain", "ns/trainer"},
                                                                     {"explain", "ns/job/trainer"},
                                                                     {"explain", "Job/Trainer"},
                                                                     {"explain", "TRAINER"},
                                                                     {"jobs", "Job/trainer"},
                                                                     {"decisions", "--job", "Job/trainer"},
                                                                     {"explain", "ns/large-0", "-o", "json"}}) {
    const auto asked = live(arguments);
    EXPECT_EQ(asked.status, 0) << arguments[0] << ": " << asked.err;
    EXPECT_EQ(without_waits(asked.out), offline(arguments).out) << arguments[0];
  }
}

TEST_F(LiveViews, AskWhereTheEnvironmentSays) {
  ::setenv("MUSTER_SERVER", server().substr(7).c_str(), 1);  // without its scheme
  const auto jobs = muster({"jobs", "large"});
  ::unsetenv("MUSTER_SERVER");
  EXPECT_EQ(jobs.status, 0) << jobs.err;
  EXPECT_TRUE(contains(jobs.out, "ns/large (Job/trainer)  default  waiting")) << jobs.out;
}

TEST_F(LiveViews, SayWhatIsNotThere) {
  const auto unknown = live({"explain", "lareg"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(contains(unknown.err, "no job is called \"lareg\"; did you mean \"large\"?")) << unknown.err;
  const auto workload = live({"explain", "triner"});
  EXPECT_TRUE(contains(workload.err, "no job is called \"triner\"; did you mean \"trainer\"?")) << workload.err;
  const auto other = live({"explain", "zebra"});
  EXPECT_TRUE(contains(other.err, "no job is called \"zebra\"; pods and jobs of a namespace")) << other.err;
  const auto in_namespace = live({"explain", "ns/lareg"});
  EXPECT_EQ(in_namespace.status, 1);
  EXPECT_TRUE(contains(in_namespace.err, "did you mean \"ns/large\"?")) << in_namespace.err;
  const auto queue = live({"jobs", "--queue", "defualt"});
  EXPECT_EQ(queue.status, 1);
  EXPECT_TRUE(contains(queue.err, "no queue is called \"defualt\"; did you mean \"default\"?")) << queue.err;
  EXPECT_EQ(live({"jobs", "--queue", "root"}).status, 0);
}

TEST(LiveViewsOfNobody, SayWhoDoesNotAnswer) {
  const auto nobody = muster({"jobs", "--server", "127.0.0.1:1"});
  EXPECT_EQ(nobody.status, 1);
  EXPECT_TRUE(contains(nobody.err, "no scheduler answers at http://127.0.0.1:1: ")) << nobody.err;
  EXPECT_TRUE(contains(nobody.err, "--server says where it is")) << nobody.err;
  const auto token = muster({"jobs", "--server", "127.0.0.1:1", "--token-file", "/nowhere/token"});
  EXPECT_EQ(token.status, 1);
  EXPECT_TRUE(contains(token.err, "/nowhere/token: cannot be opened")) << token.err;
}

TEST(LiveViewsOfOthers, SayThatItIsNotAScheduler) {
  daemon::SilentApiServer other;  // an API server of Kubernetes knows no jobs of ours
  const auto server = "http://127.0.0.1:" + std::to_string(other.port());
  const auto listed = muster({"jobs", "--server", server});
  EXPECT_EQ(listed.status, 1);
  EXPECT_TRUE(contains(listed.err, "the answer is no list of jobs")) << listed.err;
  const auto elsewhere = muster({"jobs", "--server", server + "/elsewhere"});
  EXPECT_EQ(elsewhere.status, 1);
  EXPECT_TRUE(contains(elsewhere.err, server)) << elsewhere.err;
}

// Tells the latest two of three decisions, as a scheduler tells the latest of many, unless it is asked for more.
TEST(LiveViewsOfOldDecisions, FindWhatIsKept) {
  server::Router router;
  router.on(
      server::Method::kGet, "/api/v1/decisions",
      [](const server::Request& request) -> server::Answer {
        const auto limit = std::stoul(std::string(request.parameter("limit").value_or("2")));
        std::string list;
        for (std::size_t i = 0; i < std::min(limit, 3UL); ++i)
          list += std::string(i == 0 ? "" : ",") + R"({"number":)" + std::to_string(3 - i) +
                  R"(,"time":"2026-01-01T00:00:00Z","cycle":1,"kind":"bind","pod":"ns/)" + std::string(1, "cba"[i]) +
                  R"(","job":"ns/j","node":"n","rule":"allocate"})";
        return server::json_response(R"({"decisions":[)" + list + R"(],"process":"p"})");
      },
      server::Access::kOpen);
  server::Settings settings;
  settings.listen = "127.0.0.1:0";
  server::Server server(std::move(settings), std::move(router));
  ASSERT_TRUE(server.start());
  const auto said = [url = "http://127.0.0.1:" + std::to_string(server.port())](std::vector<std::string> arguments) {
    const auto ran = muster(std::vector<std::string>{"decisions", "--server", url} + arguments);
    return ran.out.substr(ran.out.rfind('\n', ran.out.size() - std::min<std::size_t>(2, ran.out.size())) + 1) + ran.err;
  };
  EXPECT_EQ(said({}), "2 decisions: 2 bound, 0 evicted\n");
  EXPECT_EQ(said({"a"}), "1 of 3 decisions: 1 bound, 0 evicted\n");
  EXPECT_EQ(said({"--node", "n", "--limit", "1"}), "1 of 3 decisions: 1 bound, 0 evicted\n");
  EXPECT_EQ(said({"--kind", "evict"}), "0 of 3 decisions\n");
  EXPECT_EQ(said({"--limit", "3"}), "3 decisions: 3 bound, 0 evicted\n");
}

// Answers to who knows the token, and says what it was asked with.
TEST(LiveViewsWithAToken, SendIt) {
  server::Router router;
  router.on(
      server::Method::kGet, "/api/v1/jobs",
      [](const server::Request& request) -> server::Answer {
        if (request.headers.find("Authorization") != "Bearer secret") return server::error_response(401, "a token is needed");
        return server::json_response(R"({"jobs":[]})");
      },
      server::Access::kOpen);
  server::Settings settings;
  settings.listen = "127.0.0.1:0";
  server::Server server(std::move(settings), std::move(router));
  ASSERT_TRUE(server.start());
  const auto url = "http://127.0.0.1:" + std::to_string(server.port());
  const auto path = (std::filesystem::temp_directory_path() / ("muster-token-" + std::to_string(::getpid()))).string();
  std::ofstream(path) << "secret\n";
  const auto without = muster({"jobs", "--server", url});
  EXPECT_EQ(without.status, 1);
  EXPECT_TRUE(contains(without.err, url + ": a token is needed; see --token-file")) << without.err;
  const auto with = muster({"jobs", "--server", url + "/", "--token-file", path});
  std::filesystem::remove(path);
  EXPECT_EQ(with.status, 0) << with.err;
  EXPECT_EQ(with.out, "0 jobs\n");
}

}  // namespace
}  // namespace muster::cli
