#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/access.h"
#include "model/time.h"

namespace muster::kube {

// What a credential plugin answered: a token, a certificate with its key, or both.
struct ExecCredential {
  std::string token;
  std::string certificate;
  std::string key;
  std::optional<Timestamp> expires;
};

// Reads an ExecCredential of the asked version.
Result<ExecCredential> read_exec_credential(std::string_view text, const std::string& api_version);

// Runs the plugin of an access. Blocks, at most for `longest`.
Result<ExecCredential> run_exec_plugin(const Access& access, Duration longest);

}  // namespace muster::kube
