#pragma once

#include <string>

#include "daemon/effects.h"
#include "daemon/share_names.h"
#include "policy/kai/session.h"

namespace muster::daemon {

inline constexpr const char* kKaiBindRequests = "scheduling.run.ai/v1alpha2";

kube::ObjectPath kai_bind_request_path(const std::string& ns, const std::string& name);

// "namespace/name" of a pod's PodGroup; empty: it has none.
std::string kai_group_of(const kai::Cluster& cluster, PodId pod);

// The BindRequest by which KAI's binder is told of a bind: named like its pod, and gone with it.
Create kai_bind_request(const kai::Session& session, const kai::BindDetails& details, const kube::Identity& pod,
                        const std::string& node, ShareNames& shares);

// What the binder notes on a pod that it binds, for when the scheduler binds it itself.
std::map<std::string, std::string> kai_bind_annotations(const kai::BindDetails& details);

}  // namespace muster::daemon
