#include "daemon/kai_claims.h"

#include "policy/kai/kube_rules.h"

namespace muster::daemon {
namespace {

constexpr kube::Duration kBinderPatience = std::chrono::seconds(120);  // of KAI's binder

}  // namespace

void reserve_volumes(kai::Session& session) {
  auto& volumes = session.cluster().kube_rules().volume_binding;
  for (const auto& decision : session.outbox())
    if (decision.kind == Decision::Kind::kBind) volumes.reserve(decision.pod, decision.node);
}

void release_volumes(kai::Session& session) {
  auto& volumes = session.cluster().kube_rules().volume_binding;
  for (const auto& decision : session.outbox())
    if (decision.kind == Decision::Kind::kBind) volumes.release(decision.pod);
}

std::shared_ptr<const ClaimWork> kai_claim_work(const kai::Session& session, const kai::BindDetails& details,
                                                const std::string& node, ShareNames& shares) {
  const auto& cluster = session.cluster();
  const auto& volume_claims = session.books().shape_of(details.pod).claims;
  if (volume_claims.empty() && !details.devices) return nullptr;
  ClaimWork work;
  work.longest_wait = kBinderPatience;
  add_volumes(cluster.volumes(), volume_claims, node, work);
  if (details.devices)
    for (const auto& claim : details.devices->claims) add_devices(cluster.devices(), claim.key, claim.allocation, shares, work);
  return work.empty() ? nullptr : std::make_shared<const ClaimWork>(std::move(work));
}

}  // namespace muster::daemon
