#include "engine/devices/pod_claims.h"

namespace muster {

std::vector<PodClaim> device_claims_of(const Pod& pod) {
  std::vector<PodClaim> claims;
  for (const auto& claim : pod.spec.resource_claims) {
    using Source = PodClaim::Source;
    const bool named = !claim.claim.empty();
    const auto source = named                    ? Source::kNamed
                        : claim.templ.empty()    ? Source::kUnknown
                        : !claim.settled         ? Source::kNotGenerated
                        : claim.resolved.empty() ? Source::kNotNeeded
                                                 : Source::kGenerated;
    claims.push_back({claim.name, pod.meta.ns + "/" + (named ? claim.claim : claim.resolved), source});
  }
  return claims;
}

}  // namespace muster
