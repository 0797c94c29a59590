#pragma once

#include <string>
#include <vector>

#include "model/selector.h"
#include "policy/volcano/config.h"

namespace muster::volcano {

// What a configuration says about shared devices. The original keeps these as switches of the process and looks at them when a node
// arrives; so a cluster is told of them before its objects come.
struct DeviceSettings {
  bool gpu_share = false;   // cards by memory
  bool gpu_number = false;  // whole cards by number
  bool vgpu = false;
  bool mindcluster_npu = false;
  bool hami_npu = false;
  bool node_lock = false;
  std::string policy;                      // which cards first: "binpack", "spread" or none
  std::vector<StringMap> exclusive_rules;  // labels; pods of the same rule never share a card
  std::string config_name = "volcano-vgpu-device-config";
  std::string config_namespace = "kube-system";
  // MindCluster's chips are described cluster-wide, not by one ConfigMap for each node; which are free is worked out here.
  bool cluster_info = true;
  bool own_chip_list = true;

  bool operator==(const DeviceSettings&) const = default;
  bool any() const { return gpu_share || gpu_number || vgpu || mindcluster_npu || hami_npu; }
};

DeviceSettings device_settings(const Config& config);

}  // namespace muster::volcano
