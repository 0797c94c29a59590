#include "policy/volcano/csi_attachments.h"

#include <algorithm>

namespace muster::volcano {
namespace {

constexpr std::int32_t kNoLimit = 2147483647;
constexpr std::string_view kDriverParameter = "csi.storage.k8s.io/csi-driver-name";

ResourceId resource_of(std::string driver, Books& books) {
  std::replace(driver.begin(), driver.end(), '/', '-');
  return books.resource("attachable-volumes-csi-" + driver);
}

std::string driver_of_class(const PersistentVolumeClaim& claim, const VolumeCatalog& volumes) {
  const auto* storage_class = volumes.storage_class(class_of(claim));
  if (storage_class == nullptr) return {};
  const auto named = storage_class->parameters.find(std::string(kDriverParameter));
  return named != storage_class->parameters.end() ? named->second : storage_class->provisioner;
}

// The driver that serves a claim; empty when its volume is of another kind.
std::string driver_of(const PersistentVolumeClaim& claim, const VolumeCatalog& volumes) {
  if (!claim.volume_name.empty())
    if (const auto* volume = volumes.volume(claim.volume_name)) return volume->csi_driver;
  return driver_of_class(claim, volumes);
}

bool is_ignored(const std::string& driver, const std::vector<std::string>& more) {
  return driver == "rancher.io/local-path" || driver == "hostpath.csi.k8s.io" ||
         std::find(more.begin(), more.end(), driver) != more.end();
}

}  // namespace

void add_attachments(const Pod& pod, const VolumeCatalog& volumes, const std::vector<std::string>& ignored_provisioners,
                     Books& books, Amounts& request) {
  for (const auto& volume : pod.spec.volumes) {
    const auto name = volume.ephemeral ? pod.meta.name + "-" + volume.name : volume.claim;
    if (name.empty()) continue;
    const auto* claim = volumes.claim(pod.meta.ns + "/" + name);
    if (claim == nullptr) return;  // nothing is counted until all claims are there
    const auto driver = driver_of(*claim, volumes);
    if (!driver.empty() && !is_ignored(driver, ignored_provisioners)) request.add(resource_of(driver, books), 1);
  }
}

void add_attachment_limits(const CsiNode& node, Books& books, Amounts& allocatable) {
  for (const auto& [driver, count] : node.drivers) allocatable.add(resource_of(driver, books), count.value_or(kNoLimit));
}

}  // namespace muster::volcano
