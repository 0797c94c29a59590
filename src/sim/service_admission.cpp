#include "sim/service_admission.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::sim {
namespace {

constexpr std::int64_t kClientIpSeconds = 10800;
constexpr std::string_view kHeadless = "None";

bool is_unset(const Tree& value) {
  const auto* text = value.as_string();
  return value.is_null() || (text != nullptr && text->empty());
}

void set_if_unset(Tree& map, std::string_view field, Tree value) {
  if (auto& own = map[field]; is_unset(own)) own = std::move(value);
}

bool has_items(const Tree& map, std::string_view field) {
  const auto* found = map.find(field);
  return found != nullptr && found->is_list() && !found->as_list()->empty();
}

void default_ports(Tree& spec) {
  auto* ports = spec.find("ports");
  if (ports == nullptr || !ports->is_list()) return;
  for (auto& port : *ports->as_list()) {
    if (!port.is_map()) continue;
    set_if_unset(port, "protocol", Tree("TCP"));
    const auto number = port.integer_at("port");
    if (!number) continue;
    if (auto& target = port["targetPort"]; is_unset(target) || target.as_integer() == 0) target = Tree(*number);
  }
}

void default_affinity(Tree& spec) {
  set_if_unset(spec, "sessionAffinity", Tree("None"));
  const std::string affinity(spec.text_at("sessionAffinity"));
  if (affinity == "None") spec.erase("sessionAffinityConfig");
  if (affinity == "ClientIP" && !spec.integer_at("sessionAffinityConfig.clientIP.timeoutSeconds"))
    spec.make("sessionAffinityConfig.clientIP.timeoutSeconds") = Tree(kClientIpSeconds);
}

// Its address stands in two fields, of which the list is the newer one.
void repeat_address(Tree& spec) {
  const std::string address(spec.text_at("clusterIP"));
  if (address.empty()) {
    if (has_items(spec, "clusterIPs")) spec["clusterIP"] = spec.find("clusterIPs")->as_list()->front();
    return;
  }
  if (has_items(spec, "clusterIPs") && spec.find("clusterIPs")->as_list()->front().scalar_text() == address) return;
  spec["clusterIPs"] = Tree(Tree::List{Tree(address)});
}

void default_families(Tree& spec) {
  const std::string address(spec.text_at("clusterIP"));
  const auto* selector = spec.find("selector");
  const bool selects = selector != nullptr && selector->is_map() && !selector->as_map()->empty();
  // Who names the addresses behind it himself may name those of both families.
  const bool of_both = address == kHeadless && !selects;
  set_if_unset(spec, "ipFamilyPolicy", Tree(of_both ? "RequireDualStack" : "SingleStack"));
  if (has_items(spec, "ipFamilies")) return;
  spec["ipFamilies"] = Tree(Tree::List{Tree(address.find(':') == std::string::npos ? "IPv4" : "IPv6")});
  if (of_both && spec.text_at("ipFamilyPolicy") != "SingleStack") spec["ipFamilies"].push_back(Tree("IPv6"));
}

}  // namespace

void default_service(Tree& service) {
  auto& spec = service["spec"];
  set_if_unset(spec, "type", Tree("ClusterIP"));
  default_ports(spec);
  default_affinity(spec);
  const std::string type(spec.text_at("type"));
  if (type == "LoadBalancer" || type == "NodePort" || has_items(spec, "externalIPs"))
    set_if_unset(spec, "externalTrafficPolicy", Tree("Cluster"));
  if (type == "LoadBalancer") set_if_unset(spec, "allocateLoadBalancerNodePorts", Tree(true));
  if (type == "ExternalName") return;
  set_if_unset(spec, "internalTrafficPolicy", Tree("Cluster"));
  repeat_address(spec);
  default_families(spec);
}

}  // namespace muster::sim
