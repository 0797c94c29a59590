#include "policy/kai/extended_resources.h"

#include <gtest/gtest.h>

#include "support/device_builder.h"

namespace muster::kai {
namespace {

DeviceClass standing_for(std::string name, std::string resource, std::int64_t created) {
  DeviceClass device_class = a_device_class(std::move(name));
  device_class.extended_resource = std::move(resource);
  device_class.meta.created = Timestamp{created, 0};
  return device_class;
}

Container container(std::int64_t gpus, bool restartable = false) {
  Container container;
  container.requests = {{"cpu", Quantity::from_units(1)}, {"example.com/gpu", Quantity::from_units(gpus)}};
  container.restartable = restartable;
  return container;
}

std::string requests_of(const ExtendedDevices& devices) {
  std::string text;
  for (const auto& request : devices.claim.requests) text += request.name + "=" + std::to_string(request.count) + " ";
  return text;
}

TEST(ExtendedResources, TheYoungestClassStandsForAResource) {
  DeviceCatalog catalog;
  catalog.set(standing_for("old", "example.com/gpu", 1));
  catalog.set(standing_for("young", "example.com/gpu", 2));
  catalog.set(standing_for("as-young", "example.com/gpu", 2));
  ExtendedResources classes;
  EXPECT_TRUE(classes.empty());
  classes.build(catalog);
  EXPECT_EQ(*classes.class_of("example.com/gpu"), "as-young");  // of two the first by name
  EXPECT_EQ(*classes.class_of("deviceclass.resource.kubernetes.io/old"), "old");
  EXPECT_EQ(classes.class_of("cpu"), nullptr);
}

TEST(ExtendedResources, InitContainersUseWhatOthersWillHold) {
  DeviceCatalog catalog;
  catalog.set(standing_for("c", "example.com/gpu", 1));
  ExtendedResources classes;
  classes.build(catalog);
  struct Row {
    std::vector<Container> init, main;
    const char* requests;
  };
  const Row rows[] = {
      {{}, {container(2)}, "container-0-request-1=2 "},
      {{}, {container(2), container(1)}, "container-0-request-1=2 container-1-request-1=1 "},
      {{container(1)}, {container(2)}, "container-1-request-1=2 "},
      {{container(3)}, {container(2)}, "container-0-request-1=1 container-1-request-1=2 "},
      {{container(3), container(5)}, {container(2)}, "container-1-request-1=3 container-2-request-1=2 "},
      {{container(1, true), container(3)},
       {container(1)},
       "container-0-request-1=1 container-1-request-1=2 container-2-request-1=1 "},
      {{}, {container(0)}, ""},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    Pod pod;
    pod.spec.init_containers = rows[i].init;
    pod.spec.containers = rows[i].main;
    const auto asks = extended_asks(pod);
    EXPECT_EQ(requests_of(extended_devices(asks, {"example.com/gpu"}, classes)), rows[i].requests) << i;
    EXPECT_EQ(classes.any(asks), !std::string_view(rows[i].requests).empty()) << i;
  }
}

}  // namespace
}  // namespace muster::kai
