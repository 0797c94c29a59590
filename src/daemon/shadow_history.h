#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kube/clock.h"
#include "kube/event_queue.h"
#include "model/objects.h"

namespace muster::daemon::shadow {

// An object as everybody sees it who looked at the same time; none: there is no such object.
using Shared = std::shared_ptr<const Object>;
// The kind, in the order of kube::resource_kinds(), and namespace/name: the order in which a cluster is told of its objects.
using Key = std::pair<std::size_t, std::string>;

Key key_of(const kube::ResourceKind& kind, const kube::Identity& id);
// A kind of the table that has this name: that of both dialects, or of the one that was meant.
const kube::ResourceKind& kind_named(std::string_view group, std::string_view kind);

// All objects at one moment.
class State {
 public:
  void put(const Key& key, Shared object);
  Shared find(const Key& key) const;
  const Pod* pod(const std::string& name) const;  // "namespace/name"
  const std::map<Key, Shared>& objects() const { return objects_; }
  std::size_t size() const { return objects_.size(); }

 private:
  std::map<Key, Shared> objects_;
};

// One change of one object.
struct Step {
  kube::Instant at{};
  Timestamp wall;
  Key key;
  Shared before;
  Shared after;
  bool is_decision = false;  // of the scheduler that is watched
};

// The objects as they are now and as they were a while ago. Steps are counted from the first one, also when it has been forgotten.
class History {
 public:
  // The step that it makes; none when nothing has changed.
  const Step* take(const kube::Change& change, kube::Instant now, const Timestamp& wall);
  void mark_decision() { steps_.back().is_decision = true; }

  const State& now() const { return state_; }
  // The state in which this many steps have been made.
  State before(std::size_t step) const;
  std::size_t first() const { return forgotten_; }
  std::size_t end() const { return forgotten_ + steps_.size(); }
  const Step& step(std::size_t number) const { return steps_[number - forgotten_]; }

  // Steps of before this moment, and before this one, are not asked for any more.
  void forget(kube::Instant before, std::size_t step);

 private:
  State state_;
  std::deque<Step> steps_;
  std::size_t forgotten_ = 0;
};

}  // namespace muster::daemon::shadow
