#include "sim/api_answers.h"

#include <fmt/format.h>

namespace muster::sim {

server::Response error_answer(const ApiError& error) {
  auto out = server::json_response(error.status().text(), error.code);
  if (error.retry_after) out.headers.add("Retry-After", std::to_string(*error.retry_after));
  return out;
}

ApiError wrong_method(const server::Request& request, const ResourcePath& path) {
  return not_allowed(fmt::format("the server does not allow this method on the requested resource ({} {}{}{})",
                                 server::text_of(request.method), path.kind->plural, path.subresource.empty() ? "" : "/",
                                 path.subresource));
}

}  // namespace muster::sim
