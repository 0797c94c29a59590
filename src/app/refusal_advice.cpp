#include "app/refusal_advice.h"

#include <fmt/format.h>
#include <optional>
#include <set>
#include <vector>

#include "app/amount_text.h"
#include "app/printable_text.h"

namespace muster {
namespace {

using volcano::Session;

constexpr std::string_view kCards = "volcano.sh/node-vgpu-register";

// What stands between two marks; none if either is missing.
std::optional<std::string> between(std::string_view text, std::string_view left, std::string_view right) {
  const auto at = text.find(left);
  if (at == std::string_view::npos) return std::nullopt;
  const auto start = at + left.size();
  const auto end = right.empty() ? text.size() : text.find(right, start);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(start, end - start));
}

bool says(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

// Refusals that always ask for the same.
struct Standing {
  std::string_view words;  // in the refusal
  std::string_view advice;
};
constexpr Standing kStanding[] = {
    {"not allow to dispatch to revocable node",
     "let the pod use revocable nodes with its annotation volcano.sh/preemptable: \"true\" or volcano.sh/revocable-zone: \"*\""},
    {"invalid resource pools were encountered",
     "complete the ResourceSlices of the pools: spec.pool.resourceSliceCount tells how many"},
    {"resourceclaim not available on the node", "make room on the nodes that the devices of its ResourceClaim are on"},
    {"is in the process of being allocated", "wait until its ResourceClaim has been allocated"},
    {"timed out trying to allocate devices", "ask for fewer devices or alternatives in its ResourceClaims"},
    {"unbound immediate PersistentVolumeClaims",
     "wait until its PersistentVolumeClaims are bound, or give their StorageClass the volumeBindingMode WaitForFirstConsumer"},
    {"didn't find available persistent volumes to bind",
     "create PersistentVolumes that match its PersistentVolumeClaims, or let their StorageClass provision them"},
    {"didn't match PersistentVolume's node affinity", "make room on the nodes from which its volumes can be reached"},
    {"bound to non-existent pv(s)", "create the PersistentVolumes that its PersistentVolumeClaims are bound to"},
    {"had no available volume zone", "make room on nodes of the zone that its volumes are in"},
    {"exceed max volume count", "detach volumes from a node: it has as many as its CSINode allows"},
    {"didn't have free ports for the requested pod ports", "free the host ports that it asks for on a node, or ask for other ones"},
    {"didn't match pod affinity rules", "place the pods that its spec.affinity.podAffinity wants to be near, or relax it"},
    {"didn't match pod anti-affinity rules", "relax its spec.affinity.podAntiAffinity, or add nodes without pods that it avoids"},
    {"didn't satisfy existing pods anti-affinity rules", "relax the podAntiAffinity of the pods that keep it away, or add nodes"},
    {"topology spread constraints (missing required label)",
     "label the nodes with the topologyKey of its spec.topologySpreadConstraints"},
    {"didn't match pod topology spread constraints",
     "make room in the domains that have fewest of its pods, or raise maxSkew in its spec.topologySpreadConstraints"},
    {"node(s) pod number exceeded", "end pods there, or raise maxPods of the kubelets"},
    {"node group label not found", "give the nodes the label volcano.sh/nodegroup-name"},
    {"node group affinity not specified", "name node groups in spec.affinity.nodeGroupAffinity of its queue"},
    {"does not satisfy the node group affinity", "add the nodes' groups to spec.affinity.nodeGroupAffinity of its queue"},
    {"node group resource limit annotation invalid", "correct the annotation volcano.sh/nodegroup-resource-limits of its queue"},
    {"node group resource limit exceeded", "raise the limit in the annotation volcano.sh/nodegroup-resource-limits of its queue"},
    {"load of the node exceeds the upper limit", "wait until the load of the nodes falls, or raise thresholds of the plugin usage"},
    {"numa info is empty", "create the Numatopology objects of the nodes: the resource exporter of Volcano writes them"},
    {"cpu manager policy isn't static", "set the kubelets' cpuManagerPolicy to static on the nodes"},
    {"task topology policy[", "give the pod the NUMA policy of a node, or a node the pod's as its kubelet's topologyManagerPolicy"},
    {"cannot be assigned by numa", "free CPUs of one NUMA node, or ask for fewer per container"},
    {"node(s) didn't have the requested devices",
     "see that the device plugin runs on the nodes: they have no annotation hami.io/node-register-… for the NPUs that it asks for"},
    {"no ascend device available", "free NPUs of the kind that it asks for, or ask for less of their memory or cores"},
    {"no enough gpu memory", "free volcano.sh/gpu-memory on one card of a node, or ask for less"},
    {"no enough gpu number", "free whole cards of a node, or ask for fewer in volcano.sh/gpu-number"},
};

class Advisor {
 public:
  Advisor(const Session& session, PodId pod, std::string_view refusal) : session_(session), pod_(pod), refusal_(refusal) {}

  std::string text() const {
    for (const auto find :
         {&Advisor::on_zones, &Advisor::on_cards, &Advisor::on_devices, &Advisor::on_claims, &Advisor::on_volumes})
      if (auto advice = (this->*find)(); !advice.empty()) return advice;
    for (const auto& standing : kStanding)
      if (says(refusal_, standing.words)) return std::string(standing.advice);
    return "";
  }

 private:
  std::string ns() const {
    const auto key = session_.books().pod_key(pod_);
    return key.substr(0, key.find('/') + 1);
  }

  // ---- time division

  std::string on_zones() const {
    if (const auto zone = between(refusal_, "current time beyond revocable zone ", ":"))
      return fmt::format("wait until the revocable zone {} opens ({} UTC), or change tdm.revocable-zone.{}", *zone,
                         between(refusal_, *zone + ":", "").value_or(""), *zone);
    if (const auto zone = between(refusal_, "revocable zone ", " not support"))
      return fmt::format("name the hours of the revocable zone {0} in tdm.revocable-zone.{0} of the plugin tdm", *zone);
    if (const auto hours = between(refusal_, "revocable zone ", " format error"))
      return fmt::format("write the hours \"{}\" of the revocable zone as 00:00-06:00", *hours);
    return "";
  }

  // ---- virtual GPUs

  std::string on_cards() const {
    if (!says(refusal_, "hami-vgpuDeviceSharing error")) return "";
    return fmt::format(
        "free a share of a GPU for {}: the node annotation {} tells the cards, their memory and how many pods may share "
        "one",
        cards_asked(), kCards);
  }

  // "1 of volcano.sh/vgpu-number, 4000 of volcano.sh/vgpu-memory"
  std::string cards_asked() const {
    std::vector<std::string> asked;
    for (const auto& [resource, amount] : session_.books().shape_of(pod_).request)
      if (const auto& name = session_.books().resource_name(resource); amount > 0 && name.find("gpu") != std::string::npos)
        asked.push_back(fmt::format("{} of {}", amount_text(name, static_cast<double>(amount)), name));
    return asked.empty() ? "what it asks for" : listed(asked, kMostNamed);
  }

  // ---- device claims

  std::string on_devices() const {
    if (const auto name = between(refusal_, "device class ", " does not exist"))
      return fmt::format("create the DeviceClass {}, or name another one in its ResourceClaim", *name);
    if (!says(refusal_, "cannot allocate all claims")) return "";
    const auto classes = classes_asked();
    const auto what =
        classes.empty() ? std::string("the devices that it claims") : "devices of the DeviceClass " + listed(classes, kMostNamed);
    if (session_.cluster().devices().slices().empty())
      return fmt::format("see that a driver publishes {}: there is no ResourceSlice at all", what);
    return fmt::format("free {} on a node, or see that a driver publishes more of them in ResourceSlices", what);
  }

  std::set<std::string> classes_asked() const {
    std::set<std::string> classes;
    const auto& devices = session_.cluster().devices();
    for (const auto& own : devices.claims_of(pod_)) {
      const auto* entry = devices.claim(own.key);
      if (entry == nullptr || entry->allocated()) continue;
      for (const auto& request : entry->claim.requests) {
        if (!request.device_class.empty()) classes.insert(request.device_class);
        for (const auto& alternative : request.alternatives) classes.insert(alternative.device_class);
      }
    }
    return classes;
  }

  std::string on_claims() const {
    if (says(refusal_, "ResourceClaim not created yet"))
      return fmt::format(
          "give the ResourceClaim that is made from the template of pod {}, and name it in the pod's "
          "status.resourceClaimStatuses",
          session_.books().pod(pod_).name);
    if (const auto name = between(refusal_, "could not find ResourceClaim \"", "\""))
      return fmt::format("create the ResourceClaim {}, or name another one in spec.resourceClaims", *name);
    if (const auto name = between(refusal_, "resourceclaim \"", "\" is being deleted"))
      return fmt::format("wait until the ResourceClaim {}{} has gone and create it anew", ns(), *name);
    if (const auto name = between(refusal_, "ResourceClaim ", " was not created for Pod"))
      return fmt::format("delete the ResourceClaim {}, which another pod owns, so that one is made for this pod", *name);
    return "";
  }

  // ---- volumes

  std::string on_volumes() const {
    const auto missing = [&](std::string_view kind) { return between(refusal_, std::string(kind) + " \"", "\" not found"); };
    if (const auto name = missing("persistentvolumeclaim"))
      return fmt::format("create the PersistentVolumeClaim {}{}, or name another one in spec.volumes", ns(), *name);
    if (const auto name = missing("persistentvolume"))
      return fmt::format("create the PersistentVolume {}, to which its PersistentVolumeClaim is bound", *name);
    if (const auto name = missing("storageclass.storage.k8s.io"))
      return fmt::format("create the StorageClass {}, or name another one in its PersistentVolumeClaim", *name);
    if (const auto name = between(refusal_, "bound to non-existent persistentvolume \"", "\""))
      return fmt::format("create the PersistentVolume {}, to which its PersistentVolumeClaim is bound", *name);
    if (const auto name = between(refusal_, "persistentvolumeclaim \"", "\" is being deleted"))
      return fmt::format("wait until the PersistentVolumeClaim {}{} has gone and create it anew", ns(), *name);
    if (const auto name = between(refusal_, "VolumeBindingMode not set for StorageClass \"", "\""))
      return fmt::format("set volumeBindingMode of the StorageClass {}", *name);
    if (says(refusal_, "PersistentVolumeClaim had no pv name and storageClass name"))
      return "name a StorageClass or a PersistentVolume in its PersistentVolumeClaim";
    if (says(refusal_, "PersistentVolume had no name")) return "wait until its PersistentVolumeClaim is bound to a volume";
    return "";
  }

  const Session& session_;
  PodId pod_;
  std::string_view refusal_;
};

}  // namespace

std::string advice_on(const Session& session, PodId pod, std::string_view refusal) { return Advisor(session, pod, refusal).text(); }

}  // namespace muster
