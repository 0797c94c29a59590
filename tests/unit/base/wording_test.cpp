#include "base/wording.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

struct Case {
  const char* text;
  const char* words;
};

TEST(Wording, NumbersAreAlikeAndNamesAreNot) {
  const Case cases[] = {
      {"", ""},
      {"0/41 nodes are available: 3 node(s) had taints.", "0/0 nodes are available: 0 node(s) had taints."},
      {"Limit is 1.5 GPUs, currently 12", "Limit is 0 GPUs, currently 0"},
      {"memory: 8.589 (GB), 40Gi, 500m", "memory: 0 (GB), 0, 0"},
      {"after 1h0m0s. 300ms", "after 0. 0"},
      {"node-3 and team/7", "node-3 and team/7"},
      {"node 10.0.0.5", "node 10.0.0.5"},
      {"node 3d-lab", "node 3d-lab"},
      {"3x", "3x"},
      {"in 5.", "in 0."},
      {"ns/3/4", "ns/3/4"},
      {"2nd", "2nd"},
  };
  for (const auto& [text, words] : cases) EXPECT_EQ(without_numbers(text), words) << text;
}

}  // namespace
}  // namespace muster
