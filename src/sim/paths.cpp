#include "sim/paths.h"

#include <vector>

#include "base/split.h"
#include "sim/unserved.h"

namespace muster::sim {
Answered<ResourcePath> parse_resource_path(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with('/')) return refuse(not_served());
  auto parts = split(path.substr(1), '/');
  for (const auto part : parts)
    if (part.empty()) return refuse(not_served());
  const bool is_core = parts[0] == "api";
  const std::size_t head = is_core ? 2 : 3;
  if ((!is_core && parts[0] != "apis") || parts.size() <= head) return refuse(not_served());
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
  if (out.kind == nullptr)
    if (auto why = unserved_kind(group, parts[0])) return refuse(not_implemented(std::move(*why)));
  // Behind a proxy there are further paths.
  if (out.kind == nullptr || (parts.size() > 3 && parts[2] != "proxy")) return refuse(not_served());
  if (!out.ns.empty() && !out.kind->namespaced) return refuse(not_served());
  if (parts.size() > 1) out.name = parts[1];
  if (parts.size() > 2) out.subresource = parts[2];
  if (!out.name.empty() && out.kind->namespaced && out.ns.empty()) return refuse(not_served());
  return out;
}

}  // namespace muster::sim
