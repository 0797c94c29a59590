#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "policy/volcano/config.h"
#include "policy/volcano/scheduler.h"

namespace muster {

// A Volcano configuration from its text; an empty text is the built-in default.
Result<volcano::ConfigReading> read_volcano_config(const std::string& text, const std::string& file, Strictness strictness,
                                                   const ExtensionSet& extensions = {});

// The options that command-line flags of the original stand for. Flags that do not change decisions are accepted and have no
// effect.
Result<volcano::ClusterOptions> volcano_options(const std::map<std::string, std::string>& flags);

// Hands the description of device geometries to the cluster, if this ConfigMap is it and the cluster shares devices.
Result<void> take_device_config(const ConfigMap& map, volcano::Cluster& cluster);

}  // namespace muster
