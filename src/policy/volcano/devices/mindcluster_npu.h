#pragma once

#include "engine/books.h"
#include "policy/volcano/devices/mindcluster_info.h"
#include "policy/volcano/devices/node_devices.h"

namespace muster::volcano {

// Ascend chips under MindCluster, whole or cut by template. The books and the info must outlive the family and what it makes.
// `own_list`: which chips are free is worked out from the node's annotation and the pods on it, not taken from the info.
std::unique_ptr<DeviceFamily> make_mindcluster_npu(const Books& books, const MindClusterInfo& info, bool own_list);

}  // namespace muster::volcano
