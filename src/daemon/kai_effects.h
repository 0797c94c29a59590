#pragma once

#include <vector>

#include "app/refused_binds.h"
#include "daemon/kai_group_writes.h"
#include "daemon/kai_news.h"
#include "daemon/live_cluster.h"
#include "daemon/share_names.h"
#include "policy/kai/session.h"

namespace muster::daemon {

// Who binds: KAI's binder, by BindRequests, or the scheduler itself.
enum class KaiBinder { kRequests, kDirect };

struct KaiWriting {
  KaiBinder binder = KaiBinder::kRequests;
  bool announce_evictions = false;  // --update-pod-eviction-condition
};

// What is known of what was written before.
struct KaiWritten {
  KaiGroupWrites groups;
  KaiNews news;  // of pods and PodGroups: why they are not scheduled
  ShareNames shares = ShareNames({});
};

// What a closed session of KAI's dialect wants done, as requests to the API server. Binds that would need more than can be written
// are added to `failed` instead. Pods that are held look gated to the session, and are told of as what they are.
Effects kai_effects(kai::Session& session, const KaiWriting& how, const RefusedBinds& held, KaiWritten& written,
                    std::vector<FailedBind>& failed);

// A pod that has a node is known by its pool, as its node is. Nothing is written where it is already.
void label_with_pool(const kai::Cluster& cluster, const kube::Identity& pod, Effects& effects);

// What is to be told of a bind that was refused. Who binds by itself also has the events of KAI's binder, and so of one that
// succeeded; not its condition PodBound, which would be another write for each pod.
void tell_failed_bind(const Bind& bind, const std::string& why, KaiBinder binder, const Timestamp& now, Effects& effects);
void tell_bound(const Bind& bind, Effects& effects);

}  // namespace muster::daemon
