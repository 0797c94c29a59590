#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <string>

#include "kube/object_decoder.h"
#include "model/objects.h"

namespace muster::daemon {

// What was asked of the API server for pods and cannot be seen in their objects yet. As long as it is under way, every older object
// that arrives is completed by it, so that no cycle plans a second time what has been decided.
class AssumedPods {
 public:
  void bind(const kube::Identity& pod, std::string node);
  // Another process was asked to bind it. Its objects stay as they are.
  void order(const kube::Identity& pod);
  void evict(const kube::Identity& pod, const Timestamp& now);

  // The object as it will be. Ends what the object itself shows by now. False: it is older than one that was read on purpose and
  // must be passed over.
  bool complete(Pod& pod);
  // It was not done, and the pod was read anew: what older objects say no longer counts.
  void read_anew(const kube::Identity& pod);
  // Whether a later object of it has come since than was read on purpose.
  bool is_older(const kube::Identity& read) const;
  // It was not done, or the pod is gone; the next object says what is.
  void forget(const kube::Identity& pod);

  bool binds(const kube::Identity& pod) const;
  // Whether the object only shows, at last, that the pod is on the node where it was assumed to be.
  bool is_confirmed_by(const Pod& pod) const;
  // Whether something of the pod is still to be seen in an object.
  bool holds(const kube::Identity& pod) const;
  std::size_t size() const { return pods_.size(); }

 private:
  struct Assumption {
    std::string uid;
    std::string node;                 // empty: no bind is under way
    bool ordered = false;             // or another process carries it out
    std::optional<Timestamp> leaves;  // an eviction is
    std::uint64_t not_before = 0;     // objects of an earlier version are stale
    std::uint64_t told = 0;           // the version of the latest that came meanwhile
    bool holds() const { return !node.empty() || ordered || leaves || not_before != 0; }
  };
  static std::string key_of(const kube::Identity& pod) { return pod.ns + "/" + pod.name; }
  Assumption& of(const kube::Identity& pod);

  boost::unordered_flat_map<std::string, Assumption> pods_;
};

}  // namespace muster::daemon
