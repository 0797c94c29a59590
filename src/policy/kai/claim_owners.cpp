#include "policy/kai/claim_owners.h"

#include <algorithm>

namespace muster::kai {
namespace {

// The pod whose claim it is; nullptr: nobody's.
const std::string* owner_of(const ResourceClaim& claim) {
  for (const auto& owner : claim.meta.owners)
    if (owner.kind == "Pod") return &owner.uid;
  for (const auto& consumer : claim.reserved_for)
    if (consumer.resource == "pods") return &consumer.uid;
  return nullptr;
}

}  // namespace

void ClaimOwners::build(const DeviceCatalog& catalog) {
  by_uid_.clear();
  for (const auto& [key, entry] : catalog.claims())
    if (const auto* uid = owner_of(entry.claim)) by_uid_[*uid].push_back(key);
}

std::vector<std::string> ClaimOwners::claims_of(std::string_view uid, const std::vector<PodClaim>& named,
                                                const DeviceCatalog& catalog) const {
  std::vector<std::string> keys;
  if (const auto found = by_uid_.find(std::string(uid)); found != by_uid_.end()) keys = found->second;
  for (const auto& claim : named)
    if (claim.source == PodClaim::Source::kNamed && catalog.claim(claim.key) != nullptr &&
        std::find(keys.begin(), keys.end(), claim.key) == keys.end())
      keys.push_back(claim.key);
  return keys;
}

}  // namespace muster::kai
