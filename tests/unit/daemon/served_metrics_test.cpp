// The whole scheduler against an API server on the loopback that knows a few objects, and what is read at /metrics meanwhile.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "app/http_client.h"
#include "daemon/volcano_setup.h"
#include "server/server.h"
#include "support/kubeconfig_text.h"
#include "unit/daemon/soon.h"

namespace muster::daemon {
namespace {

using server::Method;

// Lists what it is given, by plural, takes every write, and has nothing new to tell.
class SmallApi {
 public:
  explicit SmallApi(std::map<std::string, std::vector<std::string>> objects) : objects_(std::move(objects)) {
    server::Router router;
    router.on_prefix(Method::kGet, "/", [this](const server::Request& request) { return list_or_watch(request); });
    const auto take = [](const server::Request&) -> server::Answer { return server::json_response("{}", 201); };
    const auto changed = [](const server::Request&) -> server::Answer { return server::json_response("{}"); };
    router.on_prefix(Method::kPost, "/", take).on_prefix(Method::kPatch, "/", changed);
    server::Settings settings;
    settings.listen = "127.0.0.1:0";
    server_ = std::make_unique<server::Server>(std::move(settings), std::move(router));
    EXPECT_TRUE(server_->start());
  }
  std::uint16_t port() const { return server_->port(); }

 private:
  server::Answer list_or_watch(const server::Request& request) const {
    if (request.parameter("sendInitialEvents")) return server::error_response(400, "only plain lists");
    if (request.parameter("watch"))
      return std::make_shared<server::Stream>(server::Stream::Settings{"application/json", 1 << 20, "\n"});
    std::string items;
    const auto known = objects_.find(request.path.substr(request.path.rfind('/') + 1));
    if (known != objects_.end())
      for (const auto& object : known->second) items += (items.empty() ? "" : ",") + object;
    return server::json_response(R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)" + items + "]}");
  }

  std::map<std::string, std::vector<std::string>> objects_;
  std::unique_ptr<server::Server> server_;
};

std::string meta(const std::string& name, const std::string& more = {}) {
  return R"("metadata":{"name":")" + name + R"(","uid":"uid-)" + name + R"(","resourceVersion":"5",)" +
         R"("creationTimestamp":"2026-01-01T00:00:00Z")" + more + "}";
}
std::string node(const std::string& name, const std::string& cpu) {
  const auto amounts = R"({"cpu":")" + cpu + R"(","memory":"8Gi","pods":"110","nvidia.com/gpu":"1"})";
  return "{" + meta(name) + R"(,"status":{"allocatable":)" + amounts + R"(,"capacity":)" + amounts + "}}";
}
std::string group(const std::string& name, const std::string& phase) {
  return "{" + meta(name, R"(,"namespace":"ns")") + R"(,"spec":{"minMember":1,"queue":"default","priorityClassName":")" + name +
         R"("},"status":{"phase":")" + phase + R"("}})";
}
std::string pod(const std::string& name, const std::string& of, const std::string& cpu, const std::string& on = {}) {
  return "{" + meta(name, R"(,"namespace":"ns","annotations":{"scheduling.k8s.io/group-name":")" + of + R"("})") +
         R"(,"spec":{"schedulerName":"volcano","nodeName":")" + on + R"(","containers":[{"name":"c","resources":{"requests":)" +
         R"({"cpu":")" + cpu + R"(","nvidia.com/gpu":"0"}}}]},"status":{"phase":")" + (on.empty() ? "Pending" : "Running") +
         R"("}})";
}

// Two pods of a job run where one of a more important job has to go; a third job's pod has room.
std::map<std::string, std::vector<std::string>> small_cluster() {
  return {
      {"nodes", {node("n1", "4"), node("n2", "1")}},
      {"queues",
       {"{" + meta("root") + R"(,"spec":{"weight":1},"status":{"state":"Open"}})",
        "{" + meta("default") + R"(,"spec":{"weight":1,"capability":{"cpu":"8"}},"status":{"state":"Open"}})"}},
      {"priorityclasses", {"{" + meta("high") + R"(,"value":100})"}},
      {"podgroups", {group("low", "Running"), group("high", "Inqueue"), group("small", "Inqueue")}},
      {"pods",
       {pod("low-0", "low", "2", "n1"), pod("low-1", "low", "2", "n1"), pod("high-0", "high", "2"), pod("small-0", "small", "1")}},
  };
}

std::string configuration(const std::string& queues) {
  return "actions: \"enqueue, allocate, preempt, backfill\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n"
         "  - name: conformance\n- plugins:\n  - name: drf\n  - name: predicates\n  - name: nodeorder\n  - name: " +
         queues + "\n";
}

// Runs the scheduler until /metrics says this, and gives all that it then says.
std::string served_with(const std::string& config, const std::vector<std::string>& awaited) {
  const SmallApi api(small_cluster());
  const auto folder = std::filesystem::temp_directory_path() / ("muster-served-metrics-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "kubeconfig") << kubeconfig_for(api.port());
  std::ofstream(folder / "volcano.conf") << config;
  DaemonOptions options;
  options.access.kubeconfig = (folder / "kubeconfig").string();
  options.leader_elect = false;
  options.config = (folder / "volcano.conf").string();
  options.monitor.listen = "127.0.0.1:0";

  const kube::SystemClock clock;
  std::mutex mutex;
  std::string lines;
  Log log({}, clock, [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    lines += line;
  });
  VolcanoLife life;
  life.numbers = std::make_shared<VolcanoNumbers>();
  Daemon daemon(options, volcano_clusters(life, log), log);
  life.numbers->show_in(daemon.registry(), clock);
  const auto port = [&] {
    const std::lock_guard lock(mutex);
    const auto at = lines.find(" port=");
    return at == std::string::npos ? std::string() : lines.substr(at + 6, lines.find('\n', at) - at - 6);
  };
  std::string text;
  std::thread reader([&] {
    HttpClient client;
    EXPECT_TRUE(soon([&] {
      if (port().empty()) return false;
      const auto answer = client.send({.method = HttpRequest::Method::kGet,
                                       .url = "http://127.0.0.1:" + port() + "/metrics",
                                       .body = {},
                                       .content_type = {},
                                       .timeout_nanos = 5'000'000'000,
                                       .largest_answer = 1 << 22});
      if (!answer || answer->status != 200) return false;
      text = "\n" + answer->body;
      return std::all_of(awaited.begin(), awaited.end(), [&](const auto& line) { return text.find(line) != std::string::npos; });
    })) << text
        << lines;
    daemon.stop();
  });
  EXPECT_TRUE(daemon.run());
  reader.join();
  std::filesystem::remove_all(folder);
  return text;
}

struct ServedFamily {
  std::string type;
  std::set<std::string> labels;
  std::vector<double> bounds;  // of a histogram, but for the last
};

// By name, as a reader of the text finds them.
std::map<std::string, ServedFamily> families_in(const std::string& text) {
  static const std::regex kSample(R"(^([a-z0-9_]+?)(_bucket|_sum|_count)?(\{(.*)\})? [^ ]+$)");
  static const std::regex kLabel(R"re(([A-Za-z_]+)="([^"]*)")re");
  std::map<std::string, ServedFamily> out;
  std::istringstream lines(text);
  std::string name, first;  // the labels of the family's first series, but for le
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      const auto space = line.find(' ', 7);
      name = line.substr(7, space - 7);
      out[name].type = line.substr(space + 1);
      first.clear();
      continue;
    }
    std::smatch sample;
    if (line.empty() || line.starts_with("#") || !std::regex_match(line, sample, kSample)) continue;
    auto& family = out[name];
    std::string others, bound;
    const auto labels = sample[4].str();
    for (auto label = std::sregex_iterator(labels.begin(), labels.end(), kLabel); label != std::sregex_iterator(); ++label) {
      if ((*label)[1] == "le") {
        bound = (*label)[2];
        continue;
      }
      family.labels.insert((*label)[1]);
      others += label->str();
    }
    if (family.bounds.empty()) first = others;
    if (!bound.empty() && bound != "+Inf" && others == first) family.bounds.push_back(std::stod(bound));
  }
  return out;
}

struct SpecifiedFamily {
  std::string name, type;
  std::set<std::string> labels = {};
  std::size_t buckets = 0;  // geometric, from the first bound to the last
  double least = 0, most = 0;
};

// Volcano's families as its operators know them. Those about attempts and namespaces are declared there and never set.
std::vector<SpecifiedFamily> specified() {
  const std::set<std::string> job = {"job_name", "queue", "job_namespace"};
  std::vector<SpecifiedFamily> out = {
      {"e2e_scheduling_latency_milliseconds", "histogram", {}, 20, 1, 5000},
      {"open_session_duration_milliseconds", "histogram", {}, 20, 1, 5000},
      {"action_scheduling_latency_milliseconds", "histogram", {"action"}, 20, 1, 2000},
      {"plugin_scheduling_latency_milliseconds", "histogram", {"plugin", "OnSession"}, 15, 0.1, 100},
      {"task_scheduling_latency_milliseconds", "histogram", {"stage"}, 30, 50, 60'000},
      {"scheduling_stage_duration_milliseconds", "histogram", {"stage"}, 20, 0.1, 500},
      {"e2e_job_scheduling_latency_milliseconds", "histogram", {}, 30, 100, 120'000},
      {"e2e_job_scheduling_duration", "gauge", job},
      {"e2e_job_scheduling_start_time", "gauge", job},
      {"e2e_job_scheduling_last_time", "gauge", job},
      {"pod_preemption_victims", "gauge"},
      {"total_preemption_attempts", "counter"},
      {"eviction_transactions_total", "counter", {"action"}},
      {"unschedule_task_count", "gauge", {"job_id"}},
      {"unschedule_job_count", "gauge"},
      {"job_retry_counts", "counter", {"job_id"}},
      {"job_share", "gauge", {"job_ns", "job_id"}},
      {"queue_share", "gauge", {"queue_name"}},
      {"queue_weight", "gauge", {"queue_name"}},
      {"queue_overused", "gauge", {"queue_name"}},
  };
  for (const std::string amount : {"allocated", "request", "deserved", "inqueue", "capacity", "real_capacity"}) {
    for (const auto* unit : {"_milli_cpu", "_memory_bytes"}) out.push_back({"queue_" + amount + unit, "gauge", {"queue_name"}});
    out.push_back({"queue_" + amount + "_scalar_resources", "gauge", {"queue_name", "resource"}});
  }
  return out;
}

TEST(ServedMetrics, AreThoseOfTheOriginal) {
  const std::vector<std::string> decided = {"volcano_task_scheduling_latency_milliseconds_count{stage=\"Bound\"} 1\n",
                                            "volcano_eviction_transactions_total{action=\"preempt\"} 1\n",
                                            "\nmuster_evicted_pods_total 1\n"};
  const auto with_capacity = served_with(configuration("capacity"), decided);
  auto families = families_in(with_capacity);
  families.merge(families_in(served_with(configuration("proportion"), decided)));
  std::set<std::string> known;
  for (const auto& family : specified()) {
    const auto name = "volcano_" + family.name;
    known.insert(name);
    ASSERT_TRUE(families.contains(name)) << name;
    const auto& found = families[name];
    EXPECT_EQ(found.type, family.type) << name;
    EXPECT_EQ(found.labels, family.labels) << name;
    ASSERT_EQ(found.bounds.size(), family.buckets) << name;
    for (std::size_t i = 0; i < family.buckets; ++i) {
      const auto part = static_cast<double>(i) / static_cast<double>(family.buckets - 1);
      EXPECT_NEAR(found.bounds[i] / (family.least * std::pow(family.most / family.least, part)), 1, 1e-9) << name << " " << i;
    }
  }
  for (const auto& [name, family] : families) EXPECT_TRUE(!name.starts_with("volcano_") || known.contains(name)) << name;

  for (const auto* line : {
           "\nvolcano_task_scheduling_latency_milliseconds_count{stage=\"Watched\"} 2\n",
           "\nvolcano_task_scheduling_latency_milliseconds_count{stage=\"Assumed\"} 1\n",
           "\nvolcano_scheduling_stage_duration_milliseconds_count{stage=\"Bind\"} 1\n",
           "\nvolcano_e2e_job_scheduling_start_time{job_name=\"small\",job_namespace=\"ns\",queue=\"default\"} 1.7672256e+09\n",
           "\nvolcano_unschedule_task_count{job_id=\"high\"} 1\n", "\nvolcano_unschedule_task_count{job_id=\"small\"} 0\n",
           "\nvolcano_queue_capacity_milli_cpu{queue_name=\"default\"} 8000\n", "\nmuster_requested_pods_total 1\n",
           "\nmuster_evicted_pods_total 1\n",
           "\nmuster_failed_expectations_total ",  // of the process: other tests may have wanted one
       })
    EXPECT_NE(with_capacity.find(line), std::string::npos) << line << with_capacity;
  EXPECT_NE(with_capacity.find("\nmuster_synced_kinds "), std::string::npos);
  EXPECT_EQ(with_capacity.find("\nmuster_synced_kinds 0\n"), std::string::npos);
}

}  // namespace
}  // namespace muster::daemon
