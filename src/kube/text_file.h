#pragma once

#include <string>

#include "base/result.h"

namespace muster::kube {

// The whole of a small file: a token, a certificate, a kubeconfig. More than a few megabytes are an error.
Result<std::string> read_text_file(const std::string& path);

// Without the white space around it.
std::string trimmed(std::string_view text);

}  // namespace muster::kube
