#pragma once

// Storage objects for tests: a_claim("data").of_class("fast").bound_to("v1"), a_volume("v1").gib(10).only_on("zone", "a").

#include <string>
#include <utility>

#include "model/objects.h"

namespace muster {

class ClaimBuilder {
 public:
  explicit ClaimBuilder(std::string name) {
    claim_.meta.name = std::move(name);
    claim_.meta.ns = "default";
    claim_.phase = "Pending";
    claim_.access_modes = {"ReadWriteOnce"};
    gib(1);
  }
  ClaimBuilder& uid(std::string uid) {
    claim_.meta.uid = std::move(uid);
    return *this;
  }
  ClaimBuilder& gib(std::int64_t amount) {
    claim_.requests["storage"] = Quantity::from_units(amount << 30);
    return *this;
  }
  ClaimBuilder& of_class(std::string name) {
    claim_.storage_class = std::move(name);
    return *this;
  }
  ClaimBuilder& annotation(std::string key, std::string value) {
    claim_.meta.annotations.set(std::move(key), std::move(value));
    return *this;
  }
  // Names a volume without being bound to it yet.
  ClaimBuilder& wants(std::string volume) {
    claim_.volume_name = std::move(volume);
    return *this;
  }
  ClaimBuilder& bound_to(std::string volume) {
    claim_.phase = "Bound";
    return wants(std::move(volume)).annotation("pv.kubernetes.io/bind-completed", "yes");
  }
  ClaimBuilder& lost() {
    claim_.phase = "Lost";
    return *this;
  }
  ClaimBuilder& deleted() {
    claim_.meta.deleted.emplace();
    return *this;
  }
  ClaimBuilder& mode(std::string mode) {
    claim_.access_modes = {std::move(mode)};
    return *this;
  }
  operator PersistentVolumeClaim() const { return claim_; }  // NOLINT: reads as a claim wherever one is wanted

 private:
  PersistentVolumeClaim claim_;
};

inline ClaimBuilder a_claim(std::string name) { return ClaimBuilder(std::move(name)); }

class VolumeBuilder {
 public:
  explicit VolumeBuilder(std::string name) {
    volume_.meta.name = std::move(name);
    volume_.phase = "Available";
    volume_.access_modes = {"ReadWriteOnce"};
    gib(1);
  }
  VolumeBuilder& gib(std::int64_t amount) {
    volume_.capacity["storage"] = Quantity::from_units(amount << 30);
    return *this;
  }
  VolumeBuilder& of_class(std::string name) {
    volume_.storage_class = std::move(name);
    return *this;
  }
  VolumeBuilder& label(std::string key, std::string value) {
    volume_.meta.labels.set(std::move(key), std::move(value));
    return *this;
  }
  VolumeBuilder& only_on(std::string key, std::string value) {
    volume_.node_affinity = NodeSelector{{{{{std::move(key), SelectorOp::kIn, {std::move(value)}}}, {}}}};
    return *this;
  }
  VolumeBuilder& held_by(std::string claim, std::string uid = "") {
    volume_.claim_namespace = "default";
    volume_.claim_name = std::move(claim);
    volume_.claim_uid = std::move(uid);
    return *this;
  }
  VolumeBuilder& phase(std::string phase) {
    volume_.phase = std::move(phase);
    return *this;
  }
  VolumeBuilder& driver(std::string name) {
    volume_.csi_driver = std::move(name);
    return *this;
  }
  operator PersistentVolume() const { return volume_; }  // NOLINT: reads as a volume wherever one is wanted

 private:
  PersistentVolume volume_;
};

inline VolumeBuilder a_volume(std::string name) { return VolumeBuilder(std::move(name)); }

class StorageClassBuilder {
 public:
  explicit StorageClassBuilder(std::string name) {
    class_.meta.name = std::move(name);
    class_.binding_mode = "Immediate";
  }
  StorageClassBuilder& waits() {
    class_.binding_mode = "WaitForFirstConsumer";
    return *this;
  }
  StorageClassBuilder& mode(std::string mode) {
    class_.binding_mode = std::move(mode);
    return *this;
  }
  StorageClassBuilder& provisioner(std::string name) {
    class_.provisioner = std::move(name);
    return *this;
  }
  StorageClassBuilder& only_on(std::string key, std::string value) {
    class_.allowed_topologies.push_back({{{std::move(key), SelectorOp::kIn, {std::move(value)}}}, {}});
    return *this;
  }
  operator StorageClass() const { return class_; }  // NOLINT: reads as a class wherever one is wanted

 private:
  StorageClass class_;
};

inline StorageClassBuilder a_storage_class(std::string name) { return StorageClassBuilder(std::move(name)); }

inline CsiNode a_csi_node(std::string name, std::string driver, std::optional<std::int32_t> count) {
  CsiNode node;
  node.meta.name = std::move(name);
  node.drivers.push_back({std::move(driver), count});
  return node;
}

}  // namespace muster
