#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/access.h"
#include "model/value.h"

namespace muster::kube {

// One kubeconfig file as it is written; what is relative in it is relative to its folder.
struct KubeconfigFile {
  std::string name;
  Value root;
};

// Checks the form of a file: the lists, their names (each once), the types of what is read. Unknown fields are passed over, as
// kubectl does.
Result<KubeconfigFile> read_kubeconfig(std::string_view text, const std::string& file);

// The access that a context of the merged files gives. kubectl's rules: of a cluster, user or context that several files have, the
// first one counts as a whole, and so does the first current-context that is not empty.
Result<Access> access_of(std::span<const KubeconfigFile> files, const std::string& context);

}  // namespace muster::kube
