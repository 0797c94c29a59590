#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/live_cluster.h"
#include "kube/clock.h"
#include "policy/kai/cluster.h"

namespace muster::daemon {

// For so long the place of a pod whose request has failed stays taken, and the pod has to be held.
inline constexpr kube::Duration kKaiBinderGoesOn = std::chrono::seconds(2);

// The BindRequests of a cluster. One counts for its pod, which is named in it, unless it was made for an earlier pod of that name
// or has failed. Those that can only be in the way are to be deleted: a new one of the same name could not be made.
//
// What was decided counts as decided: a request that fails goes on counting until its pod has been read and taken back, so that
// nobody decides about it meanwhile. Its place stays taken for a moment longer, as long as the pod is held: KAI's binder begins
// another attempt by itself as soon as it has said that one failed, and ends none because its request goes, so that the pod may
// still get the node.
class KaiRequests {
 public:
  explicit KaiRequests(kai::Cluster& cluster) : cluster_(cluster) {}

  void apply(BindRequest request);
  void remove(const kube::Identity& id);
  // Around the coming of a pod's object.
  void before_pod(const Pod& pod);
  void after_pod(const Pod& pod);
  // The pod was read: what was made for another one of its name, or failed, or should have gone before, goes.
  void take_back(const kube::Identity& pod);
  // It goes on counting for nobody. When it is in the way of its pod again, or the pod changes, its deletion is asked for again.
  void on_not_deleted(const Delete& deletion);
  // Whether a request, as the server has it, is good for this bind: for its very pod and node, and with nothing in its way.
  bool stands(const Bind& bind, const BindRequest& request) const;
  // The pod is no more.
  void forget_pod(const kube::Identity& pod);
  // A cycle begins: what was taken for a moment is free when that is over.
  void pass(const Timestamp& now);
  // Nodes have gone: requests for pods that wait to be bound there go with them.
  void nodes_went();

  std::vector<Delete> take_deletions() { return std::exchange(deletions_, {}); }
  std::vector<FailedBind> take_failures() { return std::exchange(failures_, {}); }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    BindRequest request;
    std::string owner;       // the uid of its pod; empty: it does not say
    bool is_shown = false;   // the policy knows of it
    bool is_doomed = false;  // it counts for nobody and has to go
    bool is_asked = false;   // its deletion is under way
  };
  // A request that failed, as if it had not.
  struct Lingering {
    BindRequest request;
    std::string pod;  // its uid
    std::optional<Timestamp> since = {};
    bool is_shown = false;
  };
  Entry* find_by_pod(const std::string& pod);
  void linger(const BindRequest& request, const std::string& uid);
  void show_lingering(const Pod& pod);
  void end_lingering(const std::string& pod);
  bool is_foreign(const Entry& entry, std::string_view uid) const { return !entry.owner.empty() && entry.owner != uid; }
  void settle(Entry& entry);
  void note_failure(const Entry& entry, PodId pod);
  void show(Entry& entry);
  void hide(Entry& entry);
  void doom(Entry& entry);

  kai::Cluster& cluster_;
  boost::unordered_flat_map<std::string, Entry> entries_;       // by namespace/name
  boost::unordered_flat_map<std::string, std::string> by_pod_;  // the latest for each pod
  std::map<std::string, Lingering> lingering_;                  // by pod
  std::vector<Delete> deletions_;
  std::vector<FailedBind> failures_;
};

}  // namespace muster::daemon
