#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/objects.h"

namespace muster {

// The storage objects of the cluster, and what has been promised of them but not written yet: which claim a volume will be bound
// to, and for which node a claim will be provisioned. Claims are named "namespace/name", everything else by its name.
class VolumeCatalog {
 public:
  void set(PersistentVolumeClaim claim);
  void set(PersistentVolume volume);
  void set(StorageClass storage_class);
  void set(CsiNode node);
  void remove_claim(std::string_view key);
  void remove_volume(std::string_view name);
  void remove_storage_class(std::string_view name);
  void remove_csi_node(std::string_view name);

  // nullptr when unknown. Pointers stay valid until the object is removed.
  const PersistentVolumeClaim* claim(std::string_view key) const { return find(claims_, key); }
  const PersistentVolume* volume(std::string_view name) const { return find(volumes_, name); }
  const StorageClass* storage_class(std::string_view name) const { return find(classes_, name); }
  const CsiNode* csi_node(std::string_view name) const { return find(csi_nodes_, name); }
  const std::map<std::string, StorageClass, std::less<>>& storage_classes() const { return classes_; }
  // In the order in which they came.
  const std::vector<const PersistentVolume*>& volumes_of_class(std::string_view name) const;

  // Promises last until they are withdrawn or the object itself says the same.
  void promise_volume(const std::string& volume, const std::string& claim) { promised_volumes_[volume] = claim; }
  void promise_node(const std::string& claim, const std::string& node) { promised_nodes_[claim] = node; }
  void withdraw_volume(const std::string& volume) { promised_volumes_.erase(volume); }
  void withdraw_node(const std::string& claim) { promised_nodes_.erase(claim); }

  // The node for which a claim is provisioned, empty when it is free to go anywhere.
  std::string_view selected_node(const PersistentVolumeClaim& claim) const;
  // Whose a volume is.
  enum class Holder : std::uint8_t { kNobody, kThisClaim, kAnother };
  Holder holder(const PersistentVolume& volume, const PersistentVolumeClaim& claim) const;

 private:
  template <class T>
  using Table = std::map<std::string, T, std::less<>>;
  template <class T>
  static const T* find(const Table<T>& table, std::string_view key) {
    const auto found = table.find(key);
    return found == table.end() ? nullptr : &found->second;
  }
  void unlist(const PersistentVolume& volume);

  Table<PersistentVolumeClaim> claims_;
  Table<PersistentVolume> volumes_;
  Table<std::vector<const PersistentVolume*>> by_class_;
  Table<StorageClass> classes_;
  Table<CsiNode> csi_nodes_;
  Table<std::string> promised_volumes_;  // volume -> claim
  Table<std::string> promised_nodes_;    // claim -> node
};

// "namespace/name".
std::string claim_key(const PersistentVolumeClaim& claim);
// The storage class that a claim or volume names, empty for none; an old annotation goes before the field.
std::string_view class_of(const PersistentVolumeClaim& claim);
std::string_view class_of(const PersistentVolume& volume);
// Whether a claim has its volume for good.
bool fully_bound(const PersistentVolumeClaim& claim);
// What the API says of an object that does not exist.
std::string not_found(std::string_view kind, std::string_view name);

}  // namespace muster
