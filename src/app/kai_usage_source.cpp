#include "app/kai_usage_source.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "app/printable_text.h"
#include "app/prometheus_client.h"
#include "model/time.h"

namespace muster {
namespace {

using kai::Share;

constexpr std::int64_t kLongest = 60 * kNanosPerSecond;  // whatever the configuration says
constexpr std::string_view kQueueLabel = "queue_name";

std::string extra(const kai::UsageParams& params, std::string_view key, std::string_view fallback) {
  const auto found = params.extra.find(key);
  return found == params.extra.end() || found->second.empty() ? std::string(fallback) : found->second;
}

std::int64_t extra_duration(const kai::UsageParams& params, std::string_view key, std::int64_t fallback) {
  const auto parsed = parse_go_duration(extra(params, key, ""));
  return parsed && *parsed > 0 ? *parsed : fallback;
}

struct Metrics {
  Share share;
  std::string_view allocation_key, allocation;
  std::string_view capacity_key, capacity;
};
// In the order of the original: all capacities are asked for before anything else.
constexpr Metrics kMetrics[] = {
    {Share::kGpu, "gpuAllocationMetric", "kai_queue_allocated_gpus", "gpuCapacityMetric",
     "sum(kube_node_status_capacity{resource=\"nvidia_com_gpu\"})"},
    {Share::kCpu, "cpuAllocationMetric", "kai_queue_allocated_cpu_cores", "cpuCapacityMetric",
     "sum(kube_node_status_capacity{resource=\"cpu\"})"},
    {Share::kMemory, "memoryAllocationMetric", "kai_queue_allocated_memory_bytes", "memoryCapacityMetric",
     "sum(kube_node_status_capacity{resource=\"memory\"})"},
};

std::string duration_text(std::int64_t nanos) {
  return nanos % kNanosPerSecond == 0 ? fmt::format("{}s", nanos / kNanosPerSecond) : fmt::format("{}ms", nanos / 1'000'000);
}

class UsageQuestions {
 public:
  UsageQuestions(const std::string& address, const kai::UsageParams& params, Timestamp now, std::stop_token stop)
      : params_(params),
        now_(now),
        window_(nanos_between(kai::window_start(params, now), now)),
        prometheus_({address}, now, limits(params, std::move(stop))) {}

  KaiUsageAnswer ask() {
    if (window_ < kNanosPerSecond) return {kai::QueueUsage(), "", false};  // it has only just begun
    kai::UsagePoint sums;
    for (const auto& metrics : kMetrics)
      if (!ask_capacity(metrics, sums)) return failed();
    for (const auto& metrics : kMetrics)
      if (!ask_allocation(metrics, sums)) return failed();
    return {kai::usage_of_sums(sums), "", false};
  }

 private:
  static PrometheusClient::Limits limits(const kai::UsageParams& params, std::stop_token stop) {
    constexpr std::size_t kLargestAnswer = 16u << 20;  // a series for each queue
    const std::chrono::nanoseconds all(std::min(extra_duration(params, "usageQueryTimeout", 10 * kNanosPerSecond), kLongest));
    return {all, all, kLargestAnswer, std::move(stop)};
  }

  // The sum over the window, with what is long ago counting less.
  std::string query(const std::string& metric) const {
    constexpr std::int64_t kMinute = 60 * kNanosPerSecond;
    auto expression = metric;
    if (params_.half_life > 0)
      expression = fmt::format("(({}) * (0.5^(({} - time()) / {})))", metric, now_.seconds,
                               static_cast<double>(params_.half_life) / static_cast<double>(kNanosPerSecond));
    const auto resolution = extra_duration(params_, "queryResolution", kMinute);
    return fmt::format("sum_over_time(({})[{}:{}])", expression, duration_text(window_), duration_text(resolution));
  }

  std::optional<std::vector<PrometheusSample>> series(const std::string& metric) {
    const auto body = prometheus_.ask(query(metric));
    if (!body) return std::nullopt;
    auto samples = prometheus_vector(*body);
    if (!samples) prometheus_.set_why("the answer is no vector");
    return samples;
  }

  bool ask_capacity(const Metrics& metrics, kai::UsagePoint& sums) {
    const auto metric = extra(params_, metrics.capacity_key, metrics.capacity);
    const auto samples = series(metric);
    if (!samples) return false;
    if (!samples->empty() && samples->front().value > 0) return sums.capacity[metrics.share] = samples->front().value, true;
    prometheus_.set_why("it has nothing for " + metric);
    return false;
  }

  bool ask_allocation(const Metrics& metrics, kai::UsagePoint& sums) {
    const auto samples = series(extra(params_, metrics.allocation_key, metrics.allocation));
    if (!samples) return false;
    for (const auto& sample : *samples) sums.allocated[std::string(sample.label(kQueueLabel))][metrics.share] = sample.value;
    return true;
  }

  KaiUsageAnswer failed() const { return {std::nullopt, prometheus_.why(), !prometheus_.answered()}; }

  const kai::UsageParams& params_;
  Timestamp now_;
  std::int64_t window_;
  PrometheusClient prometheus_;
};

}  // namespace

std::string kai_usage_address(const kai::UsageParams& params, std::vector<std::string>& notes) {
  if (params.client != "prometheus") {
    notes.push_back("what queues used in the past counts as nothing: muster asks Prometheus only, not " + printable(params.client) +
                    "; see --usage");
    return "";
  }
  if (!params.address.empty()) return params.address;
  const char* value = std::getenv(params.address_variable.c_str());
  if (value != nullptr && *value != '\0') return value;
  notes.push_back("what queues used in the past counts as nothing: the environment has no " + printable(params.address_variable) +
                  ", which the configuration names; see --usage");
  return "";
}

bool is_window_unanswered(const kai::UsageParams& params, const kai::Behaviour& behaviour) {
  return params.window != kai::UsageWindow::kSliding && behaviour.keeps(kai::Quirk::kUnansweredWindows);
}

KaiUsageAnswer ask_kai_usage(const std::string& address, const kai::UsageParams& params, Timestamp now, std::stop_token stop) {
  return UsageQuestions(address, params, now, std::move(stop)).ask();
}

KaiUsageSource::KaiUsageSource(kai::UsageParams params, std::optional<KaiUsageFile> file, kai::Behaviour behaviour,
                               std::vector<std::string>& notes)
    : params_(std::move(params)), file_(std::move(file)), behaviour_(behaviour) {
  if (!file_) address_ = kai_usage_address(params_, notes);
}

void KaiUsageSource::bring(kai::Cluster& cluster, Timestamp now, std::vector<std::string>& notes) {
  if (file_)
    take_file(now, notes);
  else if (!address_.empty())
    ask(now, notes);
  cluster.set_usage(memory_.usage());
}

void KaiUsageSource::take_file(Timestamp now, std::vector<std::string>& notes) {
  const auto when = file_->measured.value_or(now);
  if (file_->samples.empty())
    memory_.take(file_->queues, when);
  else if (!is_window_unanswered(params_, behaviour_))
    memory_.take(kai::usage_of_points(params_, file_->samples, now), when);
  else if (!memory_.known() && memory_.due(params_, now)) {
    memory_.take(std::nullopt, now);
    notes.push_back(
        "what queues used in the past counts as nothing: KAI gets no answer for windows that do not slide, and "
        "--behaviour exact keeps that");
    return;
  }
  note_age(now, notes);
}

void KaiUsageSource::ask(Timestamp now, std::vector<std::string>& notes) {
  if (given_up_ || !memory_.due(params_, now)) return note_age(now, notes);
  auto answer =
      is_window_unanswered(params_, behaviour_)
          ? KaiUsageAnswer{std::nullopt, "KAI asks for a window that does not slide in a way that it does not answer", true}
          : ask_kai_usage(address_, params_, now);
  given_up_ = answer.unreachable;
  const bool failed = !answer.usage;
  memory_.take(std::move(answer.usage), now);
  if (failed)
    notes.push_back(fmt::format("Prometheus at {} does not tell what queues used ({}): {}", printable(address_),
                                printable(answer.why), memory_.known() ? "what it told last counts" : "it counts as nothing"));
  note_age(now, notes);
}

// As in the original, old data counts until there is newer.
void KaiUsageSource::note_age(Timestamp now, std::vector<std::string>& notes) {
  if (told_age_ || !memory_.known() || !memory_.stale(params_, now)) return;
  told_age_ = true;
  notes.push_back(
      "what queues used was told longer ago than the stalenessPeriod of the configuration; as in KAI it counts all the same");
}

}  // namespace muster
