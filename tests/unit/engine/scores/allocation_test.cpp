#include "engine/scores/allocation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

TEST(Percentage, RoundsDown) {
  struct Row {
    std::int64_t part, whole, percent;
  };
  const Row rows[] = {{0, 1, 0},       {1, 1, 100},   {1, 3, 33},    {2, 3, 66},
                      {999, 1000, 99}, {29, 100, 29}, {57, 100, 57}, {1, 1'000'000, 0}};
  for (const auto& [part, whole, percent] : rows) EXPECT_EQ(percentage(part, whole), percent) << part << "/" << whole;
}

TEST(Percentage, IsRightNextToEveryWholeNumber) {
  for (const std::int64_t whole :
       {100LL, 7'000LL, 274'877'906'944LL, 1'099'511'627'776LL, 35'184'372'088'832LL, 90'071'992'547'409'920LL})
    for (std::int64_t percent = 0; percent <= 100; ++percent)
      for (std::int64_t off = -2; off <= 2; ++off) {
        const auto part = whole / 100 * percent + off;
        if (part < 0 || part > whole) continue;
        ASSERT_EQ(percentage(part, whole), part * 100 / whole) << part << "/" << whole;
      }
}

RC_GTEST_PROP(PercentageProperty, AgreesWithWholeNumberDivision, ()) {
  const auto whole = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 52));
  const auto part = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(0, whole + 1));
  RC_ASSERT(percentage(part, whole) == part * 100 / whole);
}

}  // namespace
}  // namespace muster
