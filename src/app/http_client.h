#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>

namespace muster {

struct HttpRequest {
  enum class Method { kGet, kPost };
  Method method = Method::kGet;
  std::string url;  // http or https
  std::string body;
  std::string content_type;        // of the body
  std::string bearer_token = {};   // sent where it is not empty
  std::int64_t timeout_nanos = 0;  // for the whole exchange; must be positive
  std::size_t largest_answer = 0;  // in bytes; a longer one is a failure
  bool check_certificate = true;
  std::stop_token stop = {};  // ends the exchange, within about a second
};

struct HttpResponse {
  int status = 0;
  std::string body;
};

struct HttpFailure {
  std::string message;
  bool unreachable = false;  // nobody answered in time, rather than wrongly
};

// Asks HTTP services, one request at a time, over connections that it keeps. No redirects, no proxies, no environment: it talks to
// whom the URL names or to nobody, and always comes back within the timeout. Not for several threads at once.
class HttpClient {
 public:
  HttpClient();

  tl::expected<HttpResponse, HttpFailure> send(const HttpRequest& request);

 private:
  std::unique_ptr<void, void (*)(void*)> curl_;
};

}  // namespace muster
