#include "app/whatif_fields.h"

namespace muster {
namespace {

// That of the path itself or of the nearest one above it, with the rest; nothing: the workload says nothing of it.
std::optional<std::string> place_in_workload(const FieldPlaces& places, const std::string& path) {
  for (auto length = path.size(); length != 0 && length != std::string::npos; length = path.rfind('.', length - 1)) {
    const auto known = places.find(path.substr(0, length));
    if (known == places.end()) continue;
    return known->second.empty() ? std::string() : known->second + path.substr(length);
  }
  return std::nullopt;
}

}  // namespace

ToldField told_field(const std::optional<FieldPlaces>& places, const std::string& path) {
  if (!places) return {path};
  const auto place = place_in_workload(*places, path);
  return place && !place->empty() ? ToldField{*place} : ToldField{path, true};
}

void tell_places(const std::optional<FieldPlaces>& places, std::vector<FitsIf::Part>& parts) {
  if (!places) return;
  std::erase_if(parts, [&](const FitsIf::Part& part) { return place_in_workload(*places, part.path) == std::string(); });
  for (auto& part : parts) part.path = told_field(places, part.path).path;
}

}  // namespace muster
