#include "server/router.h"

#include "base/assert.h"

namespace muster::server {
namespace {

Response not_allowed(const std::string& path, const std::string& allowed) {
  auto out = error_response(405, path + " is for " + allowed);
  out.headers.add("Allow", allowed);
  return out;
}

}  // namespace

Router& Router::on(Method method, std::string path, Handler handler, Access access) {
  MUSTER_ASSERT(path.starts_with('/'));
  const bool is_new = exact_[std::move(path)].emplace(method, Route{std::move(handler), access}).second;
  MUSTER_ASSERT(is_new);
  return *this;
}

Router& Router::on_prefix(Method method, std::string prefix, Handler handler, Access access) {
  MUSTER_ASSERT(prefix.starts_with('/') && prefix.ends_with('/'));
  const bool is_new = prefixes_[std::move(prefix)].emplace(method, Route{std::move(handler), access}).second;
  MUSTER_ASSERT(is_new);
  return *this;
}

std::pair<const Router::Methods*, std::size_t> Router::methods_of(std::string_view path) const {
  if (const auto exact = exact_.find(path); exact != exact_.end()) return {&exact->second, path.size()};
  for (const auto& [prefix, methods] : prefixes_)
    if (path.starts_with(prefix)) return {&methods, prefix.size()};
  return {nullptr, 0};
}

std::variant<const Router::Route*, Response> Router::find(Request& request) const {
  const auto [methods, length] = methods_of(request.path);
  if (methods == nullptr) return error_response(404, "there is nothing at " + request.path);
  auto route = methods->find(request.method);
  if (route == methods->end() && request.method == Method::kHead) route = methods->find(Method::kGet);
  if (route != methods->end()) {
    request.rest = request.path.substr(length);
    return &route->second;
  }
  std::string allowed;
  for (const auto& [method, unused] : *methods) {
    allowed.append(allowed.empty() ? "" : ", ").append(text_of(method));
    if (method == Method::kGet && !methods->contains(Method::kHead)) allowed += ", HEAD";
  }
  return not_allowed(request.path, allowed);
}

}  // namespace muster::server
