#include "kube/seen_objects.h"

#include <algorithm>
#include <tuple>

namespace muster::kube {

SeenObjects::Noted SeenObjects::note(const Identity& id) {
  Noted out;
  if (tracks_) touched_.insert(key_of(id));
  auto [found, added] = objects_.try_emplace(key_of(id));
  auto& entry = found->second;
  entry.round = round_;
  if (!added && entry.uid == id.uid && entry.resource_version == id.resource_version) return out;
  if (!added && entry.uid != id.uid) out.replaced = identity(found->first, entry);
  out.news = added || out.replaced ? News::kAdded : News::kModified;
  entry.uid = id.uid;
  entry.resource_version = id.resource_version;
  return out;
}

void SeenObjects::touch(const Identity& id) {
  if (tracks_) touched_.insert(key_of(id));
  if (const auto found = objects_.find(key_of(id)); found != objects_.end()) found->second.round = round_;
}

std::optional<Identity> SeenObjects::remove(const Identity& id) {
  if (tracks_) touched_.insert(key_of(id));
  const auto found = objects_.find(key_of(id));
  if (found == objects_.end()) return std::nullopt;
  auto out = identity(found->first, found->second);
  objects_.erase(found);
  return out;
}

std::vector<Identity> SeenObjects::end_list() {
  std::vector<Identity> gone;
  for (const auto& [key, entry] : objects_)
    if (entry.round != round_) gone.push_back(identity(key, entry));
  std::sort(gone.begin(), gone.end(), [](const auto& a, const auto& b) { return std::tie(a.ns, a.name) < std::tie(b.ns, b.name); });
  for (const auto& id : gone) objects_.erase(key_of(id));
  return gone;
}

std::optional<Identity> SeenObjects::find(const Identity& id) const {
  const auto found = objects_.find(key_of(id));
  if (found == objects_.end()) return std::nullopt;
  return identity(found->first, found->second);
}

std::vector<Identity> SeenObjects::between(const std::string& after, const std::string& last) const {
  std::vector<Identity> out;
  for (const auto& [key, entry] : objects_)
    if (key > after && (last.empty() || key <= last)) out.push_back(identity(key, entry));
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return key_of(a) < key_of(b); });
  return out;
}

void SeenObjects::begin_tracking() {
  touched_.clear();
  tracks_ = true;
}

void SeenObjects::end_tracking() {
  touched_ = {};
  tracks_ = false;
}

Identity SeenObjects::identity(const std::string& key, const Entry& entry) {
  const auto slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1), entry.uid, entry.resource_version};
}

}  // namespace muster::kube
