#include "app/prometheus_client.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "base/percent_encoding.h"
#include "model/json.h"

namespace muster {
namespace {

using std::chrono::steady_clock;

constexpr int kMostUnreached = 3;

std::optional<double> value_of(const Json& series) {
  const auto* value = series.find("value");  // [time, "number"]
  if (value == nullptr || value->items.size() != 2 || value->items[1].kind != Json::Kind::kString) return std::nullopt;
  const auto& text = value->items[1].text;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

PrometheusClient::PrometheusClient(Source source, Timestamp now, Limits limits)
    : source_(std::move(source)),
      limits_(limits),
      url_(source_.address),
      time_(std::to_string(now.seconds)),
      end_(steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(limits.all)) {
  while (url_.ends_with('/')) url_.pop_back();
  url_ += "/api/v1/query";
}

bool PrometheusClient::given_up() const {
  return unreached_ >= kMostUnreached || limits_.stop.stop_requested() || steady_clock::now() >= end_;
}

std::optional<std::string> PrometheusClient::ask(const std::string& query) {
  if (given_up()) {
    if (why_.empty()) why_ = "no time is left";
    return std::nullopt;
  }
  auto response = send(HttpRequest::Method::kPost, query);
  if (response && (response->status == 405 || response->status == 501)) response = send(HttpRequest::Method::kGet, query);
  if (!response) {
    why_ = response.error().message;
    unreached_ = response.error().unreachable ? unreached_ + 1 : 0;
    return std::nullopt;
  }
  unreached_ = 0;
  answered_ = true;
  if (response->status == 200) return std::move(response->body);
  why_ = fmt::format("status {}", response->status);
  return std::nullopt;
}

tl::expected<HttpResponse, HttpFailure> PrometheusClient::send(HttpRequest::Method method, const std::string& query) {
  const auto form = "query=" + percent_encoded(query) + "&time=" + time_;
  HttpRequest request;
  request.method = method;
  request.url = method == HttpRequest::Method::kGet ? url_ + "?" + form : url_;
  if (method == HttpRequest::Method::kPost) request.body = form;
  if (method == HttpRequest::Method::kPost) request.content_type = "application/x-www-form-urlencoded";
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(end_ - steady_clock::now());
  request.timeout_nanos = std::max<std::int64_t>(std::min(limits_.one, left).count(), 1);
  request.largest_answer = limits_.largest_answer;
  request.check_certificate = source_.check_certificate;
  request.stop = limits_.stop;
  return http_.send(request);
}

std::string_view PrometheusSample::label(std::string_view name) const {
  const auto found = std::ranges::find(labels, name, &std::pair<std::string, std::string>::first);
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::vector<PrometheusSample>> prometheus_vector(std::string_view body) {
  const auto root = read_json(body);
  const auto* data = root ? root->find("data") : nullptr;
  const auto* type = data == nullptr ? nullptr : data->find("resultType");
  const auto* result = data == nullptr ? nullptr : data->find("result");
  if (type == nullptr || type->text != "vector" || result == nullptr || result->kind != Json::Kind::kList) return std::nullopt;
  std::vector<PrometheusSample> samples;
  for (const auto& series : result->items) {
    const auto value = value_of(series);
    if (!value) continue;
    PrometheusSample sample{{}, *value};
    if (const auto* metric = series.find("metric"))
      for (const auto& member : metric->members) sample.labels.emplace_back(member.key, member.value.text);
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace muster
