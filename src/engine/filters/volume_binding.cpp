#include "engine/filters/volume_binding.h"

#include <algorithm>

#include "base/assert.h"
#include "model/quoted.h"

namespace muster {
namespace {

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

Quantity storage(const ResourceList& amounts) {
  const auto found = amounts.find("storage");
  return found == amounts.end() ? Quantity() : found->second;
}

bool reaches(const PersistentVolume& volume, const NodeRecord& node) {
  return !volume.node_affinity || volume.node_affinity->matches(node.labels, "");
}

bool offers_modes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return std::all_of(claim.access_modes.begin(), claim.access_modes.end(), [&](const std::string& mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) != volume.access_modes.end();
  });
}

// A problem with a claim that no node can cure, or nothing.
std::string problem_with(const PersistentVolumeClaim& claim) {
  const auto name = "persistentvolumeclaim " + in_quotes(claim.meta.name);
  if (claim.phase == "Lost") return name + " bound to non-existent persistentvolume " + in_quotes(claim.volume_name);
  if (claim.meta.deleted) return name + " is being deleted";
  return {};
}

}  // namespace

VolumeBindingFilter::VolumeBindingFilter(const Books& books, FitTable& fits, VolumeCatalog& catalog)
    : books_(books), fits_(fits), catalog_(catalog) {
  constexpr std::array<std::pair<Conflict, std::string_view>, 3> kTexts = {
      {{kAffinity, "node(s) didn't match PersistentVolume's node affinity"},
       {kNoVolume, "node(s) didn't find available persistent volumes to bind"},
       {kLostVolume, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"}}};
  for (unsigned set = 1; set < conflicts_.size(); ++set) {
    std::string text;
    for (const auto& [conflict, reason] : kTexts)
      if ((set & conflict) != 0) text.append(text.empty() ? "" : ", ").append(reason);
    conflicts_[set] = fits.status(FitCode::kUnresolvable, text);
  }
}

Dependence VolumeBindingFilter::dependence(PodId pod) const {
  return books_.shape_of(pod).claims.empty() ? Dependence::kNothing : Dependence::kOthers;
}

NodeFilter::Prepared VolumeBindingFilter::prepare(PodId pod) {
  prepared_ = pod;
  claims_ = {};
  if (books_.shape_of(pod).claims.empty()) return {Preparation::kSkip, std::nullopt};
  if (const auto refusal = find_refusal(pod)) return {Preparation::kCheck, refusal};
  auto sorted = sort_claims(pod);
  if (!sorted) return {Preparation::kCheck, fits_.status(FitCode::kError, sorted.error().message)};
  claims_ = std::move(*sorted);
  if (claims_.immediate.empty()) return {};
  return {Preparation::kCheck, fits_.status(FitCode::kUnresolvable, "pod has unbound immediate PersistentVolumeClaims")};
}

std::optional<FitStatus> VolumeBindingFilter::find_refusal(PodId pod) const {
  for (const auto& key : books_.shape_of(pod).claims) {
    const auto* claim = catalog_.claim(key);
    const auto problem = claim == nullptr ? not_found("persistentvolumeclaim", std::string_view(key).substr(key.find('/') + 1))
                                          : problem_with(*claim);
    if (!problem.empty()) return fits_.status(FitCode::kUnresolvable, problem);
  }
  return std::nullopt;
}

// A claim that names a volume but is not bound to it yet is being bound by others, like one of a class that binds at once.
Result<VolumeBindingFilter::Sorted> VolumeBindingFilter::sort_claims(PodId pod) const {
  Sorted sorted;
  for (const auto& key : books_.shape_of(pod).claims) {
    const auto* claim = catalog_.claim(key);
    if (fully_bound(*claim)) {
      sorted.bound.push_back(claim);
      continue;
    }
    const auto* storage_class = catalog_.storage_class(class_of(*claim));
    if (storage_class != nullptr && storage_class->binding_mode.empty())
      return fail("VolumeBindingMode not set for StorageClass " + in_quotes(storage_class->meta.name));
    const bool waits =
        storage_class != nullptr && storage_class->binding_mode == "WaitForFirstConsumer" && claim->volume_name.empty();
    (waits ? sorted.waiting : sorted.immediate).push_back(claim);
  }
  return sorted;
}

FitStatus VolumeBindingFilter::check(PodId pod, NodeId node) const {
  if (!MUSTER_EXPECT(pod == prepared_)) return {};
  const auto& record = books_.node(node);
  unsigned conflicts = check_bound(record);
  if (!claims_.waiting.empty() && !plan(claims_, record).possible) conflicts |= kNoVolume;
  return conflicts == 0 ? FitStatus{} : conflicts_[conflicts];
}

unsigned VolumeBindingFilter::check_bound(const NodeRecord& node) const {
  for (const auto* claim : claims_.bound) {
    const auto* volume = catalog_.volume(claim->volume_name);
    if (volume == nullptr) return kLostVolume;
    if (!reaches(*volume, node)) return kAffinity;
  }
  return 0;
}

// Claims that were promised to a node are provisioned there or nowhere; the others take the smallest volumes that do, smallest
// claim first, and are provisioned when there is none.
VolumeBindingFilter::Plan VolumeBindingFilter::plan(const Sorted& claims, const NodeRecord& node) const {
  Plan plan;
  Claims open;
  for (const auto* claim : claims.waiting) {
    const auto selected = catalog_.selected_node(*claim);
    plan.possible &= selected.empty() || selected == node.name;
    (selected.empty() ? open : plan.provisions).push_back(claim);
  }
  if (!plan.possible) return plan;
  std::stable_sort(open.begin(), open.end(), [](auto* a, auto* b) { return storage(a->requests) < storage(b->requests); });
  for (const auto* claim : open) {
    if (const auto* volume = find_volume(*claim, node, plan))
      plan.bindings.emplace_back(volume, claim);
    else
      plan.provisions.push_back(claim);
  }
  plan.possible =
      std::all_of(plan.provisions.begin(), plan.provisions.end(), [&](auto* claim) { return can_provision(*claim, node); });
  return plan;
}

const PersistentVolume* VolumeBindingFilter::find_volume(const PersistentVolumeClaim& claim, const NodeRecord& node,
                                                         const Plan& so_far) const {
  const auto wanted = storage(claim.requests);
  const auto chosen = [&](const PersistentVolume* volume) {
    return std::any_of(so_far.bindings.begin(), so_far.bindings.end(),
                       [&](const auto& binding) { return binding.first == volume; });
  };
  const PersistentVolume* smallest = nullptr;
  for (const auto* volume : catalog_.volumes_of_class(class_of(claim))) {
    const auto holder = catalog_.holder(*volume, claim);
    const auto capacity = storage(volume->capacity);
    if (chosen(volume) || holder == VolumeCatalog::Holder::kAnother || capacity < wanted || volume->meta.deleted) continue;
    if (holder == VolumeCatalog::Holder::kThisClaim) return reaches(*volume, node) ? volume : nullptr;
    if (volume->phase != "Available" || !reaches(*volume, node) || !offers_modes(*volume, claim)) continue;
    if (smallest == nullptr || capacity < storage(smallest->capacity)) smallest = volume;
  }
  return smallest;
}

bool VolumeBindingFilter::can_provision(const PersistentVolumeClaim& claim, const NodeRecord& node) const {
  const auto* storage_class = catalog_.storage_class(class_of(claim));
  if (storage_class == nullptr || storage_class->provisioner.empty() || storage_class->provisioner == kNoProvisioner) return false;
  const auto& allowed = storage_class->allowed_topologies;
  return allowed.empty() ||
         std::any_of(allowed.begin(), allowed.end(), [&](const auto& term) { return term.matches(node.labels, ""); });
}

void VolumeBindingFilter::reserve(PodId pod, NodeId node) {
  if (books_.shape_of(pod).claims.empty() || find_refusal(pod)) return;
  const auto sorted = sort_claims(pod);
  if (!sorted || sorted->waiting.empty()) return;
  const auto chosen = plan(*sorted, books_.node(node));
  auto& reservation = reserved_[pod.index()];
  for (const auto& [volume, claim] : chosen.bindings) {
    catalog_.promise_volume(volume->meta.name, claim_key(*claim));
    reservation.volumes.push_back(volume->meta.name);
  }
  for (const auto* claim : chosen.provisions) {
    if (!catalog_.selected_node(*claim).empty()) continue;
    catalog_.promise_node(claim_key(*claim), books_.node(node).name);
    reservation.claims.push_back(claim_key(*claim));
  }
}

void VolumeBindingFilter::release(PodId pod) {
  const auto found = reserved_.find(pod.index());
  if (found == reserved_.end()) return;
  for (const auto& volume : found->second.volumes) catalog_.withdraw_volume(volume);
  for (const auto& claim : found->second.claims) catalog_.withdraw_node(claim);
  reserved_.erase(found);
}

}  // namespace muster
