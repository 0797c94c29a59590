#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/devices/device_catalog.h"

namespace muster::kai {

// Which claims count as a pod's own: those that it names, those that it owns, and of those that no pod owns the ones that are
// reserved for it before all others.
class ClaimOwners {
 public:
  void build(const DeviceCatalog& catalog);

  // Without those that it only names.
  bool owns_any(std::string_view uid) const { return !by_uid_.empty() && by_uid_.contains(std::string(uid)); }
  bool empty() const { return by_uid_.empty(); }
  // Keys of claims that exist, each once.
  std::vector<std::string> claims_of(std::string_view uid, const std::vector<PodClaim>& named, const DeviceCatalog& catalog) const;

 private:
  boost::unordered_flat_map<std::string, std::vector<std::string>> by_uid_;  // keys by name
};

}  // namespace muster::kai
