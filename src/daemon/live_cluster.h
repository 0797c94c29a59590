#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "daemon/effects.h"
#include "daemon/sights.h"
#include "kube/event_queue.h"
#include "model/objects.h"

namespace muster::daemon {

// What came of one cycle.
struct CycleOutcome {
  Effects effects;
  std::vector<std::string> warnings;                         // sentences for whoever runs the scheduler
  std::vector<std::pair<std::string, std::int64_t>> micros;  // how long each part took, in the order of the cycle
  std::int64_t total_micros = 0;
  std::size_t requested_pods = 0;            // for which its evictions make room
  std::optional<std::int64_t> looks_micros;  // how long whoever looked at it took, which is no part of it; nothing: nobody did
};

// A bind that the server took and that came to nothing all the same.
struct FailedBind {
  Bind bind;
  std::string why;
};

// A gang that cannot be completed, and those of its pods that were bound in vain.
struct IncompleteGang {
  std::string gang;                  // "namespace/name"
  std::vector<kube::Identity> pods;  // that are to leave
  std::string why;
};

// What became of a good configuration.
struct Reconfigured {
  bool needs_new_cluster = false;  // it asks for what was not remembered of the objects, and is not in force before one is made
  std::vector<std::string> notes;  // what is odd about it
};

// Whether cycles may evict, or only place.
enum class Evictions { kAllowed, kStopped };

// A dialect that follows a cluster: objects come and go, cycles decide. All on one thread.
class LiveCluster {
 public:
  virtual ~LiveCluster() = default;

  // Whether objects of this kind are of interest, with the configuration that is in force.
  virtual bool wants(const kube::ResourceKind& kind) const = 0;
  virtual void apply(Object object) = 0;
  virtual void remove(const kube::ResourceKind& kind, const kube::Identity& id) = 0;
  // What was decided for the pod has not come true. How it is now is told by apply() after this.
  virtual void take_back(const kube::Identity& pod) = 0;
  // Everything that existed at the start has been told. What is to be created before the first cycle, if it is missing.
  virtual Effects settle() = 0;

  virtual CycleOutcome run_cycle(const Timestamp& now) = 0;
  // Instead of a cycle, while somebody else decides, or may have since the last one: what is gone is forgotten, and what was said
  // last.
  virtual void skip_cycle(const Timestamp& now) = 0;
  // What goes before the bind is done, after this long.
  virtual void on_prepared(const Bind&, kube::Duration /*took*/) {}
  // The server took the bind, after this long. What is to be told when the pod has its node comes from on_bound().
  virtual void on_bind_taken(const Bind&, kube::Duration /*took*/) {}
  // What is to be told when a pod has its node.
  virtual void on_bound(const Bind& bind, Effects& effects) = 0;
  // What is to be told when the server refused the bind, with these words.
  virtual void on_refused(const Bind& bind, const std::string& answer, const Timestamp& now, Effects& effects) = 0;
  // What is to be told when what goes before the bind could not be done.
  virtual void on_unprepared(const Bind& bind, const std::string& why, const Timestamp& now, Effects& effects) {
    on_refused(bind, why, now, effects);
  }
  // Binds that failed since this was last asked, where others carry them out. The pod counts as bound until take_back().
  virtual std::vector<FailedBind> take_failed_binds() { return {}; }

  // The gang that the pod says it belongs to, as binds name it; empty: none.
  virtual std::string gang_of(const Pod&) const { return {}; }
  // Whether the gang of this pod has less than it needs to run, not counting pods with these uids. What was decided counts. False
  // when nothing is known of the pod.
  virtual bool lacks_pods(const kube::Identity& /*member*/, const std::set<std::string>& /*without*/) const { return false; }
  // Whether the pod has a node, was neither evicted nor deleted, and has not ended.
  virtual bool holds_room(const kube::Identity& /*pod*/) const { return false; }
  // The next cycle evicts these pods, as far as they still have their nodes and nobody stops evictions.
  virtual void give_up(IncompleteGang) {}

  // Whether this, which the server has by the name of the bind's order, is what will have the pod bound as it was decided.
  virtual bool stands(const Bind&, const Object& /*order*/) const { return false; }
  // A deletion was not carried out, and the object may still be there.
  virtual void on_not_deleted(const Delete&) {}
  // What settle() or a cycle wanted to be there is not.
  virtual void on_not_created(const Create&) {}
  // What a cycle wanted to be written on the object has not reached it.
  virtual void on_not_written(const kube::ObjectPath&) {}

  // To be taken in the next cycle.
  virtual void add_sight(Sight) {}
  virtual ClusterCounts counts() const { return {}; }

  // What of an object is remembered otherwise, in words; empty: nothing. The object is as it was last told, and nothing was decided
  // about it that is still to be seen.
  virtual std::string differs(const Object&) const { return {}; }
  // Right after a cycle: which of its invariants is broken, in words; empty: none.
  virtual std::string broken_invariant() const { return {}; }
  // From the next cycle on, whatever the configuration says.
  virtual void set_evictions(Evictions) {}

  // Takes another configuration from the next cycle on. On an error the old one stays.
  virtual Result<Reconfigured> reconfigure(const std::string& text, const std::string& file) = 0;
};

}  // namespace muster::daemon
