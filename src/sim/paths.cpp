#include "sim/paths.h"

#include <vector>

#include "base/split.h"

namespace muster::sim {
namespace {

ApiError nothing_here() {
  ApiError out;
  out.code = 404;
  out.reason = "NotFound";
  out.message = "the server could not find the requested resource";
  return out;
}

}  // namespace

Answered<ResourcePath> parse_resource_path(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with('/')) return refuse(nothing_here());
  auto parts = split(path.substr(1), '/');
  for (const auto part : parts)
    if (part.empty()) return refuse(nothing_here());
  const bool is_core = parts[0] == "api";
  const std::size_t head = is_core ? 2 : 3;
  if ((!is_core && parts[0] != "apis") || parts.size() <= head) return refuse(nothing_here());
  const auto group = is_core ? std::string_view() : parts[1];
  const auto version = parts[head - 1];
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(head));

  ResourcePath out;
  // …/namespaces/a and …/namespaces/a/status are about the namespace itself.
  const bool about_namespace = is_core && parts[0] == "namespaces" &&
                               (parts.size() < 3 || (parts.size() == 3 && (parts[2] == "status" || parts[2] == "finalize")));
  if (parts[0] == "namespaces" && parts.size() >= 3 && !about_namespace) {
    out.ns = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  out.is_bindings = is_core && parts[0] == "bindings" && parts.size() == 1;
  out.kind = find_kind(group, version, out.is_bindings ? "pods" : parts[0]);
  if (out.kind == nullptr || parts.size() > 3) return refuse(nothing_here());
  if (!out.ns.empty() && !out.kind->namespaced) return refuse(nothing_here());
  if (parts.size() > 1) out.name = parts[1];
  if (parts.size() > 2) out.subresource = parts[2];
  if (!out.name.empty() && out.kind->namespaced && out.ns.empty()) return refuse(nothing_here());
  return out;
}

}  // namespace muster::sim
