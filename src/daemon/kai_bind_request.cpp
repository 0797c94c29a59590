#include "daemon/kai_bind_request.h"

#include "codec/kinds.h"
#include "daemon/allocation_text.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kLongestLabel = 63;  // bytes of a label's value

void write_meta(JsonWriter& json, const kai::ClusterOptions& options, const kube::Identity& pod, const std::string& node) {
  json.key("metadata").begin_object().member("name", pod.name).member("namespace", pod.ns).key("labels").begin_object();
  if (node.size() <= kLongestLabel) json.member("selected-node", node);
  if (!options.node_pool.empty()) json.member(options.node_pool_key, options.node_pool);
  json.end_object().key("ownerReferences").begin_array().begin_object();
  json.member("apiVersion", "v1").member("kind", "Pod").member("name", pod.name).member("uid", pod.uid);
  json.end_object().end_array().end_object();
}

// Claims by their names within the pod.
void write_claims(JsonWriter& json, const DeviceCatalog& catalog, const kai::ClaimedDevices& devices, ShareNames& shares) {
  json.key("resourceClaimAllocations").begin_array();
  for (const auto& given : devices.claims) {
    const auto* entry = catalog.claim(given.key);
    if (entry == nullptr || !given.allocation) continue;
    json.begin_object().member("name", given.name);
    json.key("allocation").raw(allocation_text(catalog, entry->claim, *given.allocation, shares)).end_object();
  }
  json.end_array();
}

void write_spec(JsonWriter& json, const kai::Session& session, const kai::BindDetails& details, const kube::Identity& pod,
                const std::string& node, ShareNames& shares) {
  json.key("spec").begin_object().member("podName", pod.name).member("selectedNode", node);
  json.member("receivedResourceType", details.type()).key("receivedGPU").begin_object();
  json.member("count", details.gpu_count()).member("portion", details.gpu_portion()).end_object();
  if (details.gpu.shared()) {
    json.key("selectedGPUGroups").begin_array();
    for (const auto group : details.groups) json.value(session.books().symbols().text(group));
    json.end_array();
  }
  if (details.devices && !details.devices->claims.empty())
    write_claims(json, session.cluster().devices(), *details.devices, shares);
  if (!details.numa.empty()) {
    json.key("predictedNUMAZones");
    write_numa_zones(json, details.numa);
  }
  json.end_object();
}

}  // namespace

kube::ObjectPath kai_bind_request_path(const std::string& ns, const std::string& name) {
  return {.api_version = kKaiBindRequests, .plural = "bindrequests", .ns = ns, .name = name};
}

std::string kai_group_of(const kai::Cluster& cluster, PodId pod) {
  if (!cluster.books().pod(pod).group) return {};
  const auto& job = cluster.job_of(pod);
  return job.ns + "/" + job.name;
}

Create kai_bind_request(const kai::Session& session, const kai::BindDetails& details, const kube::Identity& pod,
                        const std::string& node, ShareNames& shares) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().member("apiVersion", kKaiBindRequests).member("kind", "BindRequest");
  write_meta(json, session.cluster().options(), pod, node);
  write_spec(json, session, details, pod, node, shares);
  json.end_object();
  return {kai_bind_request_path(pod.ns, {}), pod.name, std::move(body)};
}

std::map<std::string, std::string> kai_bind_annotations(const kai::BindDetails& details) {
  std::map<std::string, std::string> annotations = {{"received-resource-type", std::string(details.type())}};
  if (details.numa.empty()) return annotations;
  JsonWriter json(annotations["kai.scheduler/numa-placement-predicted"]);
  write_numa_zones(json, details.numa);
  return annotations;
}

}  // namespace muster::daemon
