#pragma once

#include <string>

#include "kube/object_decoder.h"
#include "kube/resource_kinds.h"
#include "model/objects.h"

namespace muster::daemon {

// What is written on claims and volumes for a pod that is to be bound, as Kubernetes' own scheduler writes it. Volumes and volume
// claims are only changed as they were seen: somebody else's change since makes the server refuse. Claims of devices are changed
// by merging, and the server itself refuses to give devices twice.

inline constexpr const char* kDeviceApi = "resource.k8s.io/v1";
inline constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";

kube::ObjectPath path_of(const PersistentVolume& volume);
kube::ObjectPath path_of(const PersistentVolumeClaim& claim);
kube::ObjectPath path_of(const ResourceClaim& claim);
kube::ObjectPath status_path_of(const ResourceClaim& claim);

// The volume is to be the claim's. (merge)
std::string volume_body(const PersistentVolume& volume, const PersistentVolumeClaim& claim);
// A volume is to be made for the claim where the node can reach it. (merge)
std::string selected_node_body(const PersistentVolumeClaim& claim, const std::string& node);

// The claim stays until its devices are given back. (strategic)
std::string finalizer_body(const ResourceClaim& claim);
// The pod may use the claim; with an allocation, in JSON: the claim gets these devices. (strategic, of the status)
std::string reservation_body(const ResourceClaim& claim, const kube::Identity& pod, const std::string& allocation);
// The pod may no longer use the claim. (strategic, of the status)
enum class Allocation { kStays, kGoes };
std::string unreserve_body(const ResourceClaim& claim, const kube::Identity& pod, Allocation allocation);

}  // namespace muster::daemon
