#pragma once

#include <memory>
#include <string>

#include "daemon/log.h"
#include "kube/access.h"
#include "kube/clock.h"
#include "kube/credentials.h"

namespace muster::daemon {

// As whom, and where, the API server is reached; the log says so.
Result<std::unique_ptr<kube::Credentials>> open_credentials(const kube::AccessOptions& options, const kube::Clock& clock, Log& log);

}  // namespace muster::daemon
