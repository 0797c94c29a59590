#include "daemon/volcano_claims.h"

#include <algorithm>

namespace muster::daemon {
namespace {

// As the first listing of the plugin says it: what waits for volumes was made once for the process in the original.
kube::Duration longest_wait(const volcano::Config& config) {
  constexpr std::int64_t kDefault = 600;  // seconds
  for (const auto& tier : config.tiers)
    for (const auto& plugin : tier.plugins) {
      if (plugin.name != "predicates") continue;
      const auto* value = plugin.arguments.find("volumebinding.bindTimeoutSeconds");
      const auto seconds = value == nullptr ? kDefault : volcano::decoded_int(*value).value_or(kDefault);
      return std::chrono::seconds(std::min<std::int64_t>(seconds, 1'000'000'000));
    }
  return std::chrono::seconds(kDefault);
}

}  // namespace

std::shared_ptr<const ClaimWork> volcano_claim_work(const volcano::Session& session, PodId pod, NodeId node, ShareNames& shares) {
  const auto& cluster = session.cluster();
  const auto& devices = cluster.devices();
  const auto& volume_claims = session.books().shape_of(pod).claims;
  if (volume_claims.empty() && !devices.has_claims(pod)) return nullptr;
  ClaimWork work;
  work.longest_wait = longest_wait(session.config());
  add_volumes(cluster.volumes(), volume_claims, session.books().node(node).name, work);
  for (const auto& claim : devices.claims_of(pod)) {
    if (!claim.is_resolved()) continue;
    const auto* entry = devices.claim(claim.key);
    add_devices(devices, claim.key, entry == nullptr ? std::nullopt : entry->claim.allocation, shares, work);
  }
  return work.empty() ? nullptr : std::make_shared<const ClaimWork>(std::move(work));
}

}  // namespace muster::daemon
