#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace muster::cli {

// Who cannot read the kubeconfig cannot use an embedded cluster, whatever else runs on this machine: so its token is new each time,
// and the file is its owner's alone.
std::string new_cluster_token();
// What is in the place of the kubeconfig and would be missed: a file that is none of an embedded cluster, or that of one that still
// answers. Empty: nothing.
std::string what_is_overwritten(const std::filesystem::path& path);
// Whether who listens at an address such as "0.0.0.0:0" can be reached from other machines.
bool is_reachable_from_elsewhere(const std::string& listen);
Result<void> write_kubeconfig(const std::filesystem::path& path, const std::string& text);

}  // namespace muster::cli
