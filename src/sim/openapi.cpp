#include <fmt/format.h>

#include "sim/discovery.h"
#include "sim/kinds.h"

namespace muster::sim {
namespace {

std::string root_path(const Kind& kind) { return (kind.group.empty() ? "api/" : "apis/") + kind.api_version(); }

Tree openapi_index() {
  Tree out = Tree::map();
  auto& paths = out["paths"];
  for (const auto& kind : kinds()) {
    const auto root = root_path(kind);
    paths[root]["serverRelativeURL"] = Tree("/openapi/v3/" + root);
  }
  return out;
}

Tree gvk_of(const Kind& kind) {
  Tree out = Tree::map();
  out["group"] = Tree(kind.group);
  out["kind"] = Tree(kind.kind);
  out["version"] = Tree(kind.version);
  return out;
}

// kubectl looks here for whether the server checks fields.
Tree checked_operation(const Kind& kind) {
  Tree out = Tree::map();
  Tree parameter = Tree::map();
  parameter["name"] = Tree("fieldValidation");
  parameter["in"] = Tree("query");
  parameter["schema"]["type"] = Tree("string");
  out["parameters"].push_back(std::move(parameter));
  out["responses"]["200"]["description"] = Tree("OK");
  out["x-kubernetes-group-version-kind"] = gvk_of(kind);
  return out;
}

Tree schema_of(const Kind& kind) {
  Tree out = Tree::map();
  out["type"] = Tree("object");
  out["description"] = Tree(fmt::format("{}: the embedded cluster keeps whatever fields it has.", kind.kind));
  for (const std::string_view field : {"apiVersion", "kind"}) out["properties"][field]["type"] = Tree("string");
  for (const std::string_view field : {"metadata", "spec", "status"}) {
    out["properties"][field]["type"] = Tree("object");
    out["properties"][field]["x-kubernetes-preserve-unknown-fields"] = Tree(true);
  }
  out["x-kubernetes-preserve-unknown-fields"] = Tree(true);
  out["x-kubernetes-group-version-kind"].push_back(gvk_of(kind));
  return out;
}

}  // namespace

std::optional<std::string> openapi(std::string_view path) {
  constexpr std::string_view kRoot = "/openapi/v3";
  if (!path.starts_with(kRoot)) return std::nullopt;
  path.remove_prefix(kRoot.size());
  while (path.starts_with('/')) path.remove_prefix(1);
  if (path.empty()) return openapi_index().text();
  Tree out = Tree::map();
  out["openapi"] = Tree("3.0.0");
  out["info"]["title"] = Tree("muster's embedded cluster");
  out["info"]["version"] = Tree("v1");
  bool any = false;
  for (const auto& kind : kinds()) {
    const auto root = root_path(kind);
    if (root != path) continue;
    any = true;
    const auto collection = fmt::format("/{}{}/{}", root, kind.namespaced ? "/namespaces/{namespace}" : "", kind.plural);
    out["paths"][collection]["post"] = checked_operation(kind);
    out["paths"][collection + "/{name}"]["patch"] = checked_operation(kind);
    out["paths"][collection + "/{name}"]["put"] = checked_operation(kind);
    out["components"]["schemas"][fmt::format("{}.{}.{}", kind.group.empty() ? "core" : kind.group, kind.version, kind.kind)] =
        schema_of(kind);
  }
  return any ? std::optional(out.text()) : std::nullopt;
}

// Kinds without a definition are not checked by kubectl, but by the server. The form is protobuf: what a field is and its length.
DiscoveryAnswer openapi_v2() {
  using namespace std::string_view_literals;
  constexpr auto kDocument =
      "\x0a\x03"
      "2.0"       // swagger
      "\x12\x1f"  // info
      "\x0a\x19"
      "muster's embedded cluster"  // title
      "\x12\x02"
      "v1"           // version
      "\x42\x00"sv;  // no paths
  return {std::string(kDocument), "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"};
}

}  // namespace muster::sim
