#include "policy/kai/claim_book.h"

#include <gtest/gtest.h>

#include "support/device_builder.h"

namespace muster::kai {
namespace {

const ClaimConsumer kOne{"", "pods", "a", "ua"};
const ClaimConsumer kOther{"", "pods", "b", "ub"};

DeviceAllocation device(std::string name) { return {{{"r", "gpu", "n1", std::move(name), false, false, {}}}, std::nullopt}; }

class ClaimBookTest : public testing::Test {
 protected:
  ClaimBookTest() {
    catalog.set(a_slice("n1", 1).on("n1"));
    catalog.set(a_device_class("any"));
    catalog.set(a_device_claim("c").asks(a_request("r", "any")));
    NodeRecord record;
    record.name = "n1";
    node = books.intern_node("n1");
    books.set_node(node, record, {});
  }
  // Whether the only device can be had.
  bool is_free() {
    const auto* claim = catalog.claim("default/c");
    const ClaimSpecId specs[] = {claim->spec};
    return finder.finds(finder.likeness_of(specs), node, {&claim->claim});
  }

  Books books{Accounting()};
  DeviceCatalog catalog;
  DeviceFinder finder{books, catalog, DeviceFeatures::kCore};
  ClaimBook book{catalog, finder};
  NodeId node;
};

TEST_F(ClaimBookTest, PlansAreTakenBack) {
  EXPECT_TRUE(is_free());
  book.plan("default/c", device("d0"), {kOne});
  EXPECT_FALSE(is_free());
  book.plan("default/c", std::nullopt, {});
  EXPECT_TRUE(is_free());
  book.plan("default/c", device("d0"), {kOne, kOther});
  book.restore();
  EXPECT_TRUE(is_free());
  EXPECT_FALSE(book.find("default/c")->allocation);
  EXPECT_TRUE(book.find("default/c")->reserved_for.empty());
}

TEST_F(ClaimBookTest, PromisedDevicesAreTaken) {
  book.occupy(device("d0"));
  EXPECT_FALSE(is_free());
  book.vacate(device("d0"));
  EXPECT_TRUE(is_free());
  book.vacate(device("d0"));  // once is enough
  EXPECT_TRUE(is_free());
  book.occupy(device("d0"));
  book.restore();
  EXPECT_TRUE(is_free());
}

TEST_F(ClaimBookTest, TheLastUserReleasesTheDevices) {
  book.bind("default/c", device("d0"), kOne);
  book.bind("default/c", std::nullopt, kOther);
  book.restore();  // facts are no plans
  EXPECT_FALSE(is_free());
  book.release("default/c", kOne);
  book.release("default/c", kOne);
  EXPECT_FALSE(is_free());
  book.release("default/c", kOther);
  EXPECT_TRUE(is_free());
}

TEST_F(ClaimBookTest, UnknownClaimsAreOfNoConcern) {
  book.plan("default/x", device("d0"), {});
  book.bind("default/x", device("d0"), kOne);
  book.release("default/x", kOne);
  book.restore();
  EXPECT_TRUE(is_free());
  EXPECT_EQ(book.find("default/x"), nullptr);
}

}  // namespace
}  // namespace muster::kai
