#include "daemon/volcano_cluster.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace muster::daemon {
namespace {

TEST(VolcanoCluster, OnlyItsOwnPodsAreToldAboutTheirClaims) {
  VolcanoCluster cluster({.config = volcano::default_config(), .behaviour = {}, .options = {}});
  for (const std::string scheduler : {"default-scheduler", "volcano"}) {
    Pod pod;
    pod.meta.ns = "ns";
    pod.meta.name = pod.meta.uid = "of-" + scheduler;
    pod.spec.scheduler_name = scheduler;
    pod.spec.volumes.push_back({.name = "v", .claim = "c", .ephemeral = false, .image = {}});
    pod.status.phase = "Pending";
    cluster.apply(Object(pod));
  }
  cluster.settle();
  const auto effects = cluster.run_cycle({1'767'225'600, 0}).effects;
  std::vector<std::string> told;
  for (const auto& patch : effects.patches)
    if (patch.object.plural == "pods") told.push_back(patch.object.name);
  for (const auto& event : effects.events)
    if (event.kind == "Pod") told.push_back(event.about.name);
  EXPECT_EQ(told, (std::vector<std::string>{"of-volcano", "of-volcano"})) << "a condition and an event";
}

}  // namespace
}  // namespace muster::daemon
