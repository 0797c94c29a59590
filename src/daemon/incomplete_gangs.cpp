#include "daemon/incomplete_gangs.h"

#include <algorithm>
#include <utility>

#include "daemon/object_key.h"

namespace muster::daemon {

void IncompleteGangs::begin(const std::vector<Bind>& binds) {
  if (patience_ == kube::Duration(0)) return;
  std::set<std::string> begun;
  for (const auto& bind : binds) {
    const auto known = gang_of_.find(bind.pod.uid);
    if (known != gang_of_.end() && known->second != bind.group) forget(bind.pod.uid);  // it belongs to another gang now
    if (bind.group.empty()) continue;
    auto& gang = gangs_[bind.group];
    if (!gang.holds_room()) drop_refusal(bind.group, gang);  // it was of an attempt that is over
    gang.open.insert_or_assign(bind.pod.uid, bind.pod);
    gang.refused.erase(bind.pod.uid);
    gang_of_.insert_or_assign(bind.pod.uid, bind.group);
    begun.insert(bind.group);
  }
  for (const auto& name : begun) {
    auto& gang = gangs_.at(name);
    const bool may_be_over = gang.refusal && gang.refusal->loss.may_pass;
    if ((gang.was_whole && !may_be_over) || asks_.lacks(gang.open.begin()->second, {})) continue;
    gang.was_whole = true;
    if (may_be_over) drop_refusal(name, gang);
  }
}

void IncompleteGangs::on_bound(const std::string& uid, kube::Instant now) {
  const auto known = gang_of_.find(uid);
  if (known == gang_of_.end()) return;
  auto& gang = gangs_.at(known->second);
  auto pod = gang.open.extract(uid);
  if (pod.empty()) return;
  gang.refused.erase(uid);
  if (gang.refusal && !gang.holds_room()) gang.refusal->since = now;
  gang.bound.insert_or_assign(uid, Member{std::move(pod.mapped())});
  const auto name = known->second;  // which may end here
  if (gang.open.empty() && is_complete(gang))
    forget_bound(name, gang);
  else
    changed_.insert(name);
}

// Hundreds of a gang may be refused together, and to ask takes as long as the gang is large.
std::map<std::string, std::string> IncompleteGangs::on_refused(const std::vector<Refused>& refused, kube::Instant now) {
  std::map<std::string, const Refused*> first;
  for (const auto& one : refused) {
    const auto found = gangs_.find(one.gang);
    if (found == gangs_.end() || !found->second.was_whole) continue;
    first.try_emplace(one.gang, &one);
    if (found->second.open.contains(one.pod.uid)) found->second.refused.insert(one.pod.uid);
  }
  std::map<std::string, std::string> out;
  for (const auto& [name, one] : first) {
    auto& gang = gangs_.at(name);
    if (!asks_.lacks(one->pod, uids_of(gang.open))) {
      changed_.insert(name);
      continue;
    }
    hold_up(name, gang, {one->what, patience_}, now);
    if (asks_.lacks(one->pod, gang.refused)) out.emplace(name, one->what);
  }
  return out;
}

void IncompleteGangs::on_not_bound(const std::string& uid, kube::Duration patience) {
  const auto known = gang_of_.find(uid);
  if (known == gang_of_.end()) return;
  auto& gang = gangs_.at(known->second);
  const auto pod = gang.open.find(uid);
  if (pod == gang.open.end() || gang.refused.contains(uid) || gang.loss) return;
  gang.loss = Loss{"the bind of " + key_of(pod->second) + " came to nothing", patience, true};
  changed_.insert(known->second);
}

// The cluster does not know of it yet. Nobody may have looked at the gang since it was completed: in a cluster that has nothing to
// do there are no cycles. Who leaves because we want it is not lost.
void IncompleteGangs::on_lost(const kube::Identity& pod) {
  const auto known = gang_of_.find(pod.uid);
  if (known == gang_of_.end()) return;
  const auto name = known->second;  // which may end here
  auto& gang = gangs_.at(name);
  if (!gang.bound.empty() && is_complete(gang)) return forget_bound(name, gang);
  if (const auto member = gang.bound.find(pod.uid); member != gang.bound.end() && member->second.leaves) return;
  gang.loss = Loss{key_of(pod) + " was lost", patience_};
  changed_.insert(name);
}

void IncompleteGangs::on_evicted(const std::vector<Evict>& evictions) {
  for (const auto& eviction : evictions)
    if (const auto known = gang_of_.find(eviction.pod.uid); known != gang_of_.end())
      if (auto& bound = gangs_.at(known->second).bound; bound.contains(eviction.pod.uid)) bound.at(eviction.pod.uid).leaves = true;
}

void IncompleteGangs::on_stays(const std::string& uid) {
  if (const auto known = gang_of_.find(uid); known != gang_of_.end())
    if (auto& bound = gangs_.at(known->second).bound; bound.contains(uid)) bound.at(uid).leaves = false;
}

void IncompleteGangs::forget(const std::string& uid) {
  const auto known = gang_of_.find(uid);
  if (known == gang_of_.end()) return;
  const auto name = known->second;
  gang_of_.erase(known);
  auto& gang = gangs_.at(name);
  gang.open.erase(uid);
  gang.refused.erase(uid);
  gang.bound.erase(uid);
  changed_.insert(name);
  end_if_empty(name, gang);
}

void IncompleteGangs::forget_all() {
  gangs_.clear();
  held_up_.clear();
  changed_.clear();
  gang_of_.clear();
}

// Not with every bind that is answered: to ask takes as long as the gang is large.
void IncompleteGangs::settle(kube::Instant now) {
  for (const auto& name : std::exchange(changed_, {})) {
    const auto found = gangs_.find(name);
    if (found == gangs_.end() || found->second.bound.empty()) continue;
    auto& gang = found->second;
    if (is_complete(gang))
      forget_bound(name, gang);
    else if (gang.was_whole && gang.loss && asks_.lacks(gang.bound.begin()->second.pod, {}))
      hold_up(name, gang, *std::exchange(gang.loss, std::nullopt), now);
  }
}

// Who waits already waits no longer for another loss, and not so long when that is for good.
void IncompleteGangs::hold_up(const std::string& name, Gang& gang, Loss loss, kube::Instant now) {
  const bool goes_on = gang.refusal && gang.holds_room() && (loss.may_pass || !gang.refusal->loss.may_pass);
  if (!goes_on) gang.refusal = Refusal{std::move(loss), now};
  held_up_.insert(name);
}

std::optional<kube::Instant> IncompleteGangs::next() const {
  std::optional<kube::Instant> first;
  for (const auto& name : held_up_) {
    const auto& gang = gangs_.at(name);
    if (!gang.holds_room()) continue;
    const auto when = gang.refusal->ends();
    if (when > asked_ && (!first || when < *first)) first = when;
  }
  return first;
}

std::vector<IncompleteGang> IncompleteGangs::due(kube::Instant now) {
  asked_ = now;
  std::vector<IncompleteGang> out;
  for (auto next = held_up_.begin(); next != held_up_.end();) {
    const auto name = *next++;  // which may end here
    auto& gang = gangs_.at(name);
    if (!gang.holds_room() || now < gang.refusal->ends()) continue;
    if (is_complete(gang)) {
      forget_bound(name, gang);
      continue;
    }
    if (!asks_.lacks(gang.bound.begin()->second.pod, {})) continue;  // what is under way may complete it
    IncompleteGang given_up{name, {}, "its gang cannot be completed: " + gang.refusal->loss.what};
    for (const auto& [uid, one] : gang.bound)
      if (!one.leaves && asks_.holds_room(one.pod)) given_up.pods.push_back(one.pod);
    if (given_up.pods.empty()) continue;
    std::ranges::sort(given_up.pods, {}, [](const kube::Identity& pod) { return key_of(pod); });
    out.push_back(std::move(given_up));
  }
  return out;
}

bool IncompleteGangs::Gang::holds_room() const {
  return std::ranges::any_of(bound, [](const auto& one) { return !one.second.leaves; });
}

std::set<std::string> IncompleteGangs::uids_of(const std::map<std::string, kube::Identity>& pods) {
  std::set<std::string> uids;
  for (const auto& [uid, pod] : pods) uids.insert(uid);
  return uids;
}

// Only what is known to have come true counts.
bool IncompleteGangs::is_complete(const Gang& gang) const {
  return !asks_.lacks(gang.bound.begin()->second.pod, uids_of(gang.open));
}

// They run, and what is refused from now on is none of their business.
void IncompleteGangs::forget_bound(const std::string& name, Gang& gang) {
  for (const auto& [uid, member] : std::exchange(gang.bound, {})) gang_of_.erase(uid);
  drop_refusal(name, gang);
  end_if_empty(name, gang);
}

void IncompleteGangs::drop_refusal(const std::string& name, Gang& gang) {
  gang.refusal.reset();
  gang.loss.reset();
  held_up_.erase(name);
}

void IncompleteGangs::end_if_empty(const std::string& name, const Gang& gang) {
  if (!gang.open.empty() || !gang.bound.empty()) return;
  held_up_.erase(name);
  changed_.erase(name);
  gangs_.erase(name);
}

void tell_why(const std::vector<IncompleteGang>& given_up, Effects& effects) {
  for (auto& eviction : effects.evictions) {
    if (eviction.rule != kIncompleteGangRule) continue;
    const auto gang = std::ranges::find(given_up, eviction.group, &IncompleteGang::gang);
    if (gang == given_up.end()) continue;
    eviction.why = gang->why;
    for (auto& event : eviction.told) event.note += ": " + gang->why;
  }
}

}  // namespace muster::daemon
