// What of a request is ours to read: its target, its query, the route and the token; and what of an answer must not become more
// than one answer. The first line of the input is a target, the second a header value, the rest a text to be shown.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/percent_encoding.h"
#include "base/split.h"
#include "server/address.h"
#include "server/service.h"
#include "server/target.h"
#include "server/wire.h"

namespace muster::server {
namespace {

std::string_view line_of(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void check_target(const Target& target) {
  MUSTER_ASSERT(target.path.starts_with('/') && std::none_of(target.path.begin(), target.path.end(), is_control));
  for (const auto segment : split(target.path, '/')) MUSTER_ASSERT(segment != "." && segment != "..");

  // Written down again it is the same target.
  auto text = percent_encoded(target.path, "/") + "?";
  for (const auto& [name, value] : target.query) text += percent_encoded(name) + "=" + percent_encoded(value) + "&";
  const auto again = parse_target(text);
  MUSTER_ASSERT(again && again->path == target.path && again->query == target.query);
}

Router routes() {
  const auto rest = [](const Request& request) {
    MUSTER_ASSERT(request.path.ends_with(request.rest));
    return Response{.body = request.rest};
  };
  Router out;
  out.on(Method::kGet, "/metrics", rest).on(Method::kGet, "/healthz", rest, Access::kOpen).on(Method::kPost, "/api/jobs", rest);
  out.on(Method::kGet, "/api/v1/state", rest, Access::kPrivate).on_prefix(Method::kGet, "/api/v1/jobs/", rest, Access::kPrivate);
  out.on_prefix(Method::kGet, "/api/", rest).on_prefix(Method::kGet, "/", rest).on_prefix(Method::kPut, "/api/jobs/", rest);
  return out;
}

void check_head(const Response& response) {
  const auto text = head_text(response, Framing::kLength, response.body.size(), true, 0);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) ++lines;
  const bool named = response.headers.find("Allow").has_value() || response.headers.find("WWW-Authenticate").has_value();
  MUSTER_ASSERT(text.ends_with("\r\n\r\n") && lines == (named ? 8U : 7U));
}

void check_service(const Service& service, std::string_view target, std::string_view header, unsigned method) {
  Request request;
  request.method = static_cast<Method>(method % (static_cast<unsigned>(Method::kOther) + 1));
  request.headers.add("Authorization", std::string(header));
  const auto answer = service.answer(request, target);
  const auto& response = std::get<Response>(answer);
  check_head(response);
  if (response.status == 200) return;
  MUSTER_ASSERT(response.body.starts_with("{\"error\": \"") && response.body.ends_with("\"}\n"));
  MUSTER_ASSERT(std::none_of(response.body.begin(), response.body.end() - 1, is_control));
}

// However odd the data, it stays one event.
void check_event(std::string_view type, std::string_view data) {
  const auto text = event_text(type, data);
  MUSTER_ASSERT(text.ends_with("\n\n") && text.find("\n\n") == text.size() - 2 && text.find('\r') == std::string::npos);
}

}  // namespace
}  // namespace muster::server

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::server;
  static const Service open(routes(), {}, {});
  static const Service guarded(routes(), {.bearer_token = "token"}, {});

  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto target = line_of(text);
  const auto header = line_of(text);
  if (const auto parsed = parse_target(target)) check_target(*parsed);
  check_service(open, target, header, size == 0 ? 0 : bytes[size - 1]);
  check_service(guarded, target, header, size == 0 ? 0 : bytes[size - 1]);
  check_head({.content_type = std::string(header), .body = {}, .headers = {{"Allow", std::string(text)}}});
  check_event(header, text);
  static_cast<void>(parse_listen_address(header));
  return 0;
}
