#include "daemon/assumed_claims.h"

#include <algorithm>

#include "daemon/claim_bodies.h"
#include "daemon/object_version.h"

namespace muster::daemon {
namespace {

const ObjectMeta& meta_of_claim(const Object& object) {
  if (const auto* volume = std::get_if<PersistentVolume>(&object)) return volume->meta;
  if (const auto* claim = std::get_if<PersistentVolumeClaim>(&object)) return claim->meta;
  return std::get<ResourceClaim>(object).meta;
}

bool shows(const Object& object, const AssumedClaims::What& what) {
  if (const auto* holder = std::get_if<AssumedClaims::Holder>(&what))
    return std::get<PersistentVolume>(object).claim_uid == holder->uid;
  if (const auto* selected = std::get_if<AssumedClaims::SelectedNode>(&what)) {
    const auto& claim = std::get<PersistentVolumeClaim>(object);
    return !claim.volume_name.empty() || claim.meta.annotations.get(kSelectedNode) == selected->node;
  }
  return std::get<ResourceClaim>(object).allocation.has_value();
}

bool is_same(const AssumedClaims::What& left, const AssumedClaims::What& right) {
  if (const auto* holder = std::get_if<AssumedClaims::Holder>(&left))
    return holder->uid == std::get<AssumedClaims::Holder>(right).uid;
  if (const auto* selected = std::get_if<AssumedClaims::SelectedNode>(&left))
    return selected->node == std::get<AssumedClaims::SelectedNode>(right).node;
  return std::get<AssumedClaims::Given>(left).devices.devices == std::get<AssumedClaims::Given>(right).devices.devices;
}

}  // namespace

std::string claim_name_of(std::string_view plural, const std::string& ns, const std::string& name) {
  return std::string(plural) + "/" + ns + "/" + name;
}

std::string claim_name_of(const Object& object) {
  if (const auto* volume = std::get_if<PersistentVolume>(&object)) return claim_name_of("persistentvolumes", {}, volume->meta.name);
  if (const auto* claim = std::get_if<PersistentVolumeClaim>(&object))
    return claim_name_of("persistentvolumeclaims", claim->meta.ns, claim->meta.name);
  if (const auto* claim = std::get_if<ResourceClaim>(&object))
    return claim_name_of("resourceclaims", claim->meta.ns, claim->meta.name);
  return {};
}

bool AssumedClaims::hold(const Object& object, What what, const std::string& pod) {
  auto [place, is_new] = entries_.try_emplace(claim_name_of(object));
  auto& entry = place->second;
  if (!is_new && meta_of_claim(entry.real).uid != meta_of_claim(object).uid) is_new = true;
  if (is_new) {
    entry = {.real = object, .what = std::move(what), .pods = {}};
    if (auto* claim = std::get_if<ResourceClaim>(&entry.real); claim != nullptr && !shows_devices(place->first))
      claim->allocation.reset();  // it is only what was decided
    entry.is_shown = shows(entry.real, entry.what);
  } else if (!is_same(entry.what, what)) {
    return false;
  }
  if (std::ranges::find(entry.pods, pod) == entry.pods.end()) entry.pods.push_back(pod);
  return true;
}

bool AssumedClaims::is_under_way(const std::string& object) const {
  const auto found = entries_.find(object);
  return found != entries_.end() && (found->second.is_begun || found->second.is_shown);
}

void AssumedClaims::begin_writing(const std::string& object) {
  if (const auto found = entries_.find(object); found != entries_.end()) found->second.is_begun = true;
}

void AssumedClaims::on_written(const std::string& object, const std::string& version) {
  if (const auto found = entries_.find(object); found != entries_.end()) found->second.written = version_of(version);
}

const AssumedClaims::What* AssumedClaims::find(const std::string& object) const {
  const auto found = entries_.find(object);
  return found == entries_.end() ? nullptr : &found->second.what;
}

std::vector<std::string> AssumedClaims::pods_of(const std::string& object) const {
  const auto found = entries_.find(object);
  return found == entries_.end() ? std::vector<std::string>() : found->second.pods;
}

Object AssumedClaims::completed(const Entry& entry) const {
  auto object = entry.real;
  if (entry.is_shown) return object;
  if (const auto* holder = std::get_if<Holder>(&entry.what)) {
    auto& volume = std::get<PersistentVolume>(object);
    volume.claim_namespace = holder->ns;
    volume.claim_name = holder->name;
    volume.claim_uid = holder->uid;
  } else if (const auto* selected = std::get_if<SelectedNode>(&entry.what)) {
    std::get<PersistentVolumeClaim>(object).meta.annotations.set(kSelectedNode, selected->node);
  } else {
    std::get<ResourceClaim>(object).allocation = std::get<Given>(entry.what).devices;
  }
  return object;
}

Object AssumedClaims::as_assumed(const std::string& object) const { return completed(entries_.at(object)); }

std::vector<std::string> AssumedClaims::complete(Object& object) {
  const auto name = claim_name_of(object);
  if (name.empty()) return {};
  if (const auto* claim = std::get_if<ResourceClaim>(&object)) {
    if (claim->allocation)
      with_devices_.insert(name);
    else
      with_devices_.erase(name);
  }
  const auto found = entries_.find(name);
  if (found == entries_.end()) return {};
  auto& entry = found->second;
  const auto& meta = meta_of_claim(object);
  const bool is_another = meta_of_claim(entry.real).uid != meta.uid;
  const bool is_shown = !is_another && shows(object, entry.what);
  const auto version = version_of(meta.resource_version);
  const bool is_over = is_another || (!is_shown && (entry.is_shown || (entry.written != 0 && version >= entry.written)));
  if (is_over || (is_shown && entry.pods.empty())) {
    auto pods = std::move(entry.pods);
    entries_.erase(found);
    return pods;
  }
  entry.real = object;
  entry.is_shown = is_shown;
  object = completed(entry);
  return {};
}

std::vector<std::string> AssumedClaims::forget(const std::string& object) {
  with_devices_.erase(object);
  const auto found = entries_.find(object);
  if (found == entries_.end()) return {};
  auto pods = std::move(found->second.pods);
  entries_.erase(found);
  return pods;
}

std::optional<Object> AssumedClaims::let_go(const std::string& object, const std::string& pod, End end) {
  const auto found = entries_.find(object);
  if (found == entries_.end()) return std::nullopt;
  auto& entry = found->second;
  std::erase(entry.pods, pod);
  if (!entry.pods.empty()) return std::nullopt;
  if (entry.is_shown) {
    entries_.erase(found);
    return std::nullopt;
  }
  if (end == End::kBound || entry.written != 0) return std::nullopt;  // until it is shown, or what became of it
  auto real = std::move(entry.real);
  // It has the version of what was decided on, and must not be taken for older than that.
  if (auto* claim = std::get_if<ResourceClaim>(&real)) claim->meta.resource_version.clear();
  entries_.erase(found);
  return real;
}

}  // namespace muster::daemon
