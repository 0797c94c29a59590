// Whatever nodes and pods carry in their annotations, devices are read without harm, and what was read and can be written reads the
// same again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "model/json.h"
#include "policy/volcano/devices/device_config.h"
#include "policy/volcano/devices/mig_slots.h"
#include "policy/volcano/devices/npu_cards.h"
#include "policy/volcano/devices/npu_chips.h"
#include "policy/volcano/devices/vgpu_cards.h"
#include "policy/volcano/numa/cpu_set.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster;
  using namespace muster::volcano;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);

  auto config = DeviceConfig::standard().vgpu;
  config.mig = {{{"A"}, {{"g", {{"1g", 10, 2}, {"2g", 20, 1}}}}}};
  if (const auto cards = read_vgpu_registration(text, config))
    for (const auto& card : cards->cards) MUSTER_ASSERT(card.geometries == nullptr || !card.geometries->empty());

  const auto pieces = decode_vgpu_pieces(text);
  std::size_t count = 0;
  for (const auto& container : pieces) count += container.size();
  std::size_t again = 0;
  for (const auto& container : decode_vgpu_pieces(encode(pieces))) again += container.size();
  MUSTER_ASSERT(count == again);

  if (const auto slot = parse_slot_id(text)) {
    MigUse use;
    take_slot(config.mig[0].geometries, use, slot->group, slot->position);
    free_slot(config.mig[0].geometries, use, slot->group, slot->position);
    MUSTER_ASSERT(use.instances.empty());
  }

  if (const auto cards = read_npu_registration(text)) MUSTER_ASSERT(read_json(text).has_value());
  static_cast<void>(decode_npu_pieces(text, NpuReading::kAll));
  static_cast<void>(decode_npu_pieces(text, NpuReading::kAsOneContainer));
  MUSTER_ASSERT(!parse_npu_grant(text).chips.empty());

  if (const auto set = CpuSet::parse(text))
    set->for_each([](std::size_t cpu) { MUSTER_ASSERT(cpu < static_cast<std::size_t>(CpuSet::kMostCpus)); });
  return 0;
}
