#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "daemon/held_pods.h"
#include "daemon/live_cluster.h"
#include "daemon/log.h"
#include "daemon/unsure_orders.h"
#include "kube/event_queue.h"

namespace muster::daemon {

// When an event tells of an eviction: when the server has agreed to it, or together with it, as the originals do, whatever becomes
// of it.
enum class EvictionsTold { kWhenDone, kAtOnce };

struct CycleSettings {
  kube::Duration period = std::chrono::seconds(1);         // the longest wait from one cycle to the next
  kube::Duration quiet = std::chrono::microseconds(500);   // without news, after which a cycle begins
  kube::Duration patience = std::chrono::milliseconds(5);  // the longest wait for that quiet
  kube::Duration gather = std::chrono::milliseconds(1);    // for which news wait for more, when they come in a row
  HoldSettings hold = {};                                  // of pods whose binds are refused
  kube::Duration gang_patience = std::chrono::seconds(5);  // from a refused bind to giving up its gang; 0: as long as it takes
  kube::Duration take_back = std::chrono::seconds(10);     // devices, again, after an attempt that has failed
  kube::Duration check = std::chrono::seconds(30);         // the shortest time from one check of the invariants to the next
  Evictions evictions = Evictions::kAllowed;               // kStopped: until a first check has found everything in order
  EvictionsTold told = EvictionsTold::kWhenDone;
};

// How a bind that was decided has come to nothing, without the server having been asked for it.
enum class NotBound {
  kNotSent,
  kNotPrepared,  // what goes before it could not be done
  kFailed,       // for whoever was asked to bind
};

// A pod as it was read on purpose; nothing: it is gone.
struct PodReading {
  kube::Identity id;
  std::optional<Object> pod;
};

// What the thread of the cycles asks for, and whom it tells.
struct CycleLinks {
  kube::EventQueue& changes;
  const kube::Clock& clock;
  Log& log;
  std::function<bool()> may_decide;          // we lead, and all await_list() of that have been called
  std::function<std::uint64_t()> term = {};  // of the leadership: see WriteQueue; none: there is only one
  std::function<void(Effects)> carry_out;
  std::function<void(const kube::Identity&)> read_pod;           // its reading comes back by on_read()
  std::function<void(UnsureOrder)> read_order = {};              // of a dialect that has others bind; by on_order_read()
  std::function<void(const std::string& gang)> drop_binds = {};  // those that were not sent; they are reported
  std::function<void(const CycleOutcome&)> on_cycle = {};
  // After the cycle that decided it. What was handed out is told by whoever carries it out.
  std::function<void(const Bind&, NotBound how, const std::string& why)> on_not_bound = {};
  std::function<void(const kube::Change&)> on_change = {};  // before it is taken in
  // What is remembered of an object is not what it was told as; it is told anew.
  std::function<void(const kube::ResourceKind&, const kube::Identity&, const std::string& what)> on_mismatch = {};
  // An invariant was found broken. From now on nobody is evicted.
  std::function<void(const std::string& what, std::uint64_t cycle)> on_broken = {};
  // After having begun without evictions: everything is in order, and they are allowed.
  std::function<void(std::uint64_t cycle)> on_in_order = {};
};

}  // namespace muster::daemon
