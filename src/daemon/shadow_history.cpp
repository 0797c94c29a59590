#include "daemon/shadow_history.h"

#include <algorithm>

#include "base/assert.h"
#include "daemon/object_key.h"

namespace muster::daemon::shadow {

Key key_of(const kube::ResourceKind& kind, const kube::Identity& id) {
  return {static_cast<std::size_t>(&kind - kube::resource_kinds().data()), daemon::key_of(id)};
}

const kube::ResourceKind& kind_named(std::string_view group, std::string_view kind) {
  const auto kinds = kube::resource_kinds();
  const auto found = std::ranges::find_if(kinds, [&](const auto& one) { return one.group == group && one.kind == kind; });
  MUSTER_ASSERT(found != kinds.end());
  return *found;
}

void State::put(const Key& key, Shared object) {
  if (object)
    objects_[key] = std::move(object);
  else
    objects_.erase(key);
}

Shared State::find(const Key& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

const Pod* State::pod(const std::string& name) const {
  static const auto kPods = key_of(kind_named("", "Pod"), {}).first;
  const auto found = objects_.find({kPods, name});
  return found == objects_.end() ? nullptr : &std::get<Pod>(*found->second);
}

const Step* History::take(const kube::Change& change, kube::Instant now, const Timestamp& wall) {
  if (change.type == kube::ChangeType::kSynced) return nullptr;
  Step step{.at = now, .wall = wall, .key = key_of(*change.kind, change.id), .before = {}, .after = {}};
  step.before = state_.find(step.key);
  if (change.object) step.after = std::make_shared<const Object>(*change.object);
  if (!step.before && !step.after) return nullptr;
  state_.put(step.key, step.after);
  steps_.push_back(std::move(step));
  return &steps_.back();
}

State History::before(std::size_t step) const {
  MUSTER_ASSERT(step >= forgotten_ && step <= end());
  auto state = state_;
  for (auto at = end(); at > step; --at) state.put(this->step(at - 1).key, this->step(at - 1).before);
  return state;
}

void History::forget(kube::Instant before, std::size_t step) {
  while (!steps_.empty() && forgotten_ < step && steps_.front().at < before) {
    steps_.pop_front();
    ++forgotten_;
  }
}

}  // namespace muster::daemon::shadow
