#pragma once

#include <memory>
#include <string>

#include "daemon/log.h"
#include "kube/access.h"
#include "kube/clock.h"
#include "kube/credentials.h"

namespace muster::daemon {

// As whom, and where, the API server is reached; the log says so. `server`, when it is not empty, is used instead of the address
// that the access names.
Result<std::unique_ptr<kube::Credentials>> open_credentials(const kube::AccessOptions& options, const std::string& server,
                                                            const kube::Clock& clock, Log& log);

}  // namespace muster::daemon
