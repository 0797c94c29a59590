#include "sim/discovery.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/split.h"
#include "sim/kinds.h"

namespace muster::sim {
namespace {

constexpr std::string_view kVersion =
    R"({"major":"1","minor":"36","gitVersion":"v1.36.0-muster","gitCommit":"",)"
    R"("gitTreeState":"clean","buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"","platform":"linux/amd64"})";

// Groups and, in each, versions in the order of the table; the first version of a group is the preferred one.
struct ServedGroup {
  std::string_view name;
  std::vector<std::string_view> versions;
};

std::vector<ServedGroup> groups() {
  std::vector<ServedGroup> out;
  for (const auto& kind : kinds()) {
    if (out.empty() || out.back().name != kind.group) out.push_back({kind.group, {}});
    auto& versions = out.back().versions;
    if (std::find(versions.begin(), versions.end(), kind.version) == versions.end()) versions.push_back(kind.version);
  }
  return out;
}

Tree verbs_of(std::initializer_list<std::string_view> names) {
  Tree out = Tree::list();
  for (const auto name : names) out.push_back(Tree(name));
  return out;
}

// In the orders of a real server.
Tree all_verbs(const Kind& kind) {
  return kind.is_custom ? verbs_of({"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"})
                        : verbs_of({"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"});
}

Tree words(std::string_view text) {
  Tree out = Tree::list();
  if (!text.empty())
    for (const auto word : split(text, ' ')) out.push_back(Tree(word));
  return out;
}

struct Subresource {
  std::string_view name;
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  Tree verbs;
};

std::vector<Subresource> subresources_of(const Kind& kind) {
  std::vector<Subresource> out;
  if (kind.subresources.status)
    out.push_back({"status", kind.group, kind.version, kind.kind, verbs_of({"get", "patch", "update"})});
  if (kind.subresources.scale) out.push_back({"scale", "autoscaling", "v1", "Scale", verbs_of({"get", "patch", "update"})});
  if (kind.subresources.binding) {
    out.push_back({"binding", "", "v1", "Binding", verbs_of({"create"})});
    out.push_back({"eviction", "policy", "v1", "Eviction", verbs_of({"create"})});
  }
  return out;
}

Tree group_version(std::string_view group, std::string_view version) {
  Tree out = Tree::map();
  out["groupVersion"] = Tree(group.empty() ? std::string(version) : fmt::format("{}/{}", group, version));
  out["version"] = Tree(version);
  return out;
}

Tree group_tree(const ServedGroup& group) {
  Tree out = Tree::map();
  out["name"] = Tree(group.name);
  for (const auto version : group.versions) out["versions"].push_back(group_version(group.name, version));
  out["preferredVersion"] = group_version(group.name, group.versions.front());
  return out;
}

std::string resource_list(std::string_view group, std::string_view version) {
  Tree out = Tree::map();
  out["kind"] = Tree("APIResourceList");
  out["apiVersion"] = Tree("v1");
  out["groupVersion"] = group_version(group, version)["groupVersion"];
  out["resources"] = Tree::list();
  for (const auto& kind : kinds()) {
    if (kind.group != group || kind.version != version) continue;
    Tree one = Tree::map();
    one["name"] = Tree(kind.plural);
    one["singularName"] = Tree(kind.singular);
    one["namespaced"] = Tree(kind.namespaced);
    one["kind"] = Tree(kind.kind);
    one["verbs"] = all_verbs(kind);
    if (!kind.short_names.empty()) one["shortNames"] = words(kind.short_names);
    if (!kind.categories.empty()) one["categories"] = words(kind.categories);
    out["resources"].push_back(std::move(one));
    for (auto& sub : subresources_of(kind)) {
      Tree below = Tree::map();
      below["name"] = Tree(fmt::format("{}/{}", kind.plural, sub.name));
      below["singularName"] = Tree("");
      below["namespaced"] = Tree(kind.namespaced);
      if (sub.group != kind.group || sub.version != kind.version) {
        below["group"] = Tree(sub.group);
        below["version"] = Tree(sub.version);
      }
      below["kind"] = Tree(sub.kind);
      below["verbs"] = std::move(sub.verbs);
      out["resources"].push_back(std::move(below));
    }
  }
  return out.text();
}

Tree response_kind(std::string_view group, std::string_view version, std::string_view kind) {
  Tree out = Tree::map();
  out["group"] = Tree(group);
  out["version"] = Tree(version);
  out["kind"] = Tree(kind);
  return out;
}

Tree aggregated_kind(const Kind& kind) {
  Tree out = Tree::map();
  out["resource"] = Tree(kind.plural);
  out["responseKind"] = response_kind(kind.group, kind.version, kind.kind);
  out["scope"] = Tree(kind.namespaced ? "Namespaced" : "Cluster");
  out["singularResource"] = Tree(kind.singular);
  out["verbs"] = all_verbs(kind);
  if (!kind.short_names.empty()) out["shortNames"] = words(kind.short_names);
  if (!kind.categories.empty()) out["categories"] = words(kind.categories);
  for (auto& sub : subresources_of(kind)) {
    Tree below = Tree::map();
    below["subresource"] = Tree(sub.name);
    below["responseKind"] = response_kind(sub.group, sub.version, sub.kind);
    below["verbs"] = std::move(sub.verbs);
    out["subresources"].push_back(std::move(below));
  }
  return out;
}

std::string aggregated(bool core) {
  Tree out = Tree::map();
  out["kind"] = Tree("APIGroupDiscoveryList");
  out["apiVersion"] = Tree("apidiscovery.k8s.io/v2");
  out["metadata"] = Tree::map();
  out["items"] = Tree::list();
  for (const auto& group : groups()) {
    if (group.name.empty() != core) continue;
    Tree one = Tree::map();
    one["metadata"]["name"] = Tree(group.name);
    for (const auto version : group.versions) {
      Tree served = Tree::map();
      served["version"] = Tree(version);
      served["freshness"] = Tree("Current");
      for (const auto& kind : kinds())
        if (kind.group == group.name && kind.version == version) served["resources"].push_back(aggregated_kind(kind));
      one["versions"].push_back(std::move(served));
    }
    out["items"].push_back(std::move(one));
  }
  return out.text();
}

std::string group_list() {
  Tree out = Tree::map();
  out["kind"] = Tree("APIGroupList");
  out["apiVersion"] = Tree("v1");
  out["groups"] = Tree::list();
  for (const auto& group : groups())
    if (!group.name.empty()) out["groups"].push_back(group_tree(group));
  return out.text();
}

std::optional<std::string> one_group(std::string_view name) {
  for (const auto& group : groups()) {
    if (group.name != name || name.empty()) continue;
    auto out = group_tree(group);
    out["kind"] = Tree("APIGroup");
    out["apiVersion"] = Tree("v1");
    return out.text();
  }
  return std::nullopt;
}

bool is_served(std::string_view group, std::string_view version) {
  return std::any_of(kinds().begin(), kinds().end(),
                     [&](const Kind& kind) { return kind.group == group && kind.version == version; });
}

}  // namespace

std::optional<DiscoveryAnswer> discovery(std::string_view path, std::string_view accept) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/version") return DiscoveryAnswer{std::string(kVersion)};
  const bool is_root = path == "/api" || path == "/apis";
  if (is_root && accept.find("g=apidiscovery.k8s.io") != std::string_view::npos && accept.find("v=v2;") != std::string_view::npos)
    return DiscoveryAnswer{aggregated(path == "/api"), "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"};
  if (path == "/api") return DiscoveryAnswer{R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]})"};
  if (path == "/apis") return DiscoveryAnswer{group_list()};
  if (path == "/api/v1") return DiscoveryAnswer{resource_list("", "v1")};
  const auto parts = split(path.substr(1), '/');
  if (parts[0] != "apis") return std::nullopt;
  if (parts.size() == 2)
    if (auto group = one_group(parts[1])) return DiscoveryAnswer{std::move(*group)};
  if (parts.size() == 3 && is_served(parts[1], parts[2])) return DiscoveryAnswer{resource_list(parts[1], parts[2])};
  return std::nullopt;
}

}  // namespace muster::sim
