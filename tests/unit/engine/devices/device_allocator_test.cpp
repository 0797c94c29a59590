#include "engine/devices/device_allocator.h"

#include <gtest/gtest.h>

#include "support/device_builder.h"

namespace muster {
namespace {

struct DeviceAllocator : testing::Test {
  DeviceCatalog catalog;
  SelectorAnswers selectors{catalog};
  NodeRecord node;

  void SetUp() override {
    node.name = "n1";
    node.labels.set("zone", "a");
    catalog.set(a_device_class("any"));
    catalog.set(a_device_class("gpu").select("device.driver == 'gpu'"));
    catalog.set(a_device_class("broken").select("device.attributes['gpu'].none == 1"));
  }

  // "r=n1/d0 r=n1/d1" for each claim, or how it ended.
  std::string find(const std::vector<ResourceClaim>& claims, std::uint64_t steps = kMaxAllocationSteps,
                   DeviceFeatures features = DeviceFeatures::kAll) {
    std::vector<const ResourceClaim*> list;
    for (const auto& claim : claims) list.push_back(&claim);
    const auto outcome = allocate_devices(catalog, selectors, node, gather_pools(catalog, node, features), list, features, steps);
    switch (outcome.kind) {
      case AllocationOutcome::Kind::kFound: break;
      case AllocationOutcome::Kind::kNone: return "none";
      case AllocationOutcome::Kind::kBadPools: return "bad pools";
      case AllocationOutcome::Kind::kError: return outcome.error;
      case AllocationOutcome::Kind::kTooLong: return "too long";
    }
    std::string text;
    for (const auto& allocation : outcome.allocations) {
      if (!text.empty()) text += "; ";
      std::string devices;
      for (const auto& device : allocation.devices)
        devices.append(devices.empty() ? "" : " ").append(device.request + "=" + device.pool + "/" + device.device);
      text += devices;
    }
    return text;
  }
};

ResourceClaim asking(DeviceRequest request) { return a_device_claim("c").asks(std::move(request)); }

TEST_F(DeviceAllocator, OnlyTheCoreWhereThatIsWanted) {
  const auto core = [&](DeviceRequest request) {
    return find({asking(std::move(request))}, kMaxAllocationSteps, DeviceFeatures::kCore);
  };
  catalog.set(a_slice("n1").on("n1").device(a_device("tainted").taint("t", "NoSchedule")));
  EXPECT_EQ(core(a_request("r", "any")), "r=n1/tainted");
  EXPECT_EQ(core(a_request("r", "any").admin()), "claim default/c, request r: administrative access is not supported");
  EXPECT_EQ(core(a_request("r").either(a_request("x", "any"))), "claim default/c, request r: alternatives are not supported");
  EXPECT_EQ(core(a_request("r", "any").capacity("memory", "1Gi")), "r=n1/tainted");
  catalog.set(a_slice("n1").on("n1").device(a_device("shared").shareable()));
  EXPECT_EQ(core(a_request("r", "any")), "r=n1/shared");
  EXPECT_EQ(core(a_request("r", "any").count(2)), "none");
  catalog.set(a_slice("n1").on("n1").device(a_device("first").prepared_first()));
  EXPECT_EQ(core(a_request("r", "any")), "none");
  catalog.set(a_slice("n1").on("n1").device(a_device("part").consumes("set", "c", 1)));
  EXPECT_EQ(core(a_request("r", "any")), "none");
  catalog.set(a_slice("n1").per_device().device(a_device("here").reach({"n1", false, std::nullopt})));
  EXPECT_EQ(core(a_request("r", "any")), "none");
}

TEST_F(DeviceAllocator, TakesTheFirstThatDo) {
  catalog.set(a_slice("n1", 3).on("n1"));
  catalog.set(a_slice("n2", 3).on("n2"));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "r=n1/d0");
  EXPECT_EQ(find({asking(a_request("r", "any").count(3))}), "r=n1/d0 r=n1/d1 r=n1/d2");
  EXPECT_EQ(find({asking(a_request("r", "any").count(4))}), "none");
  EXPECT_EQ(find({asking(a_request("r", "any")), asking(a_request("s", "any"))}), "r=n1/d0; s=n1/d1");
  catalog.set(a_device_claim("x").has("n1", "d0"));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "r=n1/d1");
  EXPECT_EQ(find({asking(a_request("r", "any").admin())}), "r=n1/d0");
}

TEST_F(DeviceAllocator, OrdersPoolsByDriverAndName) {
  catalog.set(a_slice("s1").pool("b").everywhere().device(a_device("x")));
  catalog.set(a_slice("s2").pool("a").on("n1").device(a_device("y")));
  catalog.set(a_slice("s3").driver("another").pool("z").where("zone", "a").device(a_device("w")));
  catalog.set(a_slice("s4").pool("0").on("n1").device(a_device("late").prepared_first()));
  EXPECT_EQ(find({asking(a_request("r", "any").count(4))}), "r=z/w r=a/y r=b/x r=0/late");
  EXPECT_EQ(find({asking(a_request("r", "gpu"))}), "r=a/y");
}

TEST_F(DeviceAllocator, SearchesUntilAllRequestsAreMet) {
  catalog.set(a_slice("n1").on("n1").device(a_device("a").text("model", "x")).device(a_device("b").text("model", "y")));
  const auto only_a = "device.attributes['gpu'].model == 'x'";
  EXPECT_EQ(find({a_device_claim("c").asks(a_request("any", "any")).asks(a_request("x", "any").select(only_a))}),
            "any=n1/b x=n1/a");
  EXPECT_EQ(find({asking(a_request("any", "any")), asking(a_request("x", "any").select(only_a))}), "any=n1/b; x=n1/a");
}

TEST_F(DeviceAllocator, HonoursConstraints) {
  catalog.set(a_slice("n1")
                  .on("n1")
                  .device(a_device("a").text("model", "x").number("numa", 0))
                  .device(a_device("b").text("gpu/model", "y").number("numa", 0))
                  .device(a_device("c").text("model", "y").number("numa", 1))
                  .device(a_device("d")));
  const auto two = [] { return a_device_claim("c").asks(a_request("r", "any").count(2)); };
  EXPECT_EQ(find({two().same("gpu/model")}), "r=n1/b r=n1/c");
  EXPECT_EQ(find({two().same("gpu/numa")}), "r=n1/a r=n1/b");
  EXPECT_EQ(find({two().same("gpu/model").same("gpu/numa")}), "none");
  EXPECT_EQ(find({two().same("other/model")}), "none");
  EXPECT_EQ(find({two().same("gpu/model", {"another"})}), "r=n1/a r=n1/b");
  EXPECT_EQ(find({two().different("gpu/numa")}), "r=n1/a r=n1/c");
  EXPECT_EQ(find({a_device_claim("c").asks(a_request("r", "any").all()).same("gpu/model")}),
            "claim default/c, request r: cannot add device gpu/n1/b because a claim constraint would not be satisfied");
  auto empty = ResourceClaim(two());
  empty.constraints.emplace_back();
  EXPECT_EQ(find({empty}), "claim default/c, constraint #0: empty constraint (unsupported constraint type?)");
}

TEST_F(DeviceAllocator, GivesAllOrNothing) {
  const auto all = asking(a_request("r", "any").all());
  EXPECT_EQ(find({all}), "none");
  catalog.set(a_slice("n1", 2).on("n1"));
  EXPECT_EQ(find({all}), "r=n1/d0 r=n1/d1");
  catalog.set(a_device_claim("x").has("n1", "d1"));
  EXPECT_EQ(find({all}), "none");
  catalog.set(a_slice("part", 1).pool("big", 2).on("n1"));
  EXPECT_EQ(find({all}), "claim default/c, request r: asks for all devices, but resource pool gpu/big is currently being updated");
  EXPECT_EQ(find({asking(a_request("r", "any").count(1))}), "r=n1/d0");  // the other pool is left out
}

TEST_F(DeviceAllocator, PrefersTheFirstAlternative) {
  catalog.set(a_slice("n1", 2).on("n1"));
  const auto best = DeviceRequest(a_request("best", "any").select("device.attributes['gpu'].?model.orValue('') == 'x'"));
  const auto two = DeviceRequest(a_request("two", "any").count(2));
  const auto claim = [&] { return a_device_claim("c").asks(a_request("r").either(best).either(two)); };
  EXPECT_EQ(find({claim()}), "r/two=n1/d0 r/two=n1/d1");
  EXPECT_EQ(find({claim().asks(a_request("s", "any"))}), "none");
  catalog.set(a_slice("n1x").on("n1").device(a_device("x").text("model", "x")));
  EXPECT_EQ(find({claim().asks(a_request("s", "any"))}), "r/best=n1x/x s=n1/d0");
}

TEST_F(DeviceAllocator, LimitsWhatAClaimCanHold) {
  catalog.set(a_slice("n1", 40).on("n1"));
  EXPECT_EQ(find({asking(a_request("r", "any").count(33))}),
            "claim default/c: number of requested devices 33 exceeds the claim limit of 32");
  const auto many = [](const char* name) {
    return a_request(name).either(a_request("most", "any").count(20)).either(a_request("few", "any").count(2));
  };
  const auto found = find({a_device_claim("c").asks(many("r")).asks(many("s"))});
  EXPECT_EQ(found.substr(found.find(" s/")), " s/few=n1/d20 s/few=n1/d21");
}

TEST_F(DeviceAllocator, SaysWhatIsWrong) {
  catalog.set(a_slice("n1", 1).on("n1"));
  const std::pair<DeviceRequest, const char*> rows[] = {
      {a_request("r", "none"),
       "claim default/c, request r: could not retrieve device class none: deviceclass.resource.k8s.io \"none\" not found"},
      {a_request("r", ""), "claim default/c, request r: missing device class name (unsupported request type?)"},
      {a_request("r", "broken"), "class broken: selector #0: CEL runtime error: no such key: none"},
      {a_request("r", "any").select("true").select("1 / 0 == 1"),
       "claim default/c: selector #1: CEL runtime error: division by zero"},
      {a_request("r", "any").select(""),
       "claim default/c, request r, selector #0: CEL expression empty (unsupported selector type?)"},
  };
  for (const auto& [request, text] : rows) EXPECT_EQ(find({asking(request)}), text);
  EXPECT_EQ(find({asking(a_request("r", "any").select("device.foo"))}).substr(0, 60),
            "claim default/c: selector #0: CEL compile error: compilation");
  auto odd = DeviceRequest(a_request("r", "any"));
  odd.mode = AllocationMode::kUnknown;
  odd.mode_text = "Some";
  EXPECT_EQ(find({asking(odd)}), "claim default/c, request r: unsupported count mode Some");
}

TEST_F(DeviceAllocator, LeavesOutPoolsThatAreNotInOrder) {
  catalog.set(a_slice("double").on("n1").device(a_device("x")).device(a_device("x")));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "bad pools");
  catalog.set(a_slice("n1", 1).on("n1"));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "r=n1/d0");
  // A newer generation replaces the older one, even if it has nothing for this node.
  catalog.set(a_slice("newer", 1).pool("n1", 1, 2).on("n2"));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "r=n1/d0");
  catalog.set(a_slice("n1", 1).pool("n1", 2, 1).on("n1"));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "bad pools");
}

TEST_F(DeviceAllocator, AsksEachDeviceWhereItIs) {
  NodeReach here;
  here.node = "n1";
  NodeReach there;
  there.node = "n2";
  catalog.set(a_slice("s").per_device().device(a_device("away").reach(there)).device(a_device("near").reach(here)));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "r=s/near");
}

TEST_F(DeviceAllocator, RespectsTaints) {
  catalog.set(a_slice("n1").on("n1").device(a_device("a").taint("bad", "NoSchedule")).device(a_device("b").taint("odd", "None")));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "r=n1/b");
  EXPECT_EQ(find({asking(a_request("r", "any").tolerates("bad"))}), "r=n1/a");
}

TEST_F(DeviceAllocator, CountsWhatPartsOfADeviceUseTogether) {
  catalog.set(a_slice("counters").pool("n1", 2).on("n1").counters("gpu0", "memory", 10));
  catalog.set(a_slice("parts")
                  .pool("n1", 2)
                  .on("n1")
                  .device(a_device("whole").consumes("gpu0", "memory", 10))
                  .device(a_device("half1").consumes("gpu0", "memory", 5))
                  .device(a_device("half2").consumes("gpu0", "memory", 5)));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "r=n1/whole");
  EXPECT_EQ(find({asking(a_request("r", "any").count(2))}), "r=n1/half1 r=n1/half2");
  catalog.set(a_device_claim("x").has("n1", "half1"));
  EXPECT_EQ(find({asking(a_request("r", "any"))}), "r=n1/half2");
}

TEST_F(DeviceAllocator, SharesCapacity) {
  catalog.set(a_slice("n1").on("n1").device(a_device("a").capacity("memory", "10").shareable()));
  const auto six = asking(a_request("r", "any").capacity("memory", "6"));
  EXPECT_EQ(find({six}), "r=n1/a");
  EXPECT_EQ(find({six, six}), "none");
  const auto four = asking(a_request("s", "any").capacity("memory", "4"));
  EXPECT_EQ(find({six, four}), "r=n1/a; s=n1/a");
  EXPECT_EQ(find({asking(a_request("r", "any").capacity("cores", "1"))}), "none");
  EXPECT_EQ(find({asking(a_request("r", "any")), four}), "none");  // who does not say takes all
  CapacityPolicy steps;
  steps.range = CapacityPolicy::Range{Quantity::from_units(2), std::nullopt, Quantity::from_units(4)};
  steps.fallback = Quantity::from_units(2);
  catalog.set(a_slice("n1").on("n1").device(a_device("a").capacity("memory", "10").policy("memory", steps).shareable()));
  EXPECT_EQ(find({four, four}), "none");  // rounded up to 6 each
  EXPECT_EQ(find({six, asking(a_request("t", "any")), asking(a_request("u", "any"))}), "r=n1/a; t=n1/a; u=n1/a");
}

TEST_F(DeviceAllocator, GivesUpWhenItTakesTooLong) {
  auto slice = a_slice("n1").on("n1");
  for (int i = 0; i < 30; ++i) slice.device(a_device("d" + std::to_string(i)).number("n", i % 2));
  catalog.set(slice);
  // 16 of 15: only trying all combinations shows that there is no way.
  const auto claim = ResourceClaim(a_device_claim("c").asks(a_request("r", "any").count(16)).same("gpu/n"));
  EXPECT_EQ(find({claim}, 10'000), "too long");
}

TEST_F(DeviceAllocator, RestrictsTheClaimToNodesThatReachItsDevices) {
  catalog.set(a_slice("local", 1).pool("a").on("n1"));
  catalog.set(a_slice("zone", 1).pool("b").where("zone", "a"));
  catalog.set(a_slice("all", 1).pool("c").everywhere());
  const auto pools = gather_pools(catalog, node);
  const auto nodes_of = [&](const char* pool) {
    const ResourceClaim claim = asking(a_request("r", "any").select("true"));
    for (const auto& p : pools)
      if (p.name == pool) return allocate_devices(catalog, selectors, node, {p}, {&claim}).allocations.front().nodes;
    return std::optional<NodeSelector>();
  };
  EXPECT_EQ(nodes_of("a")->terms.front().fields.front().values.front(), "n1");
  EXPECT_EQ(nodes_of("b")->terms.front().expressions.front().key, "zone");
  EXPECT_FALSE(nodes_of("c"));
}

}  // namespace
}  // namespace muster
