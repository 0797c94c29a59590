#include "policy/volcano/devices/npu_cards.h"

#include <algorithm>
#include <limits>

#include "base/split.h"
#include "model/json.h"

namespace muster::volcano {
namespace {

constexpr std::size_t kNpuPieceFields = 4;

bool same_key(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char l, char r) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return lower(l) == lower(r);
  });
}

bool read_int32(const Json& value, std::int32_t& out) {
  const auto number = value.as_int();
  if (!number || *number < std::numeric_limits<std::int32_t>::min() || *number > std::numeric_limits<std::int32_t>::max())
    return false;
  if (value.kind != Json::Kind::kNull) out = static_cast<std::int32_t>(*number);
  return true;
}

bool read_custom(const Json& value, NpuCard& card) {
  if (value.kind == Json::Kind::kNull) return true;
  if (value.kind != Json::Kind::kMap) return false;
  const auto* network = value.find("NetworkID");
  card.in_network = network != nullptr;
  card.network.reset();
  if (network != nullptr && network->kind == Json::Kind::kNumber)
    if (const auto number = network->as_double(); number && *number > -1e15 && *number < 1e15)
      card.network = static_cast<std::int64_t>(*number);
  return true;
}

bool read_card(const Json& value, NpuCard& card) {
  if (value.kind != Json::Kind::kMap) return false;
  for (const auto& [key, field] : value.members) {
    bool fine = true;
    if (same_key(key, "id")) {
      fine = field.kind == Json::Kind::kString || field.kind == Json::Kind::kNull;
      if (field.kind == Json::Kind::kString) card.id = field.text;
    } else if (same_key(key, "count")) {
      fine = read_int32(field, card.limit);
    } else if (same_key(key, "devmem")) {
      fine = read_int32(field, card.memory);
    } else if (same_key(key, "devcore")) {
      fine = read_int32(field, card.cores);
    } else if (same_key(key, "custominfo")) {
      fine = read_custom(field, card);
    }
    if (!fine) return false;
  }
  return true;
}

std::int32_t int32_or_zero(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number) return 0;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(*number, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

// False: something in it is no part of a card, and then none of it counts.
bool decode_container(std::string_view text, std::vector<NpuPiece>& out) {
  for (const auto entry : split(text, ':')) {
    if (entry.find(',') == std::string_view::npos) continue;
    const auto fields = split(entry, ',');
    if (fields.size() < kNpuPieceFields) return false;
    out.push_back({std::string(fields[0]), int32_or_zero(fields[2]), int32_or_zero(fields[3])});
  }
  return true;
}

}  // namespace

void NpuCard::add(PodId pod, std::int64_t part_memory, std::int64_t part_cores) {
  if (std::any_of(holders.begin(), holders.end(), [&](const Holder& holder) { return holder.pod == pod; })) return;
  holders.push_back({pod, {1, part_memory, part_cores}});
  ++use.sharers;
  use.memory += part_memory;
  use.cores += part_cores;
}

void NpuCard::remove(PodId pod) {
  const auto found = std::find_if(holders.begin(), holders.end(), [&](const Holder& holder) { return holder.pod == pod; });
  if (found == holders.end()) return;
  --use.sharers;
  use.memory -= found->use.memory;
  use.cores -= found->use.cores;
  holders.erase(found);
}

std::optional<std::vector<NpuCard>> read_npu_registration(std::string_view text) {
  const auto list = read_json(text);
  if (!list || list->kind != Json::Kind::kList) return std::nullopt;
  std::vector<NpuCard> cards;
  for (const auto& item : list->items) {
    if (item.kind == Json::Kind::kNull) continue;
    NpuCard card;
    if (!read_card(item, card)) return std::nullopt;
    const auto known = std::find_if(cards.begin(), cards.end(), [&](const NpuCard& other) { return other.id == card.id; });
    if (known == cards.end())
      cards.push_back(std::move(card));
    else
      *known = std::move(card);
  }
  return cards;
}

std::vector<NpuPiece> decode_npu_pieces(std::string_view text, NpuReading reading) {
  std::vector<NpuPiece> pieces;
  if (reading == NpuReading::kAsOneContainer) {
    if (!decode_container(text, pieces)) pieces.clear();
    return pieces;
  }
  for (const auto container : split(text, ';'))
    if (!decode_container(container, pieces)) return {};
  return pieces;
}

}  // namespace muster::volcano
