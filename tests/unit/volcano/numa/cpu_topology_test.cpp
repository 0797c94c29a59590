#include "policy/volcano/numa/cpu_topology.h"

#include <gtest/gtest.h>

namespace muster::volcano {
namespace {

std::vector<std::size_t> cpus_of(const std::optional<CpuSet>& set) {
  std::vector<std::size_t> out;
  if (set) set->for_each([&](std::size_t cpu) { out.push_back(cpu); });
  return out;
}
using Cpus = std::vector<std::size_t>;

// Sockets of cores with two threads: thread t of core c is CPU c + t x cores.
CpuTopology machine(int sockets, int cores, int threads) {
  std::vector<CpuTopology::Cpu> cpus;
  const int all = sockets * cores;
  for (int t = 0; t < threads; ++t)
    for (int c = 0; c < all; ++c) cpus.push_back({static_cast<std::size_t>(t * all + c), c / cores, c / cores, c});
  return CpuTopology(std::move(cpus));
}

TEST(CpuSetTest, Parses) {
  EXPECT_EQ(cpus_of(CpuSet::parse("0-2,7")), (Cpus{0, 1, 2, 7}));
  EXPECT_EQ(cpus_of(CpuSet::parse("")), Cpus{});
  for (const auto* text : {",", "a", "2-1", "-1", "1-", "0-99999999", " 1"}) EXPECT_FALSE(CpuSet::parse(text)) << text;
}

TEST(CpuSetTest, Arithmetic) {
  auto set = *CpuSet::parse("0-3,100");
  set.subtract(*CpuSet::parse("1,200"));
  EXPECT_EQ(cpus_of(set), (Cpus{0, 2, 3, 100}));
  CpuSet small;
  small.add(set);
  EXPECT_EQ(small.size(), 4u);
}

TEST(CpuTopologyTest, SocketsThenCoresThenThreads) {
  const auto two = machine(2, 4, 2);
  EXPECT_EQ(cpus_of(two.take(two.all(), 8)), (Cpus{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(cpus_of(two.take(two.all(), 2)), (Cpus{0, 8}));
  EXPECT_EQ(cpus_of(two.take(two.all(), 3)), (Cpus{0, 1, 8}));
  EXPECT_EQ(cpus_of(two.take(two.all(), 0)), Cpus{});
  EXPECT_FALSE(two.take(two.all(), 17));
  EXPECT_FALSE(two.take(*CpuSet::parse("90-99"), 1));
}

TEST(CpuTopologyTest, APartlyUsedCoreIsFilledFirst) {
  const auto one = machine(1, 4, 2);
  EXPECT_EQ(cpus_of(one.take(*CpuSet::parse("0-3,4-5,7"), 1)), (Cpus{2}));
}

TEST(CpuTopologyTest, UnlistedCpusAreOnNodeZero) {
  const auto one = machine(2, 2, 1);
  EXPECT_EQ(one.numa_of(3), 1);
  EXPECT_EQ(one.numa_of(99), 0);
  EXPECT_EQ(CpuTopology().numa_of(3), 0);
  EXPECT_FALSE(CpuTopology().take(*CpuSet::parse("0"), 1));
}

}  // namespace
}  // namespace muster::volcano
