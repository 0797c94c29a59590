#include "engine/filters/volume_catalog.h"

#include <algorithm>

namespace muster {
namespace {

constexpr std::string_view kOldClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kBoundAnnotation = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kSelectedNodeAnnotation = "volume.kubernetes.io/selected-node";

}  // namespace

std::string claim_key(const PersistentVolumeClaim& claim) { return claim.meta.ns + "/" + claim.meta.name; }

std::string_view class_of(const PersistentVolumeClaim& claim) {
  if (const auto* old = claim.meta.annotations.find(kOldClassAnnotation)) return *old;
  return claim.storage_class ? std::string_view(*claim.storage_class) : std::string_view();
}

std::string_view class_of(const PersistentVolume& volume) {
  if (const auto* old = volume.meta.annotations.find(kOldClassAnnotation)) return *old;
  return volume.storage_class;
}

bool fully_bound(const PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() && claim.meta.annotations.contains(kBoundAnnotation);
}

std::string not_found(std::string_view kind, std::string_view name) {
  return std::string(kind).append(" \"").append(name).append("\" not found");
}

void VolumeCatalog::set(PersistentVolumeClaim claim) {
  const auto key = claim_key(claim);
  if (!claim.volume_name.empty() || claim.meta.annotations.contains(kSelectedNodeAnnotation)) withdraw_node(key);
  claims_.insert_or_assign(key, std::move(claim));
}

void VolumeCatalog::set(PersistentVolume volume) {
  if (!volume.claim_name.empty()) withdraw_volume(volume.meta.name);
  const auto found = volumes_.find(volume.meta.name);
  const bool stays_in_class = found != volumes_.end() && class_of(found->second) == class_of(volume);
  if (found != volumes_.end() && !stays_in_class) unlist(found->second);
  const auto name = volume.meta.name;
  const auto& stored = volumes_.insert_or_assign(name, std::move(volume)).first->second;
  if (!stays_in_class) by_class_[std::string(class_of(stored))].push_back(&stored);
}

void VolumeCatalog::set(StorageClass storage_class) {
  const auto name = storage_class.meta.name;
  classes_.insert_or_assign(name, std::move(storage_class));
}

void VolumeCatalog::set(CsiNode node) {
  const auto name = node.meta.name;
  csi_nodes_.insert_or_assign(name, std::move(node));
}

void VolumeCatalog::remove_claim(std::string_view key) {
  if (const auto found = claims_.find(key); found != claims_.end()) claims_.erase(found);
  withdraw_node(std::string(key));
}

void VolumeCatalog::remove_volume(std::string_view name) {
  withdraw_volume(std::string(name));
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return;
  unlist(found->second);
  volumes_.erase(found);
}

void VolumeCatalog::remove_storage_class(std::string_view name) {
  if (const auto found = classes_.find(name); found != classes_.end()) classes_.erase(found);
}

void VolumeCatalog::remove_csi_node(std::string_view name) {
  if (const auto found = csi_nodes_.find(name); found != csi_nodes_.end()) csi_nodes_.erase(found);
}

void VolumeCatalog::unlist(const PersistentVolume& volume) {
  auto& list = by_class_[std::string(class_of(volume))];
  list.erase(std::find(list.begin(), list.end(), &volume));
}

const std::vector<const PersistentVolume*>& VolumeCatalog::volumes_of_class(std::string_view name) const {
  static const std::vector<const PersistentVolume*> kNone;
  const auto* list = find(by_class_, name);
  return list == nullptr ? kNone : *list;
}

std::string_view VolumeCatalog::selected_node(const PersistentVolumeClaim& claim) const {
  if (const auto* promised = find(promised_nodes_, claim_key(claim))) return *promised;
  return claim.meta.annotations.get(kSelectedNodeAnnotation);
}

VolumeCatalog::Holder VolumeCatalog::holder(const PersistentVolume& volume, const PersistentVolumeClaim& claim) const {
  if (const auto* promised = find(promised_volumes_, volume.meta.name))
    return *promised == claim_key(claim) ? Holder::kThisClaim : Holder::kAnother;
  if (volume.claim_name.empty()) return Holder::kNobody;
  const bool same = volume.claim_name == claim.meta.name && volume.claim_namespace == claim.meta.ns &&
                    (volume.claim_uid.empty() || volume.claim_uid == claim.meta.uid);
  return same ? Holder::kThisClaim : Holder::kAnother;
}

}  // namespace muster
