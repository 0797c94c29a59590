#include "engine/filters/dynamic_resources.h"

#include <gtest/gtest.h>

#include "support/books_builder.h"
#include "support/device_builder.h"
#include "support/fit_text.h"

namespace muster {
namespace {

constexpr auto kNone = "unresolvable: cannot allocate all claims";
constexpr auto kElsewhere = "unresolvable: resourceclaim not available on the node";

struct DynamicResources : testing::Test {
  TestCluster cluster;
  NodeId n1 = cluster.add(a_node("n1"));
  NodeId n2 = cluster.add(a_node("n2"));
  DeviceCatalog catalog;
  DynamicResourcesFilter filter{cluster.books, cluster.fits, catalog};

  void SetUp() override {
    catalog.set(a_device_class("any"));
    catalog.set(a_slice("n1", 2).on("n1"));
    catalog.set(a_slice("n2", 1).on("n2"));
  }
  PodId pod(std::initializer_list<const char*> claims, PodClaim::Source source = PodClaim::Source::kNamed) {
    const auto id = cluster.add(a_pod("p"));
    std::vector<PodClaim> list;
    for (const auto* claim : claims) list.push_back({claim, std::string("default/") + claim, source});
    catalog.set_pod(id, std::move(list));
    return id;
  }
  void claim(const char* name, std::int64_t count) { catalog.set(a_device_claim(name).asks(a_request("r", "any").count(count))); }

  using Answers = std::pair<std::string, std::string>;
  Answers answers(PodId id) { return {ask(cluster.fits, filter, id, n1), ask(cluster.fits, filter, id, n2)}; }
  Bitset restricted(PodId id) {
    Bitset nodes(cluster.books.node_count(), true);
    filter.prepare(id);
    filter.restrict(id, nodes);
    return nodes;
  }
};

TEST_F(DynamicResources, HasNothingToSayAboutPodsWithoutClaims) {
  const auto plain = cluster.add(a_pod("plain"));
  EXPECT_EQ(filter.dependence(plain), Dependence::kNothing);
  EXPECT_EQ(answers(pod({"c"}, PodClaim::Source::kNotNeeded)), (Answers{"skip", "skip"}));
  EXPECT_TRUE(filter.reserve(plain, n1));
}

TEST_F(DynamicResources, FindsNodesWithDevices) {
  claim("one", 1);
  claim("two", 2);
  EXPECT_EQ(answers(pod({"one"})), (Answers{"", ""}));
  EXPECT_EQ(answers(pod({"two"})), (Answers{"", kNone}));
  EXPECT_EQ(answers(pod({"one", "two"})), (Answers{kNone, kNone}));
  const auto id = pod({"two"});
  EXPECT_TRUE(restricted(id).test(n1.index()));
  EXPECT_FALSE(restricted(id).test(n2.index()));
}

TEST_F(DynamicResources, KeepsAllocatedClaimsWhereTheyAre) {
  catalog.set(a_device_claim("there").asks(a_request("r", "any")).has("n2", "d0"));
  claim("one", 1);
  EXPECT_EQ(answers(pod({"there"})), (Answers{kElsewhere, ""}));
  EXPECT_EQ(answers(pod({"there", "one"})), (Answers{kElsewhere, kNone}));
  EXPECT_EQ(restricted(pod({"there"})).count(), 1u);
}

TEST_F(DynamicResources, RefusesClaimsThatNoNodeCanMeet) {
  catalog.set(a_device_claim("gone").asks(a_request("r", "any")).deleted());
  catalog.set(a_device_claim("classless").asks(a_request("r", "none")));
  catalog.set(a_device_claim("alternative").asks(a_request("r").either(a_request("a", "none"))));
  catalog.set(a_device_claim("foreign").asks(a_request("r", "any")));
  auto odd = ResourceClaim(a_device_claim("odd"));
  odd.requests.emplace_back().name = "r";
  catalog.set(odd);
  struct Row {
    const char* claim;
    PodClaim::Source source;
    const char* text;
  };
  using Source = PodClaim::Source;
  const Row rows[] = {
      {"absent", Source::kGenerated, "could not find ResourceClaim \"default/absent\""},
      {"absent", Source::kNotGenerated, "pod \"default/p\": ResourceClaim not created yet"},
      {"absent", Source::kUnknown, "pod \"default/p\", spec.resourceClaim \"absent\": none of the supported fields are set"},
      {"gone", Source::kNamed, "resourceclaim \"gone\" is being deleted"},
      {"foreign", Source::kGenerated, "ResourceClaim default/foreign was not created for Pod default/p (Pod is not owner)"},
      {"classless", Source::kNamed, "request r: device class none does not exist"},
      {"alternative", Source::kNamed, "request r/a: device class none does not exist"},
      {"odd", Source::kNamed, "resource claim default/odd, request r: unknown request type"},
  };
  for (const auto& row : rows) {
    const auto refusal = filter.prepare(pod({row.claim}, row.source)).refusal;
    ASSERT_TRUE(refusal) << row.text;
    EXPECT_EQ(cluster.fits.text(refusal->reason), row.text);
  }
}

TEST_F(DynamicResources, RemembersWhatWasReserved) {
  claim("a", 1), claim("b", 1), claim("c", 1), claim("d", 1);
  const auto first = pod({"a"});
  const auto second = pod({"b"});
  const auto third = pod({"c"});
  const auto fourth = pod({"d"});
  ASSERT_TRUE(filter.reserve(first, n2));
  EXPECT_EQ(answers(second), (Answers{"", kNone}));
  ASSERT_TRUE(filter.reserve(second, n1));
  ASSERT_TRUE(filter.reserve(third, n1));
  EXPECT_EQ(answers(fourth), (Answers{kNone, kNone}));
  EXPECT_FALSE(filter.reserve(fourth, n1));
  filter.release(second);
  EXPECT_EQ(answers(fourth), (Answers{"", kNone}));
  filter.confirm(first);
  filter.release(first);  // has nothing left to give back
  EXPECT_EQ(answers(fourth), (Answers{"", kNone}));
  EXPECT_EQ(catalog.claim("default/a")->claim.allocation->devices.front().device, "d0");
}

TEST_F(DynamicResources, LetsNobodyElseUseAClaimThatIsBeingAllocated) {
  claim("shared", 1);
  const auto first = pod({"shared"});
  const auto second = pod({"shared"});
  filter.prepare(first);
  ASSERT_TRUE(filter.reserve(first, n1));
  EXPECT_EQ(cluster.fits.text(filter.prepare(second).refusal->reason),
            "resource claim default/shared is in the process of being allocated");
  filter.confirm(first);
  EXPECT_EQ(answers(second), (Answers{"", kElsewhere}));
}

TEST_F(DynamicResources, SeesDevicesThatSeveralNodesReach) {
  catalog.set(a_slice("all", 1).everywhere());
  catalog.remove_slice("n1");
  claim("a", 1), claim("b", 1), claim("c", 1);
  ASSERT_TRUE(filter.reserve(pod({"a"}), n2));  // takes the one in the pool "all", which comes first
  EXPECT_EQ(answers(pod({"b"})), (Answers{kNone, ""}));
}

TEST_F(DynamicResources, CountsPointsForEarlyAlternatives) {
  const auto two = DeviceRequest(a_request("two", "any").count(2));
  const auto one = DeviceRequest(a_request("one", "any"));
  catalog.set(a_device_claim("c").asks(a_request("r").either(two).either(one)));
  claim("plain", 1);
  const auto id = pod({"c"});
  EXPECT_EQ(answers(id), (Answers{"", ""}));
  EXPECT_TRUE(filter.prefers_nodes(id));
  EXPECT_EQ(filter.points(id, n1), 8);
  EXPECT_EQ(filter.points(id, n2), 7);
  const auto plain = pod({"plain"});
  filter.prepare(plain);
  EXPECT_FALSE(filter.prefers_nodes(plain));
  EXPECT_FALSE(filter.cannot_score(plain));
  catalog.set(a_device_claim("there").asks(a_request("r", "any")).has("n2", "d0"));
  const auto mixed = pod({"there", "plain"});
  filter.prepare(mixed);
  EXPECT_TRUE(filter.cannot_score(mixed));
}

}  // namespace
}  // namespace muster
