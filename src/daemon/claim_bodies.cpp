#include "daemon/claim_bodies.h"

#include "codec/json_writer.h"

namespace muster::daemon {
namespace {

constexpr const char* kDeleteProtection = "resource.kubernetes.io/delete-protection";
constexpr const char* kBoundByController = "pv.kubernetes.io/bound-by-controller";

JsonWriter& begin_meta(JsonWriter& json, const ObjectMeta& meta) {
  return json.begin_object().key("metadata").begin_object().member("uid", meta.uid);
}

}  // namespace

kube::ObjectPath path_of(const PersistentVolume& volume) {
  return {.api_version = "v1", .plural = "persistentvolumes", .ns = {}, .name = volume.meta.name};
}

kube::ObjectPath path_of(const PersistentVolumeClaim& claim) {
  return {.api_version = "v1", .plural = "persistentvolumeclaims", .ns = claim.meta.ns, .name = claim.meta.name};
}

kube::ObjectPath path_of(const ResourceClaim& claim) {
  return {.api_version = kDeviceApi, .plural = "resourceclaims", .ns = claim.meta.ns, .name = claim.meta.name};
}

kube::ObjectPath status_path_of(const ResourceClaim& claim) {
  auto path = path_of(claim);
  path.subresource = "status";
  return path;
}

// A volume that names the claim already was set aside for it by hand, and stays so when the claim goes.
std::string volume_body(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  std::string body;
  JsonWriter json(body);
  begin_meta(json, volume.meta).member("resourceVersion", volume.meta.resource_version);
  if (volume.claim_name.empty()) json.key("annotations").begin_object().member(kBoundByController, "yes").end_object();
  json.end_object().key("spec").begin_object().key("claimRef").begin_object();
  json.member("apiVersion", "v1").member("kind", "PersistentVolumeClaim");
  json.member("namespace", claim.meta.ns).member("name", claim.meta.name).member("uid", claim.meta.uid);
  json.member("resourceVersion", claim.meta.resource_version).end_object().end_object().end_object();
  return body;
}

std::string selected_node_body(const PersistentVolumeClaim& claim, const std::string& node) {
  std::string body;
  JsonWriter json(body);
  begin_meta(json, claim.meta).member("resourceVersion", claim.meta.resource_version);
  json.key("annotations").begin_object().member(kSelectedNode, node).end_object().end_object().end_object();
  return body;
}

std::string finalizer_body(const ResourceClaim& claim) {
  std::string body;
  JsonWriter json(body);
  begin_meta(json, claim.meta).key("finalizers").begin_array().value(kDeleteProtection).end_array().end_object().end_object();
  return body;
}

std::string reservation_body(const ResourceClaim& claim, const kube::Identity& pod, const std::string& allocation) {
  std::string body;
  JsonWriter json(body);
  begin_meta(json, claim.meta).end_object().key("status").begin_object();
  if (!allocation.empty()) json.key("allocation").raw(allocation);
  json.key("reservedFor").begin_array().begin_object();
  json.member("resource", "pods").member("name", pod.name).member("uid", pod.uid);
  json.end_object().end_array().end_object().end_object();
  return body;
}

std::string unreserve_body(const ResourceClaim& claim, const kube::Identity& pod, Allocation allocation) {
  std::string body;
  JsonWriter json(body);
  begin_meta(json, claim.meta).end_object().key("status").begin_object();
  if (allocation == Allocation::kGoes) json.key("allocation").null();
  json.key("reservedFor").begin_array().begin_object().member("$patch", "delete").member("uid", pod.uid);
  json.end_object().end_array().end_object().end_object();
  return body;
}

}  // namespace muster::daemon
