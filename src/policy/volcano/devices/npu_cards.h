#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ids.h"

namespace muster::volcano {

// How much of an Ascend card is in use.
struct NpuUse {
  std::int64_t sharers = 0;
  std::int64_t memory = 0;
  std::int64_t cores = 0;
};

struct NpuCard {
  struct Holder {
    PodId pod;
    NpuUse use;
  };

  std::string id;
  std::int32_t limit = 0;  // of sharers
  std::int32_t memory = 0;
  std::int32_t cores = 0;
  bool in_network = false;              // says to which network it belongs
  std::optional<std::int64_t> network;  // which one, if that is a number

  NpuUse use;
  std::vector<Holder> holders;

  // Gives the pod a part, unless it has one already; takes it back.
  void add(PodId pod, std::int64_t part_memory, std::int64_t part_cores);
  void remove(PodId pod);
};

// The cards in a node's annotation; of equal ids the last one counts. Nothing when it is not a list of cards.
std::optional<std::vector<NpuCard>> read_npu_registration(std::string_view text);

// A part of a card that a container uses.
struct NpuPiece {
  std::string id;
  std::int32_t memory = 0;
  std::int32_t cores = 0;
};

// How parts of many containers are read: all of them, or as if there were one container, which makes the ids of the others wrong.
enum class NpuReading { kAll, kAsOneContainer };
std::vector<NpuPiece> decode_npu_pieces(std::string_view text, NpuReading reading);

}  // namespace muster::volcano
