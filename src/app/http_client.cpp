#include "app/http_client.h"

#include <algorithm>
#include <curl/curl.h>
#include <memory>
#include <string_view>

#include "base/assert.h"

namespace muster {
namespace {

constexpr std::int64_t kNanosPerMilli = 1'000'000;

// libcurl wants this once per process, before anything else.
void prepare_library() {
  static const bool kReady = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  MUSTER_ASSERT(kReady);
}

struct Answer {
  std::string body;
  std::size_t largest = 0;
  bool too_long = false;
};

std::size_t take(char* data, std::size_t, std::size_t size, void* into) {
  auto& answer = *static_cast<Answer*>(into);
  if (size > answer.largest - answer.body.size()) {
    answer.too_long = true;
    return 0;  // ends the transfer
  }
  answer.body.append(data, size);
  return size;
}

// Called while a transfer is under way, also when nothing moves. Anything but 0 ends it.
int look_up(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

bool is_unreachable(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_OPERATION_TIMEDOUT ||
         code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_URL_MALFORMAT ||
         code == CURLE_UNSUPPORTED_PROTOCOL;
}

using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

}  // namespace

HttpClient::HttpClient() : curl_(nullptr, [](void* curl) { curl_easy_cleanup(curl); }) {
  prepare_library();
  curl_.reset(curl_easy_init());
  MUSTER_ASSERT(curl_ != nullptr);
}

tl::expected<HttpResponse, HttpFailure> HttpClient::send(const HttpRequest& request) {
  auto* curl = static_cast<CURL*>(curl_.get());
  curl_easy_reset(curl);  // keeps connections
  Answer answer;
  answer.largest = request.largest_answer;
  char why[CURL_ERROR_SIZE] = "";
  Headers headers(nullptr, &curl_slist_free_all);
  const auto add_header = [&](const std::string& line) { headers.reset(curl_slist_append(headers.release(), line.c_str())); };
  add_header("Expect:");  // a body is sent at once, not after asking whether it may be
  if (!request.content_type.empty()) add_header("Content-Type: " + request.content_type);
  if (!request.bearer_token.empty()) add_header("Authorization: Bearer " + request.bearer_token);

  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, request.timeout_nanos / kNanosPerMilli)));
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, request.check_certificate ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, request.check_certificate ? 2L : 0L);
  if (request.stop.stop_possible()) {
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_up);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &request.stop);
  }
  if (request.method == HttpRequest::Method::kPost) {
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }

  const auto code = curl_easy_perform(curl);
  if (answer.too_long) return tl::unexpected(HttpFailure{"the answer has more than " + std::to_string(answer.largest) + " bytes"});
  if (code != CURLE_OK) return tl::unexpected(HttpFailure{why[0] == '\0' ? curl_easy_strerror(code) : why, is_unreachable(code)});
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return HttpResponse{static_cast<int>(status), std::move(answer.body)};
}

}  // namespace muster
