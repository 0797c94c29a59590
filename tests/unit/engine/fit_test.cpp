#include "engine/fit.h"

#include <gtest/gtest.h>

#include "engine/resource_fit.h"
#include "support/books_builder.h"

namespace muster {
namespace {

TEST(FitTable, AVerdictWithoutReasonsMeansThatThePodFits) {
  FitTable table;
  EXPECT_EQ(table.intern(Verdict{}), FitTable::fits());
  EXPECT_TRUE(table.verdict(FitTable::fits()).empty());
}

TEST(FitTable, EqualVerdictsShareAnId) {
  FitTable table;
  const Verdict full = {table.status(FitCode::kUnschedulable, "full")};
  const Verdict broken = {table.status(FitCode::kUnresolvable, "full")};
  const Verdict both = {full[0], table.status(FitCode::kError, "odd")};
  const auto id = table.intern(full);
  EXPECT_NE(id, FitTable::fits());
  EXPECT_EQ(table.intern(full), id);
  EXPECT_NE(table.intern(broken), id);  // the code counts too
  EXPECT_NE(table.intern(both), id);
  EXPECT_EQ(table.verdict(id), full);
  EXPECT_EQ(table.verdict(table.intern(both)), both);
  EXPECT_EQ(table.text(full[0].reason), "full");
  EXPECT_EQ(table.verdict_count(), 4u);
}

TEST(FitTable, TheOrderOfReasonsTellsVerdictsApart) {
  FitTable table;
  const auto a = table.status(FitCode::kUnschedulable, "a"), b = table.status(FitCode::kUnschedulable, "b");
  EXPECT_NE(table.intern({a, b}), table.intern({b, a}));
}

// Pods that leave will free what they hold; pods that wait for it take it.
Accounting leaving_and_waiting() {
  Accounting accounting;
  accounting.rules[static_cast<std::size_t>(PodState::kReleasing)] = {true, true, false};
  accounting.rules[static_cast<std::size_t>(PodState::kPipelined)] = {false, false, true};
  return accounting;
}

class ResourceFitTest : public testing::Test {
 protected:
  ResourceFitTest() : cluster(leaving_and_waiting()) {}

  const Amounts& request(const PodBuilder& pod) { return cluster.books.shape_of(cluster.add(pod)).request; }
  void hold(const PodBuilder& pod, PodState as) { cluster.books.account(cluster.add(pod), node, as); }
  std::string lacks(const PodBuilder& pod) {
    const auto resource = fit.first_lacking(request(pod), node);
    return resource ? cluster.fits.text(fit.refusal(resource).reason) : "";
  }

  TestCluster cluster;
  NodeId node = cluster.add(a_node("n1").cpu(4).memory_gib(8));
  ResourceFit fit{cluster.books, cluster.fits};
};

TEST_F(ResourceFitTest, TheFirstLackingResourceIsNamed) {
  EXPECT_EQ(lacks(a_pod("p").cpu(4).memory_gib(8)), "");
  EXPECT_EQ(lacks(a_pod("p").cpu(5).memory_gib(9)), "Insufficient cpu");
  EXPECT_EQ(lacks(a_pod("p").memory_gib(9).gpu(1)), "Insufficient memory");
  EXPECT_EQ(lacks(a_pod("p").cpu(1).gpu(1)), "Insufficient nvidia.com/gpu");
  EXPECT_EQ(fit.refusal(kCpu).code, FitCode::kUnschedulable);
}

TEST_F(ResourceFitTest, WhatLeavesIsFreeLaterOnly) {
  hold(a_pod("leaving").cpu(3), PodState::kReleasing);
  EXPECT_FALSE(fit.fits_now(request(a_pod("p").cpu(2)), node));
  EXPECT_FALSE(fit.first_lacking(request(a_pod("p").cpu(2)), node));
  EXPECT_TRUE(fit.fits_now(request(a_pod("p").cpu(1)), node));
}

TEST_F(ResourceFitTest, WhatWaitsTakesFromWhatWillBeFree) {
  hold(a_pod("leaving").cpu(3), PodState::kReleasing);
  hold(a_pod("waiting").cpu(3), PodState::kPipelined);
  EXPECT_EQ(lacks(a_pod("p").cpu(2)), "Insufficient cpu");
  EXPECT_EQ(lacks(a_pod("p").cpu(1)), "");
}

}  // namespace
}  // namespace muster
