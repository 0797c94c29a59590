#include "app/near_names.h"

#include <gtest/gtest.h>

#include "policy/volcano/cluster.h"
#include "support/volcano_builders.h"

namespace muster {
namespace {

TEST(NearNames, NoResourceIsTakenForAnotherProductOrSize) {
  volcano::Cluster cluster;
  cluster.apply(Object(volcano::a_volcano_node("n1")
                           .cpu("4")
                           .has("nvidia.com/gpu", "8")
                           .has("nvidia.com/mig-1g.10gb", "7")
                           .has("hugepages-1Gi", "4Gi")
                           .has("example.com/nic2", "2")
                           .object()));
  cluster.settle();
  struct Row {
    const char* typed;
    const char* meant;
  };
  for (const auto& [typed, meant] : std::initializer_list<Row>{{"nvidia.com/gpus", "nvidia.com/gpu"},
                                                               {"nvidia.com/mig-3g.40gb", ""},
                                                               {"nvidia.com/mig-1g.5gb", ""},
                                                               {"nvidia.com/mig-1g10gb", "nvidia.com/mig-1g.10gb"},
                                                               {"nvdia.com/mig-1g.10gb", "nvidia.com/mig-1g.10gb"},
                                                               {"hugepages-2Mi", ""},
                                                               {"hugepage-1Gi", "hugepages-1Gi"},
                                                               {"example.com/nic1", ""},
                                                               {"example.com/nic", ""}})
    EXPECT_EQ(near_resource(cluster.books(), typed), meant) << typed;
}

}  // namespace
}  // namespace muster
