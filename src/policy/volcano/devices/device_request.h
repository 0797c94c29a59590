#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ids.h"
#include "model/objects.h"

namespace muster::volcano {

// What a pod asks for of shared devices, as far as it can matter to any kind of device. Pods that ask alike share one.
struct DeviceRequest {
  struct Container {
    ResourceList limits;  // of resources whose names have a domain
    ResourceList requests;
  };
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  StringMap annotations;  // that choose among cards
  std::string group;      // "namespace/name" of its PodGroup, of pods that keep apart from their own group

  // Whether any regular container has a limit of this name.
  bool limits(std::string_view resource) const;
  std::string key() const;
};

// Annotations of a pod that tell which devices it was given.
struct DeviceNotes {
  StringMap annotations;
  std::string group;  // "namespace/name" of its PodGroup, or empty
};

DeviceRequest device_request_of(const Pod& pod);
DeviceNotes device_notes_of(const Pod& pod);
// Whether a pod can matter to any device: it has a limit that could be one, or says that it was given some.
bool concerns_devices(const Pod& pod);

// What one container asks for of cards that are shared by number, memory and cores.
struct CardRequest {
  std::int32_t count = 0;
  std::int32_t memory = 0;
  std::int32_t percentage = 0;  // of the card's memory; kByMemory: the memory counts
  std::int32_t cores = 0;

  static constexpr std::int32_t kByMemory = 101;
};
struct CardResources {
  std::string_view count;
  std::string_view memory;
  std::string_view percentage;  // empty: not in use
  std::string_view cores;
};
// One for each regular container with a limit on the number or on the memory of cards.
std::vector<CardRequest> card_requests(const DeviceRequest& request, const CardResources& names);

}  // namespace muster::volcano
