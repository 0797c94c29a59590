#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/refused_binds.h"
#include "kube/clock.h"
#include "kube/object_decoder.h"
#include "model/objects.h"

namespace muster::daemon {

struct HoldSettings {
  kube::Duration first = std::chrono::seconds(1);  // after the first refusal; doubled with each one in a row
  kube::Duration most = std::chrono::minutes(2);
};

// Whether this is a pod as complete() shows it while it is held. What marks it goes wherever its object goes, into recordings, too,
// and is written nowhere else.
bool looks_held(const Pod& pod);
// The pod as it is when nobody holds it.
void unmark_held(Pod& pod);
// What became of a bind, as a sentence for refuse(): "the bind of ns/p to n1 was refused: …".
std::string why_not_bound(const kube::Identity& pod, const std::string& node, std::string_view what, const std::string& answer);

// The pods that are held, by the objects that a cluster is told.
class HeldMarks {
 public:
  void note(const Pod& pod);
  void forget(const kube::Identity& pod);
  const RefusedBinds& all() const { return why_; }

 private:
  RefusedBinds why_;
};

// Pods whose binds the server refuses. Nobody decides about them for a while, longer with every refusal in a row of their group, so
// that a group that cannot be bound does not take the room that others could have in every cycle. As long as a pod is held, it
// looks to a dialect like one with a scheduling gate; HeldMarks tells it from one that has any.
class HeldPods {
 public:
  explicit HeldPods(HoldSettings settings = {}) : settings_(settings) {}

  // Several refusals of a group while it is held are one. A pod without a group is a group of its own. `why` is a sentence.
  void refuse(const kube::Identity& pod, const std::string& group, kube::Instant now, std::string why);
  // The group gives up what it was given. Whoever takes the place of its pods is held as well, for as long as refused ones are, and
  // if their time is over, as if another one had been refused.
  void hold_newcomers(const std::string& group, kube::Instant now, std::string why);
  bool holds_newcomers() const { return !newcomers_.empty(); }
  // The object as it is to be seen; kept for when the pod is let go. One that has a node is held no longer.
  void complete(Pod& pod, const std::string& group = {});
  // The pod is gone.
  void forget(const kube::Identity& pod);

  // When the next one is let go.
  std::optional<kube::Instant> next() const;
  // Those whose time is over, as they are, in the order of their names.
  std::vector<Pod> let_go(kube::Instant now);

  std::size_t size() const { return pods_.size() + newcomers_.size(); }

 private:
  struct Held {
    std::string uid;
    kube::Instant until;
    std::string why;
    std::optional<Pod> pod = {};  // not before its object came
  };
  struct Newcomers {
    kube::Instant until;
    std::string why;
  };
  struct Refusals {
    int in_a_row = 0;
    kube::Instant until{};
  };
  kube::Instant hold(const std::string& group, kube::Instant now);
  void forget_old_refusals(kube::Instant now);

  const HoldSettings settings_;
  boost::unordered_flat_map<std::string, Held> pods_;            // by namespace/name
  boost::unordered_flat_map<std::string, Refusals> groups_;      // those that are held, or were not long ago
  boost::unordered_flat_map<std::string, Newcomers> newcomers_;  // by the group of which they are held
};

}  // namespace muster::daemon
