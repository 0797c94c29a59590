#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ids.h"
#include "policy/volcano/devices/device_request.h"
#include "policy/volcano/devices/mig_slots.h"

namespace muster::volcano {

// How much of a card is in use.
struct VgpuUse {
  std::uint64_t sharers = 0;
  std::uint64_t memory = 0;
  std::uint64_t cores = 0;
  MigUse mig;
};

struct VgpuCard {
  struct Holder {
    PodId pod;
    std::uint64_t memory = 0;
    std::uint64_t cores = 0;
    std::string group;  // "namespace/name" of its PodGroup
  };

  std::size_t index = 0;
  std::string uuid;
  std::uint64_t limit = 0;  // of sharers
  std::uint64_t memory = 0;
  std::string type;
  const std::vector<MigGeometry>* geometries = nullptr;  // of cards that are cut into instances

  VgpuUse use;
  std::vector<Holder> holders;

  Holder* holder(PodId pod);
};

enum class VgpuMode { kHamiCore, kMig };

// What a node's annotation says of its cards. Nothing when it is no list of cards.
struct VgpuRegistration {
  std::vector<VgpuCard> cards;
  VgpuMode mode = VgpuMode::kHamiCore;  // that of the last card
};
std::optional<VgpuRegistration> read_vgpu_registration(std::string_view text, const VgpuConfig& config);

// A card, or a part of one, that a container uses.
struct VgpuPiece {
  std::string uuid;  // of an instance with its slot
  std::uint64_t memory = 0;
  std::uint64_t cores = 0;
};
using VgpuPieces = std::vector<std::vector<VgpuPiece>>;  // by container

std::string encode(const VgpuPieces& pieces);
VgpuPieces decode_vgpu_pieces(std::string_view text);

// Which cards a pod's annotations allow.
class VgpuChoice {
 public:
  explicit VgpuChoice(const StringMap& annotations);
  bool allows_uuid(std::string_view uuid) const;
  bool allows_type(std::string_view type) const;

 private:
  std::vector<std::string_view> allowed_, denied_;
  const std::string* wanted_type_;
  const std::string* unwanted_type_;
};

}  // namespace muster::volcano
