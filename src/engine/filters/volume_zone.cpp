#include "engine/filters/volume_zone.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace muster {
namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kOldZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kOldRegion = "failure-domain.beta.kubernetes.io/region";
constexpr std::array kLabels = {kOldZone, kOldRegion, kZone, kRegion};

std::string_view todays_name(std::string_view label) { return label == kOldZone ? kZone : label == kOldRegion ? kRegion : label; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// A volume in several zones names them all with two underscores between. A list with an empty name in it is no list.
std::vector<std::string> split_zones(std::string_view text) {
  std::vector<std::string> zones;
  for (std::size_t start = 0; start <= text.size();) {
    const auto end = std::min(text.find("__", start), text.size());
    const auto zone = trimmed(text.substr(start, end - start));
    if (zone.empty()) return {};
    zones.emplace_back(zone);
    start = end + 2;
  }
  return zones;
}

}  // namespace

VolumeZoneFilter::VolumeZoneFilter(const Books& books, FitTable& fits, const VolumeCatalog& catalog)
    : books_(books),
      fits_(fits),
      catalog_(catalog),
      elsewhere_(fits.status(FitCode::kUnresolvable, "node(s) had no available volume zone")) {}

Dependence VolumeZoneFilter::dependence(PodId pod) const {
  return books_.shape_of(pod).claims.empty() ? Dependence::kNothing : Dependence::kOthers;
}

NodeFilter::Prepared VolumeZoneFilter::prepare(PodId pod) {
  prepared_ = pod;
  places_.clear();
  for (const auto& claim : books_.shape_of(pod).claims)
    if (const auto refusal = add_places(claim); !refusal.empty())
      return {Preparation::kCheck, fits_.status(FitCode::kUnresolvable, refusal)};
  return {places_.empty() ? Preparation::kSkip : Preparation::kCheck, std::nullopt};
}

std::string VolumeZoneFilter::add_places(const std::string& claim_name) {
  const auto* claim = catalog_.claim(claim_name);
  if (claim == nullptr) return not_found("persistentvolumeclaim", std::string_view(claim_name).substr(claim_name.find('/') + 1));
  if (claim->volume_name.empty()) return check_unbound(*claim);
  const auto* volume = catalog_.volume(claim->volume_name);
  if (volume == nullptr) return not_found("persistentvolume", claim->volume_name);
  for (const auto label : kLabels) {
    const auto* value = volume->meta.labels.find(label);
    if (value == nullptr) continue;
    if (auto zones = split_zones(*value); !zones.empty()) places_.push_back({label, std::move(zones)});
  }
  return {};
}

// A claim without a volume is fine only when it waits for its pod to be placed.
std::string VolumeZoneFilter::check_unbound(const PersistentVolumeClaim& claim) const {
  const auto name = class_of(claim);
  if (name.empty()) return "PersistentVolumeClaim had no pv name and storageClass name";
  const auto* storage_class = catalog_.storage_class(name);
  if (storage_class == nullptr) return not_found("storageclass.storage.k8s.io", name);
  if (storage_class->binding_mode.empty()) return "VolumeBindingMode not set for StorageClass \"" + std::string(name) + "\"";
  return storage_class->binding_mode == "WaitForFirstConsumer" ? "" : "PersistentVolume had no name";
}

FitStatus VolumeZoneFilter::check(PodId pod, NodeId node) const {
  if (!MUSTER_EXPECT(pod == prepared_)) return {};
  const auto& record = books_.node(node);
  if (std::none_of(kLabels.begin(), kLabels.end(), [&](auto label) { return record.labels.contains(label); })) return {};
  return std::all_of(places_.begin(), places_.end(), [&](const Place& place) { return allows(place, record); }) ? FitStatus{}
                                                                                                                : elsewhere_;
}

bool VolumeZoneFilter::allows(const Place& place, const NodeRecord& node) const {
  const auto* value = node.labels.find(place.label);
  if (value == nullptr) value = node.labels.find(todays_name(place.label));
  return value != nullptr && std::find(place.values.begin(), place.values.end(), *value) != place.values.end();
}

}  // namespace muster
