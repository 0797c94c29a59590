#pragma once

#include <memory>

#include "daemon/claim_work.h"
#include "policy/volcano/session.h"

namespace muster::daemon {

// What the claims of a pod need when it is bound to a node that a closed session has chosen; nullptr: nothing.
std::shared_ptr<const ClaimWork> volcano_claim_work(const volcano::Session& session, PodId pod, NodeId node, ShareNames& shares);

}  // namespace muster::daemon
