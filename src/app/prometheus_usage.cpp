#include "app/prometheus_usage.h"

#include <fmt/format.h>

#include "app/printable_text.h"
#include "app/prometheus_client.h"

namespace muster {
namespace {

constexpr std::string_view kPeriod = "10m";

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

std::optional<double> number_for(PrometheusClient& prometheus, const std::string& query) {
  const auto body = prometheus.ask(query);
  if (!body) return std::nullopt;
  const auto value = prometheus_value(*body);
  if (!value) prometheus.set_why("it has no such series");
  return value;
}

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
  const auto samples = prometheus_vector(body);
  return samples && !samples->empty() ? std::optional(samples->front().value) : std::nullopt;
}

std::vector<MeasuredNode> ask_prometheus(const MetricsSource& source, const std::vector<std::string>& nodes, Timestamp now,
                                         const volcano::Behaviour& behaviour, std::vector<std::string>& notes) {
  PrometheusClient prometheus({source.address, source.check_certificate}, now, {});
  const bool idle = behaviour.keeps(volcano::Quirk::kUnansweredIsIdle);
  std::vector<MeasuredNode> measured;
  std::vector<std::string> silent;
  for (const auto& node : nodes) {
    const auto cpu = number_for(prometheus, cpu_query(node));
    const auto memory = number_for(prometheus, memory_query(node));
    if (!cpu || !memory) silent.push_back(node);
    if ((!cpu || !memory) && !idle) continue;
    MeasuredNode one{node, {}};
    one.usage.at = now;
    one.usage.periods.emplace(kPeriod, volcano::NodeUsage::Average{cpu.value_or(0), memory.value_or(0)});
    measured.push_back(std::move(one));
  }
  if (silent.empty()) return measured;
  const auto whom = silent.size() == nodes.size() ? "any node" : listed(silent, kMostNamed);
  notes.push_back(fmt::format(
      "Prometheus at {} does not tell the load of {} ({}): {}", printable(source.address), whom, printable(prometheus.why()),
      idle ? "counted as idle, as the original does" : "not measured, so usage neither refuses nor prefers"));
  return measured;
}

}  // namespace muster
