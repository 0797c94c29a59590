#include "engine/devices/device_finder.h"

#include <gtest/gtest.h>

#include "support/device_builder.h"

namespace muster {
namespace {

struct Finder : testing::Test {
  Books books{Accounting()};
  DeviceCatalog catalog;
  DeviceFinder finder{books, catalog};

  NodeId add_node(const std::string& name) {
    const auto id = books.intern_node(name);
    NodeRecord record;
    record.name = name;
    books.set_node(id, record, {});
    return id;
  }
  bool finds(NodeId node, const std::string& claim) {
    const auto* entry = catalog.claim("default/" + claim);
    const ClaimSpecId specs[] = {entry->spec};
    return finder.finds(finder.likeness_of(specs), node, {&entry->claim});
  }
  void give(const std::string& claim, const std::string& pool, std::optional<std::string> device) {
    DeviceAllocation changed{{{"r", "gpu", pool, device.value_or("d0"), false, false, {}}}, std::nullopt};
    catalog.assume("default/" + claim, device ? std::optional(changed) : std::nullopt);
    finder.note_change(changed);
  }
};

TEST_F(Finder, AsksAgainWhenDevicesChange) {
  const auto n1 = add_node("n1");
  const auto n2 = add_node("n2");
  catalog.set(a_device_class("any"));
  catalog.set(a_slice("n1", 1).on("n1"));
  catalog.set(a_slice("n2", 1).on("n2"));
  catalog.set(a_device_claim("a").asks(a_request("r", "any")));
  catalog.set(a_device_claim("b").asks(a_request("r", "any")));
  EXPECT_TRUE(finds(n1, "a"));
  give("b", "n1", "d0");
  EXPECT_FALSE(finds(n1, "a"));
  EXPECT_TRUE(finds(n2, "a"));
  give("b", "n1", std::nullopt);
  EXPECT_TRUE(finds(n1, "a"));
}

TEST_F(Finder, DevicesOfAllNodesChangeForAll) {
  const auto n1 = add_node("n1");
  const auto n2 = add_node("n2");
  catalog.set(a_device_class("any"));
  catalog.set(a_slice("pool", 1).everywhere());
  catalog.set(a_device_claim("a").asks(a_request("r", "any")));
  catalog.set(a_device_claim("b").asks(a_request("r", "any")));
  EXPECT_TRUE(finds(n1, "a"));
  EXPECT_TRUE(finds(n2, "a"));
  give("b", "pool", "d0");
  EXPECT_FALSE(finds(n1, "a"));
  EXPECT_FALSE(finds(n2, "a"));
}

TEST_F(Finder, LikenessIsOfWhatIsAskedForInItsOrder) {
  catalog.set(a_device_claim("a").asks(a_request("r", "any")));
  catalog.set(a_device_claim("b").asks(a_request("r", "any")));
  catalog.set(a_device_claim("c").asks(a_request("r", "any").count(2)));
  const auto a = catalog.claim("default/a")->spec;
  const auto b = catalog.claim("default/b")->spec;
  const auto c = catalog.claim("default/c")->spec;
  const auto of = [&](std::vector<ClaimSpecId> specs) { return finder.likeness_of(specs); };
  EXPECT_EQ(of({a, c}), of({b, c}));
  EXPECT_NE(of({a, c}), of({c, a}));
  EXPECT_NE(of({a}), of({a, b}));
}

}  // namespace
}  // namespace muster
