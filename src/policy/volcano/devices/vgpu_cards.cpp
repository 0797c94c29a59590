#include "policy/volcano/devices/vgpu_cards.h"

#include <algorithm>
#include <limits>

#include "base/split.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kVgpuVendor = "NVIDIA";
constexpr std::size_t kRegisteredFields = 6;
constexpr std::size_t kVgpuPieceFields = 4;

std::uint64_t number_or_zero(std::string_view text) { return static_cast<std::uint64_t>(parse_integer(text).value_or(0)); }

std::optional<std::uint64_t> parse_natural32(std::string_view text) {
  if (text.empty() || text.front() == '+' || text.front() == '-') return std::nullopt;
  const auto value = parse_integer(text);
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

const std::vector<MigGeometry>* geometries_for(std::string_view type, const VgpuConfig& config) {
  for (const auto& known : config.mig)
    for (const auto& model : known.models)
      if (type.find(model) != std::string_view::npos) return &known.geometries;
  return nullptr;
}

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const auto from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  for (const auto piece : split(text, ','))
    if (const auto item = without_space(piece); !item.empty()) items.push_back(item);
  return items;
}

bool has(const std::vector<std::string_view>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (auto& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

// Whether the type contains any of the words, whatever their case.
bool names_type(std::string_view words, std::string_view type) {
  const auto name = upper(type);
  for (const auto word : split(words, ','))
    if (name.find(upper(word)) != std::string::npos) return true;
  return false;
}

}  // namespace

VgpuCard::Holder* VgpuCard::holder(PodId pod) {
  const auto found = std::find_if(holders.begin(), holders.end(), [&](const Holder& holder) { return holder.pod == pod; });
  return found == holders.end() ? nullptr : &*found;
}

std::optional<VgpuRegistration> read_vgpu_registration(std::string_view text, const VgpuConfig& config) {
  if (text.find(':') == std::string_view::npos) return std::nullopt;
  VgpuRegistration out;
  const auto entries = split(text, ':');
  for (std::size_t index = 0; index < entries.size(); ++index) {
    if (entries[index].find(',') == std::string_view::npos) continue;
    const auto fields = split(entries[index], ',');
    if (fields.size() < kRegisteredFields) return std::nullopt;
    VgpuCard card;
    card.index = index;
    card.uuid = fields[0];
    card.limit = number_or_zero(fields[1]);
    card.memory = number_or_zero(fields[2]);
    card.type = fields[3];
    out.mode = fields[5] == "mig" ? VgpuMode::kMig : VgpuMode::kHamiCore;
    if (out.mode == VgpuMode::kMig) {
      card.geometries = geometries_for(card.type, config);
      if (card.geometries == nullptr) out.mode = VgpuMode::kHamiCore;
    }
    out.cards.push_back(std::move(card));
  }
  return out;
}

std::string encode(const VgpuPieces& pieces) {
  std::string text;
  for (std::size_t container = 0; container < pieces.size(); ++container) {
    if (container != 0) text += ';';
    for (const auto& piece : pieces[container])
      text.append(piece.uuid)
          .append(",")
          .append(kVgpuVendor)
          .append(",")
          .append(std::to_string(piece.memory))
          .append(",")
          .append(std::to_string(piece.cores))
          .append(":");
  }
  return text;
}

VgpuPieces decode_vgpu_pieces(std::string_view text) {
  VgpuPieces out;
  if (text.empty()) return out;
  for (const auto container : split(text, ';')) {
    auto& pieces = out.emplace_back();
    for (const auto entry : split(container, ':')) {
      const auto fields = split(entry, ',');
      if (fields.size() < kVgpuPieceFields) continue;
      const auto memory = parse_natural32(fields[2]);
      const auto cores = parse_natural32(fields[3]);
      if (memory && cores) pieces.push_back({std::string(fields[0]), *memory, *cores});
    }
  }
  return out;
}

VgpuChoice::VgpuChoice(const StringMap& annotations)
    : allowed_(items_of(annotations.get("volcano.sh/vgpu-use-gpuuuid"))),
      denied_(items_of(annotations.get("volcano.sh/vgpu-nouse-gpuuuid"))),
      wanted_type_(annotations.find("nvidia.com/use-gputype")),
      unwanted_type_(annotations.find("nvidia.com/nouse-gputype")) {}

bool VgpuChoice::allows_uuid(std::string_view uuid) const {
  if (uuid.empty() && !(allowed_.empty() && denied_.empty())) return false;
  return (allowed_.empty() || has(allowed_, uuid)) && !has(denied_, uuid);
}

bool VgpuChoice::allows_type(std::string_view type) const {
  if (type.find(kVgpuVendor) == std::string_view::npos) return false;
  if (wanted_type_ != nullptr) return names_type(*wanted_type_, type);
  return unwanted_type_ == nullptr || !names_type(*unwanted_type_, type);
}

}  // namespace muster::volcano
