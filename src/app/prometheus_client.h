#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/http_client.h"
#include "model/time.h"

namespace muster {

// Puts instant queries to a Prometheus, one after the other, and no more when time is up or nobody is there.
class PrometheusClient {
 public:
  struct Limits {
    std::chrono::nanoseconds all = std::chrono::seconds(60);  // queries together
    std::chrono::nanoseconds one = std::chrono::seconds(5);
    std::size_t largest_answer = 1u << 20;
    std::stop_token stop = {};  // nobody waits for an answer any more
  };
  struct Source {
    std::string address;
    bool check_certificate = true;
  };
  // `now` is the time that queries are about.
  PrometheusClient(Source source, Timestamp now, Limits limits);

  // The body of an answer with status 200; nothing when there is none, and why() says why.
  std::optional<std::string> ask(const std::string& query);

  bool given_up() const;
  // Whether anybody ever did, whatever the answer.
  bool answered() const { return answered_; }
  const std::string& why() const { return why_; }
  void set_why(std::string why) { why_ = std::move(why); }

 private:
  tl::expected<HttpResponse, HttpFailure> send(HttpRequest::Method method, const std::string& query);

  Source source_;
  Limits limits_;
  std::string url_;
  std::string time_;
  std::chrono::steady_clock::time_point end_;
  HttpClient http_;
  int unreached_ = 0;  // in a row
  bool answered_ = false;
  std::string why_;
};

// One series of an instant query's answer.
struct PrometheusSample {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;

  std::string_view label(std::string_view name) const;
};
// Nothing when the body is no vector. Values that are not finite are left out.
std::optional<std::vector<PrometheusSample>> prometheus_vector(std::string_view body);

}  // namespace muster
