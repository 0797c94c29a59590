// Pods with resource claims through whole cycles.

#include <gtest/gtest.h>

#include "support/device_builder.h"
#include "support/volcano_cycles.h"

namespace muster::volcano {
namespace {

Object a_claiming_pod(VolcanoPodBuilder pod, std::initializer_list<const char*> claims) {
  auto object = pod.object();
  for (const auto* claim : claims) {
    auto& entry = object.spec.resource_claims.emplace_back();
    entry.name = claim;
    entry.claim = claim;
  }
  return object;
}

struct DeviceClaims : testing::Test {
  VolcanoCycles cycles;

  explicit DeviceClaims(Behaviour behaviour = Behaviour::exact())
      : cycles(a_config({an_option("gang"), an_option("predicates"), an_option("capacity")}, {"enqueue", "allocate", "backfill"}),
               behaviour) {
    cycles.add_object(ResourceSlice(a_slice("n1", 2).on("n1"))).add_object(ResourceSlice(a_slice("n2", 1).on("n2")));
    cycles.add_object(DeviceClass(a_device_class("any")));
    cycles.add(a_volcano_node("n1").cpu("4")).add(a_volcano_node("n2").cpu("4"));
    cycles.add(a_volcano_queue("default")).add(a_volcano_queue("small").at_most("deviceclass/any", "1"));
  }
  void claim(const char* name, std::int64_t count = 1) {
    cycles.add_object(ResourceClaim(a_device_claim(name).asks(a_request("r", "any").count(count))));
  }
  void pod(const char* name, const char* group, std::initializer_list<const char*> claims, const char* cpu = "1") {
    cycles.add_object(a_claiming_pod(a_volcano_pod(name).group(group).cpu(cpu), claims));
  }
  std::string devices(const char* name) {
    std::string text;
    const auto& allocation = cycles.cluster().devices().claim(std::string("default/") + name)->claim.allocation;
    if (allocation)
      for (const auto& device : allocation->devices) text.append(text.empty() ? "" : " ").append(device.pool + "/" + device.device);
    return text;
  }
};

TEST_F(DeviceClaims, AreAllocatedWithTheBind) {
  claim("a", 2), claim("b"), claim("c");
  cycles.add(a_pod_group("job"));
  pod("j-w-0", "job", {"a"}), pod("j-w-1", "job", {"b"}), pod("j-w-2", "job", {"c"});
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, (Names{{"j-w-0", "n1"}, {"j-w-1", "n2"}}));
  EXPECT_EQ(outcome.pod_conditions.at("j-w-2"), "Unschedulable: 0/2 nodes are unavailable: 2 cannot allocate all claims.");
  EXPECT_EQ(devices("a"), "n1/d0 n1/d1");
  EXPECT_EQ(devices("b"), "n2/d0");
  EXPECT_EQ(devices("c"), "");
  EXPECT_EQ(outcome.queues.at("default").at("deviceclass/any"), Quantity::from_units(3));
}

TEST_F(DeviceClaims, SharedByAGangKeepItWaiting) {
  claim("shared");
  cycles.add(a_pod_group("pair").minimum(2)).add(a_pod_group("loose"));
  pod("p-w-0", "pair", {"shared"}), pod("p-w-1", "pair", {"shared"});
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.binds, Names{});
  EXPECT_EQ(outcome.pod_conditions.at("p-w-1"),
            "Unschedulable: 0/2 nodes are unavailable: 2 plugin DynamicResources pre-predicates failed resource claim "
            "default/shared is in "
            "the process of being allocated.");
  EXPECT_EQ(cycles.run().binds, Names{});
}

TEST_F(DeviceClaims, SharedByPodsWithoutAMinimumAreUsedOneCycleLater) {
  claim("shared");
  cycles.add(a_pod_group("job"));
  pod("j-w-0", "job", {"shared"}), pod("j-w-1", "job", {"shared"});
  EXPECT_EQ(cycles.run().binds, (Names{{"j-w-0", "n1"}}));
  cycles.bound_pods_run();
  EXPECT_EQ(cycles.run().binds, (Names{{"j-w-1", "n1"}}));
  EXPECT_EQ(cycles.cluster().queue(cycles.cluster().find_queue("default")).allocated->at("deviceclass/any"),
            Quantity::from_units(1));
}

TEST_F(DeviceClaims, KeepPodsFromWaitingForOthersToLeave) {
  claim("a");
  cycles.add(a_volcano_pod("leaves").cpu("4").on("n1").terminating()).add(a_volcano_pod("stays").cpu("4").on("n2"));
  cycles.add(a_pod_group("job"));
  pod("j-w-0", "job", {"a"});
  EXPECT_EQ(cycles.run().planned, Names{});
}

TEST_F(DeviceClaims, ThatDoNotExistKeepPodsOut) {
  cycles.add(a_pod_group("job"));
  pod("j-w-0", "job", {"later"});
  EXPECT_EQ(cycles.run().binds, Names{});
  EXPECT_EQ(cycles.cluster().pods_without_claim().size(), 1u);
  EXPECT_FALSE(cycles.cluster().find_pod("default/j-w-0"));
  claim("later");
  EXPECT_EQ(cycles.run().binds, (Names{{"j-w-0", "n1"}}));
}

TEST_F(DeviceClaims, CountAgainstTheQueue) {
  claim("a"), claim("b");
  cycles.add(a_pod_group("job").queue("small"));
  pod("j-w-0", "job", {"a"}), pod("j-w-1", "job", {"b"});
  EXPECT_EQ(cycles.run().binds, (Names{{"j-w-0", "n1"}}));
  cycles.bound_pods_run();
  EXPECT_EQ(cycles.run().binds, Names{});
}

TEST_F(DeviceClaims, CountWhenAJobIsLetIn) {
  claim("a"), claim("b");
  cycles.add(a_pod_group("job").queue("small").minimum(2).phase("Pending").needs("cpu", "1"));
  pod("j-w-0", "job", {"a"}), pod("j-w-1", "job", {"b"});
  const auto outcome = cycles.run();
  EXPECT_EQ(outcome.phases.at("job"), "Pending");
  const auto& events = outcome.events.at("job");
  EXPECT_NE(std::find(events.begin(), events.end(),
                      "Normal Unschedulable: queue resource quota insufficient: insufficient dra-resource-exceeded"),
            events.end());
}

// A gang of which one pod waits for others to leave keeps what the other was given until the end of the cycle.
template <class Test>
void place_half_a_gang(Test& test) {
  test.claim("a");
  test.cycles.add(a_volcano_pod("leaves").cpu("3").on("n1").terminating()).add(a_volcano_pod("stays").cpu("4").on("n2"));
  test.cycles.add(a_pod_group("pair").minimum(2));
  test.pod("p-w-0", "pair", {"a"});
  test.cycles.add(a_volcano_pod("p-w-1").group("pair").cpu("1"));
  EXPECT_EQ(test.cycles.run().planned, (Names{{"p-w-0", "n1"}, {"p-w-1", "n1"}}));
  test.cycles.cluster().remove_pod(test.cycles.cluster().find_pod("default/leaves"));
}

TEST_F(DeviceClaims, OfPodsThatWereNotBoundAreLost) {
  place_half_a_gang(*this);
  EXPECT_EQ(cycles.run().binds, Names{});
}

struct SafeDeviceClaims : DeviceClaims {
  SafeDeviceClaims() : DeviceClaims(Behaviour::safe()) {}
};

TEST_F(SafeDeviceClaims, OfPodsThatWereNotBoundAreTakenBack) {
  place_half_a_gang(*this);
  EXPECT_EQ(cycles.run().binds, (Names{{"p-w-0", "n1"}, {"p-w-1", "n1"}}));
}

}  // namespace
}  // namespace muster::volcano
