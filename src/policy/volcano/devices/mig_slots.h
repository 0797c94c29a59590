#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/volcano/devices/device_config.h"

namespace muster::volcano {

// Which slices of a card that is cut into instances are taken. A card follows one geometry at a time: that of the first pod on it.
struct MigUse {
  struct Instances {
    std::string name;
    std::uint64_t memory = 0;
    std::vector<std::int64_t> taken;  // indices among the instances of this name, ascending
  };
  std::optional<std::size_t> geometry;  // none: nothing was taken yet
  std::vector<Instances> instances;     // only of names that are in use
};

// A slice: "group2-3" is the fourth of the geometry "group2", counting the instances in the order of the configuration.
struct MigSlot {
  std::string group;
  std::int64_t position = 0;
  std::uint64_t memory = 0;
};

// The smallest slice with so much memory. Once a card is in use, only instances of names that are in use already are found.
std::optional<MigSlot> find_slot(const std::vector<MigGeometry>& geometries, const MigUse& use, std::uint64_t memory);

// Marks a slice as taken or free again; its memory comes back, 0 when there is no such slice.
std::uint64_t take_slot(const std::vector<MigGeometry>& geometries, MigUse& use, std::string_view group, std::int64_t position);
std::uint64_t free_slot(const std::vector<MigGeometry>& geometries, MigUse& use, std::string_view group, std::int64_t position);

// "GPU-1[group2-3]".
std::string slot_id(std::string_view card, const MigSlot& slot);
std::optional<MigSlot> parse_slot_id(std::string_view id);

}  // namespace muster::volcano
