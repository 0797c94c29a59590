#include "daemon/server_access.h"

#include <utility>

namespace muster::daemon {

Result<std::unique_ptr<kube::Credentials>> open_credentials(const kube::AccessOptions& options, const kube::Clock& clock,
                                                            Log& log) {
  auto access = kube::find_access(options, kube::process_environment());
  if (!access) return fail(std::move(access.error()));
  log.info("connecting", {{"server", access->server}, {"as", access->origin}});
  return kube::Credentials::open(std::move(*access), clock, [&log](const std::string& problem) { log.warn(problem); });
}

}  // namespace muster::daemon
