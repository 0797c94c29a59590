// Arithmetic and comparisons of queues' resources, where whether a scalar is named at all decides.

#include "policy/volcano/resource.h"

#include <gtest/gtest.h>

#include "policy/volcano/cluster.h"

namespace muster::volcano {
namespace {

class ResourceTest : public testing::Test {
 protected:
  Books books{volcano_accounting()};
  const ResourceId gpu = books.resource("nvidia.com/gpu");
  const ResourceId fpga = books.resource("example.com/fpga");

  static Resource of(double cpu, double memory, std::initializer_list<std::pair<ResourceId, double>> scalars = {}) {
    Resource resource;
    resource.set(kCpu, cpu);
    resource.set(kMemory, memory);
    for (const auto& [id, value] : scalars) resource.set(id, value);
    return resource;
  }
};

TEST_F(ResourceTest, ListsAreReadInTheUnitsOfEachName) {
  ResourceList list;
  const std::pair<const char*, const char*> rows[] = {{"cpu", "1500m"},           {"memory", "1Ki"},       {"pods", "3"},
                                                      {"ephemeral-storage", "1"}, {"nvidia.com/gpu", "2"}, {"hugepages-2Mi", "1"},
                                                      {"requests.cpu", "7"},      {"count/pods", "7"},     {"storage", "7"}};
  for (const auto& [name, text] : rows) list[name] = *Quantity::parse(text);
  const auto amounts = amounts_of(list, books);
  EXPECT_EQ(amounts.get(kCpu), 1500);
  EXPECT_EQ(amounts.get(kMemory), 1024);
  EXPECT_EQ(amounts.get(kPodCount), 3);
  EXPECT_EQ(amounts.get(books.resource("ephemeral-storage")), 1000);
  EXPECT_EQ(amounts.get(gpu), 2000);
  EXPECT_EQ(amounts.get(books.resource("hugepages-2Mi")), 1000);
  EXPECT_EQ(amounts.size(), 6u);  // the others are dropped
}

TEST_F(ResourceTest, WhichNamesAreScalars) {
  const std::pair<const char*, bool> rows[] = {
      {"nvidia.com/gpu", true},          {"hugepages-1Gi", true}, {"attachable-volumes-x", true},
      {"x.kubernetes.io/thing", true},   {"storage", false},      {"requests.nvidia.com/gpu", false},
      {"requests.kubernetes.io/x", true}};
  for (const auto& [name, expected] : rows) EXPECT_EQ(is_scalar_resource(name), expected) << name;
}

TEST_F(ResourceTest, SubtractionTouchesScalarsOnlyWhereThereIsAMapOfThem) {
  auto plain = of(5, 5);
  plain.subtract(of(1, 2, {{gpu, 3}}));
  EXPECT_EQ(plain, of(4, 3));
  auto mapped = of(5, 5, {{fpga, 1}});
  mapped.subtract(of(1, 2, {{gpu, 3}}));
  EXPECT_EQ(mapped, of(4, 3, {{fpga, 1}, {gpu, -3}}));
}

TEST_F(ResourceTest, ClampReadsAMissingNameAsZeroOrAsNoLimit) {
  const auto limit = of(2, 20, {{fpga, 9}});
  auto zero = of(5, 5, {{gpu, 3}}), open = zero;
  EXPECT_EQ(zero.clamp_to(limit, Missing::kZero), of(2, 5, {{gpu, 0}}));
  EXPECT_EQ(open.clamp_to(limit, Missing::kInfinity), of(2, 5, {{gpu, 3}}));
}

TEST_F(ResourceTest, LessEqual) {
  struct Row {
    const char* why;
    Resource left, right;
    bool zero, infinity;
  };
  const Row rows[] = {
      {"equal", of(1, 1), of(1, 1), true, true},
      {"within a tenth", of(1.05, 1), of(1, 1), true, true},
      {"a tenth more", of(1.1, 1), of(1, 1), false, false},
      {"less cpu does not make up for memory", of(0, 2), of(9, 1), false, false},
      {"a scalar that only the left names", of(1, 1, {{gpu, 1}}), of(1, 1), false, true},
      {"the same at nothing", of(1, 1, {{gpu, 0}}), of(1, 1), true, true},
      {"a scalar that only the right names", of(1, 1), of(1, 1, {{gpu, 1}}), true, false},
      {"a larger scalar", of(1, 1, {{gpu, 2}}), of(1, 1, {{gpu, 1}}), false, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(less_equal(row.left, row.right, Missing::kZero), row.zero) << row.why;
    EXPECT_EQ(less_equal(row.left, row.right, Missing::kInfinity), row.infinity) << row.why;
  }
}

TEST_F(ResourceTest, ExceededDimensionsAreThoseAskedForWithoutTolerance) {
  const auto names = [&](const Resource& left, const Resource& right, const Resource& request) {
    std::vector<std::string> out;
    for (const auto id : exceeded_dimensions(left, right, request, books)) out.push_back(books.resource_name(id));
    return out;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(names(of(2, 2), of(1, 1), of(1, 0)), List{"cpu"});
  EXPECT_EQ(names(of(1.05, 1), of(1, 1), of(1, 1)), List{"cpu"});
  EXPECT_EQ(names(of(1, 1, {{gpu, 2}, {fpga, 2}}), of(1, 1), of(1, 1, {{gpu, 1}, {fpga, 1}})),
            (List{"example.com/fpga", "nvidia.com/gpu"}));  // by name, not by id
  EXPECT_EQ(names(of(1, 1, {{kPodCount, 9}}), of(1, 1), of(1, 1, {{kPodCount, 1}})), List{});
}

TEST_F(ResourceTest, ExceededPartNamesOnlyWhatThereIsMoreOf) {
  const auto part = exceeded_part(of(5, 1, {{gpu, 3}, {fpga, 1}}), of(2, 4, {{gpu, 1}, {fpga, 1}}));
  EXPECT_EQ(part, of(3, 0, {{gpu, 2}}));
  EXPECT_FALSE(part.names(fpga));
}

TEST_F(ResourceTest, TheLargerOfTwoLeavesNegativeScalarsOut) {
  EXPECT_EQ(max_of(of(1, 4, {{gpu, -1}}), of(2, 3, {{fpga, 2}})), of(2, 4, {{fpga, 2}}));
}

TEST_F(ResourceTest, AmountsBelowATenthAreNothing) {
  EXPECT_TRUE(of(0.09, 0.09, {{gpu, 0.09}}).is_empty());
  EXPECT_TRUE(of(0, 0, {{kPodCount, 7}}).is_empty());  // a number of pods alone is nothing
  EXPECT_FALSE(of(0, 0, {{gpu, 0.1}}).is_empty());
  EXPECT_EQ(of(0.05, 1, {{gpu, 1}, {fpga, 0.01}}).significant(), (std::vector<ResourceId>{kMemory, gpu}));
}

TEST_F(ResourceTest, AShareOfNothingIsAllOrNothing) {
  EXPECT_EQ(share_of(1, 4), 0.25);
  EXPECT_EQ(share_of(0, 0), 0);
  EXPECT_EQ(share_of(1, 0), 1);
}

}  // namespace
}  // namespace muster::volcano
