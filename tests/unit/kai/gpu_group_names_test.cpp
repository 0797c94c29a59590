#include "policy/kai/gpu_group_names.h"

#include <gtest/gtest.h>

#include "support/kai_world.h"

namespace muster::kai {
namespace {

TEST(GpuGroupNames, AreGivenOutAgainWhenNobodyIsBoundToThem) {
  Interner<SymbolId> symbols;
  GpuGroupNames names;
  const auto first = names.open(symbols);
  const auto second = names.open(symbols);
  EXPECT_NE(first, second);
  names.close(second);
  EXPECT_EQ(names.open(symbols), second);
  names.keep(first);
  names.close(first);  // is in use for good
  names.close_all();
  EXPECT_EQ(names.open(symbols), second);
  EXPECT_NE(names.open(symbols), first);
  EXPECT_EQ(symbols.size(), 3u);
}

TEST(GpuGroupNames, AreNotThoseThatObjectsHave) {
  Interner<SymbolId> symbols;
  const auto taken = symbols.intern("new0");
  GpuGroupNames names;
  EXPECT_NE(names.open(symbols), taken);
}

// A pod of a fraction that can only wait opens a GPU in every attempt of every cycle.
TEST(GpuGroupNames, CanBeginWithWhatIsTheirProcesssOwn) {
  Interner<SymbolId> symbols;
  symbols.intern("0-000000000000");
  GpuGroupNames names;
  names.begin_with("0-");
  EXPECT_EQ(symbols.text(names.open(symbols)), "0-000000000001");
  for (int i = 0; i < 14; ++i) names.open(symbols);
  EXPECT_EQ(symbols.text(names.open(symbols)), "0-000000000010");
}

TEST(GpuGroupNames, DoNotGrowFromCycleToCycle) {
  KaiWorld world;
  world.node("n1", 2);
  world.job({.name = "old", .gpus = 2, .priority = "fixed", .nodes = {"n1"}});
  world.job({.name = "pair", .pods = 2, .minimum = 2, .fraction = "0.7", .nodes = {}});
  world.run(Behaviour::safe());
  const auto known = world.cluster().books().symbols().size();
  for (int i = 0; i < 5; ++i) world.again();
  EXPECT_EQ(world.cluster().books().symbols().size(), known);
}

}  // namespace
}  // namespace muster::kai
