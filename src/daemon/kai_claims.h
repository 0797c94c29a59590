#pragma once

#include <memory>

#include "daemon/claim_work.h"
#include "policy/kai/session.h"

namespace muster::daemon {

// ---- for when the scheduler binds by itself

// KAI's binder chooses volumes when it binds, and so does whoever stands in for it: for all binds of a closed session, in their
// order, so that each gets its own.
void reserve_volumes(kai::Session& session);
void release_volumes(kai::Session& session);

// What the claims of a pod need when it is bound to a node; nullptr: nothing.
std::shared_ptr<const ClaimWork> kai_claim_work(const kai::Session& session, const kai::BindDetails& details,
                                                const std::string& node, ShareNames& shares);

}  // namespace muster::daemon
