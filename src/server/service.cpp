#include "server/service.h"

#include <algorithm>
#include <exception>

#include "base/assert.h"
#include "server/host.h"
#include "server/target.h"

namespace muster::server {
namespace {

// Takes as long for a wrong token as for a right one, so that nobody finds it out byte by byte.
bool equal_secrets(std::string_view a, std::string_view b) {
  unsigned differences = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    differences |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]));
  return differences == 0;
}

Response unauthorized() {
  auto out = error_response(401, "needs a bearer token");
  out.headers.add("WWW-Authenticate", "Bearer");
  return out;
}

Response not_from_here(const Request& request) {
  if (!request.from_loopback)
    return error_response(403, request.path + " is for clients on the same machine alone, because there is no token");
  const auto name = std::string(request.headers.find("Host").value_or(""));
  return error_response(403, request.path + " is not told under the name \"" + name + "\": ask for localhost, or allow the name");
}

}  // namespace

void Service::log(std::string_view text) const {
  try {
    if (log_) log_(text);
  } catch (...) {
    expectation_failed("the log did not throw", __FILE__, __LINE__);  // there is nobody else left to tell
  }
}

bool Service::is_from_here(const Request& request) const {
  if (!request.from_loopback) return false;
  const auto name = host_name(request.headers.find("Host").value_or(""));
  if (name.empty()) return false;
  return is_loopback_name(name) || std::any_of(guard_.names.begin(), guard_.names.end(),
                                               [&](const auto& allowed) { return equal_ignoring_case(allowed, name); });
}

bool Service::admits(const Request& request) const {
  if (guard_.bearer_token.empty() || (guard_.trusts_loopback && is_from_here(request))) return true;
  const auto authorization = request.headers.find("Authorization").value_or("");
  constexpr std::string_view kScheme = "Bearer ";
  return equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme) &&
         equal_secrets(authorization.substr(kScheme.size()), guard_.bearer_token);
}

Answer Service::routed(Request& request) const {
  auto found = router_.find(request);
  if (auto* refusal = std::get_if<Response>(&found)) return admits(request) ? std::move(*refusal) : unauthorized();
  const auto& route = *std::get<const Router::Route*>(found);
  if (route.access == Access::kPrivate && guard_.bearer_token.empty() && !is_from_here(request)) return not_from_here(request);
  if (route.access != Access::kOpen && !admits(request)) return unauthorized();
  auto answer = route.handler(request);
  const auto* stream = std::get_if<std::shared_ptr<Stream>>(&answer);
  const auto* deferred = std::get_if<std::shared_ptr<Deferred>>(&answer);
  if ((stream != nullptr && !*stream) || (deferred != nullptr && !*deferred))
    return error_response(500, "the handler gave no answer");
  return answer;
}

Answer Service::answer(Request request, std::string_view target) const {
  auto parsed = parse_target(target);
  if (!parsed) return error_response(400, parsed.error().message);
  request.path = std::move(parsed->path);
  request.query = std::move(parsed->query);
  try {
    return routed(request);
  } catch (const std::exception& error) {
    log(std::string(text_of(request.method)) + " " + request.path + ": " + error.what());
  } catch (...) {
    log(std::string(text_of(request.method)) + " " + request.path + ": the handler failed");
  }
  return error_response(500, "internal error");  // what it was is for the log, not for the client
}

}  // namespace muster::server
