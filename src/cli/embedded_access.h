#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace muster::cli {

// Who cannot read the kubeconfig cannot use an embedded cluster, whatever else runs on this machine: so its token is new each time,
// and the file is its owner's alone.
std::string new_cluster_token();
Result<void> write_kubeconfig(const std::filesystem::path& path, const std::string& text);

}  // namespace muster::cli
