#include "app/prometheus_usage.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "app/http_client.h"
#include "app/printable_text.h"
#include "model/json.h"

namespace muster {
namespace {

using std::chrono::steady_clock;

constexpr std::string_view kPeriod = "10m";
constexpr std::chrono::seconds kLongest{60};  // all queries together
constexpr std::chrono::seconds kLongestQuery{5};
constexpr int kMostUnreached = 3;  // in a row
constexpr std::size_t kLargestAnswer = 1u << 20;
constexpr std::size_t kNamed = 3;

std::string promql_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string cpu_query(const std::string& node) {
  return fmt::format(
      "avg_over_time(clamp_min(100 - (avg by (instance) (rate(node_cpu_seconds_total{{mode=\"idle\",instance={}}}[5m])) * 100), "
      "0)[{}:30s])",
      promql_text(node), kPeriod);
}

std::string memory_query(const std::string& node) {
  return fmt::format(
      "100*avg_over_time(((1-node_memory_MemAvailable_bytes{{instance={0}}}/node_memory_MemTotal_bytes{{instance={0}}}))[{1}:30s])",
      promql_text(node), kPeriod);
}

// Asks one question after the other, and no more when time is up or nobody is there.
class Prometheus {
 public:
  Prometheus(const MetricsSource& source, Timestamp now)
      : source_(source), time_(std::to_string(now.seconds)), end_(steady_clock::now() + kLongest) {
    url_ = source.address;
    while (url_.ends_with('/')) url_.pop_back();
    url_ += "/api/v1/query";
  }

  std::optional<double> ask(const std::string& query) {
    if (given_up()) return std::nullopt;
    auto response = send(HttpRequest::Method::kPost, query);
    if (response && (response->status == 405 || response->status == 501)) response = send(HttpRequest::Method::kGet, query);
    if (!response) {
      why_ = response.error().message;
      unreached_ = response.error().unreachable ? unreached_ + 1 : 0;
      return std::nullopt;
    }
    unreached_ = 0;
    if (response->status != 200) {
      why_ = fmt::format("status {}", response->status);
      return std::nullopt;
    }
    const auto value = prometheus_value(response->body);
    if (!value) why_ = "it has no such series";
    return value;
  }

  bool given_up() const { return unreached_ >= kMostUnreached || steady_clock::now() >= end_; }
  const std::string& why() const { return why_; }

 private:
  tl::expected<HttpResponse, HttpFailure> send(HttpRequest::Method method, const std::string& query) {
    const auto form = "query=" + HttpClient::escaped(query) + "&time=" + time_;
    HttpRequest request;
    request.method = method;
    request.url = method == HttpRequest::Method::kGet ? url_ + "?" + form : url_;
    if (method == HttpRequest::Method::kPost) request.body = form;
    if (method == HttpRequest::Method::kPost) request.content_type = "application/x-www-form-urlencoded";
    const auto left = std::min<steady_clock::duration>(kLongestQuery, end_ - steady_clock::now());
    request.timeout_nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    request.largest_answer = kLargestAnswer;
    request.check_certificate = source_.check_certificate;
    return http_.send(request);
  }

  const MetricsSource& source_;
  std::string url_;
  std::string time_;
  steady_clock::time_point end_;
  HttpClient http_;
  int unreached_ = 0;
  std::string why_;
};

}  // namespace

std::optional<MetricsSource> metrics_source(const volcano::Config& config, std::vector<std::string>& notes) {
  const auto get = [&](const char* key) {
    const auto found = config.metrics.find(key);
    return found == config.metrics.end() ? std::string() : found->second;
  };
  const auto type = get("type");
  if (type.empty()) return std::nullopt;
  if (type == "elasticsearch") {
    notes.push_back("the nodes' load is not asked for: muster does not ask Elasticsearch; see --usage");
    return std::nullopt;
  }
  if (type == "prometheus_adaptor") {
    notes.push_back("the nodes' load is not asked for: prometheus_adaptor needs the metrics API of a cluster; see --usage");
    return std::nullopt;
  }
  if (type != "prometheus") {
    notes.push_back("the nodes' load is not asked for: \"" + printable(type) + "\" is no metrics source");
    return std::nullopt;
  }
  if (get("address").empty()) {
    notes.push_back("the nodes' load is not asked for: the metrics source has no address");
    return std::nullopt;
  }
  return MetricsSource{get("address"), get("tls.insecureSkipVerify") != "true"};
}

std::optional<double> prometheus_value(std::string_view body) {
  const auto root = read_json(body);
  const auto* data = root ? root->find("data") : nullptr;
  const auto* type = data == nullptr ? nullptr : data->find("resultType");
  const auto* result = data == nullptr ? nullptr : data->find("result");
  if (type == nullptr || type->text != "vector" || result == nullptr || result->items.empty()) return std::nullopt;
  const auto* value = result->items.front().find("value");  // [time, "number"]
  if (value == nullptr || value->items.size() != 2 || value->items[1].kind != Json::Kind::kString) return std::nullopt;
  const auto& text = value->items[1].text;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::vector<MeasuredNode> ask_prometheus(const MetricsSource& source, const std::vector<std::string>& nodes, Timestamp now,
                                         const volcano::Behaviour& behaviour, std::vector<std::string>& notes) {
  Prometheus prometheus(source, now);
  const bool idle = behaviour.keeps(volcano::Quirk::kUnansweredIsIdle);
  std::vector<MeasuredNode> measured;
  std::vector<std::string> silent;
  for (const auto& node : nodes) {
    const auto cpu = prometheus.ask(cpu_query(node));
    const auto memory = prometheus.ask(memory_query(node));
    if (!cpu || !memory) silent.push_back(node);
    if ((!cpu || !memory) && !idle) continue;
    MeasuredNode one{node, {}};
    one.usage.at = now;
    one.usage.periods.emplace(kPeriod, volcano::NodeUsage::Average{cpu.value_or(0), memory.value_or(0)});
    measured.push_back(std::move(one));
  }
  if (silent.empty()) return measured;
  const auto whom = silent.size() == nodes.size() ? "any node" : listed(silent, kNamed);
  notes.push_back(fmt::format(
      "Prometheus at {} does not tell the load of {} ({}): {}", printable(source.address), whom, printable(prometheus.why()),
      idle ? "counted as idle, as the original does" : "not measured, so usage neither refuses nor prefers"));
  return measured;
}

}  // namespace muster
