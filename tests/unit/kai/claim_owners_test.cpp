#include "policy/kai/claim_owners.h"

#include <gtest/gtest.h>

#include "support/device_builder.h"

namespace muster::kai {
namespace {

ResourceClaim reserved(std::string name, std::vector<std::string> uids) {
  ResourceClaim claim = a_device_claim(std::move(name));
  for (auto& uid : uids) claim.reserved_for.push_back({"", "pods", "p", std::move(uid)});
  return claim;
}

TEST(ClaimOwners, NamedOwnedAndReservedFirst) {
  DeviceCatalog catalog;
  catalog.set(a_device_claim("named"));
  catalog.set(a_device_claim("owned").owned_by("u1"));
  catalog.set(reserved("first", {"u1", "u2"}));
  ClaimOwners owners;
  owners.build(catalog);
  using Keys = std::vector<std::string>;
  const std::vector<PodClaim> names = {{"x", "default/named", PodClaim::Source::kNamed},
                                       {"y", "default/gone", PodClaim::Source::kNamed}};
  EXPECT_EQ(owners.claims_of("u1", names, catalog), (Keys{"default/first", "default/owned", "default/named"}));
  EXPECT_EQ(owners.claims_of("u2", {}, catalog), Keys());
  EXPECT_TRUE(owners.owns_any("u1"));
  EXPECT_FALSE(owners.owns_any("u2"));
}

}  // namespace
}  // namespace muster::kai
