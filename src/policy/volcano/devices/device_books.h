#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/books.h"
#include "engine/node_filter.h"
#include "policy/volcano/devices/device_config.h"
#include "policy/volcano/devices/device_settings.h"
#include "policy/volcano/devices/mindcluster_info.h"
#include "policy/volcano/devices/node_annotation.h"
#include "policy/volcano/devices/node_devices.h"

namespace muster::volcano {

// The shared devices of a cluster: which node has which, and which pod holds what. There is one only when a configuration shares
// devices. Between cycles, the state of a node is what the annotations of its pods say; a cycle changes it as it places and takes
// back, and nodes that it touched are made anew when the next one begins.
class DeviceBooks {
 public:
  DeviceBooks(DeviceSettings settings, Books& books);

  // ---- objects
  void set_config(DeviceConfig config);
  void take_config_map(const ConfigMap& map);
  void forget_config_map(const std::string& ns, const std::string& name);
  void take_node(NodeId id, const Node& node);
  void forget_node(NodeId id);
  // The node has another id from now on.
  void move_node(NodeId from, NodeId to);
  void take_pod(PodId id, const Pod& pod);
  void forget_pod(PodId id);
  // Pods came to the node or left it.
  void pods_changed(NodeId node) { mark(node); }
  // The pod's object now carries what its bind said.
  void pod_runs(PodId pod);

  // Resources that are managed here and not counted anywhere else: those of devices that some node has.
  bool manages_resources() const { return !managed_.empty(); }
  void strip(ResourceList& list) const;
  void strip(Pod& pod) const;
  // Looks at nodes that came since the last call for devices whose resources are managed; whether there are new ones.
  bool find_managed();
  // A node as it was taken in, without what only others care about.
  const Node& node(NodeId id) const { return nodes_[id]->facts; }

  // ---- a cycle
  void begin_cycle(DeviceCycle cycle);
  const DeviceCycle& cycle() const { return cycle_; }
  bool wanted(PodId pod) const { return !wanting(pod).empty(); }
  Dependence filter_dependence(PodId pod) const;
  Dependence score_dependence(PodId pod) const;
  // Pods of one shape with equal keys get equal answers.
  std::uint64_t class_key(PodId pod) const;
  // Appends what the first family that refuses says.
  void filter(PodId pod, NodeId node, FitTable& fits, Verdict& verdict) const;
  double score(PodId pod, NodeId node);
  // Adds what families say that compare the candidates with each other.
  void add_scores_together(PodId pod, std::span<const NodeId> nodes, double weight, std::span<double> totals);

  // A pod was placed on a node, or evicted pods stay after all. False: a family has not enough, and all is to be released again.
  bool allocate(PodId pod, NodeId node, PodState state);
  // The pod leaves the node it was last placed on, or `node`, and with it goes the lock that the placement took.
  void release(PodId pod, NodeId node);
  // The cards of a node as they are now.
  std::vector<CardUse> cards_on(NodeId node) const;
  // What binding the pod puts on it; nullptr: nothing.
  std::shared_ptr<const StringMap> bind_annotations(PodId pod) const;
  // The locks that the cycle took for pods that it bound.
  std::vector<NodeAnnotation> take_locks();

  // Calls f(pod, resource, thousandths) for every pod that counts for something else than its request in its queue.
  template <class F>
  void for_each_queue_amount(F f) const {
    for (const auto& [pod, entry] : pods_)
      for (const auto& [resource, amount] : queue_amounts(pod, *entry)) f(pod, resource, amount);
  }

 private:
  struct PodEntry {
    std::uint32_t request = 0;  // into requests_
    DeviceNotes notes;
    std::shared_ptr<const StringMap> carried;  // by the bind, or by the one that is planned
  };
  struct NodeEntry {
    Node facts;
    bool made = false;
    bool stale = false;
    std::vector<std::unique_ptr<NodeDevices>> devices;  // by family, nullptr where it has none
  };
  struct Placed {
    NodeId node;
    bool held = false;  // told to the families as a pod on the node, not only as one that waits
  };
  struct Lock {
    PodId pod;
    NodeAnnotation annotation;
    std::optional<std::string> before;  // what the annotation said
  };
  using FamilyList = boost::container::small_vector<std::uint32_t, 4>;  // indexes into families_, ascending

  void make_families();
  FamilyList families_for(const DeviceRequest& request) const;
  // The families that have a say about the pod.
  const FamilyList& wanting(PodId pod) const;
  DeviceAsk ask_for(PodId pod, const PodEntry& entry) const;
  void mark(NodeId node);
  void make(NodeEntry& entry);
  void renew(NodeId node);
  bool lock(PodId pod, NodeId node, std::string_view name);
  void unlock(PodId pod);
  NodeEntry* entry_of(NodeId node) const { return nodes_.contains(node) ? nodes_[node].get() : nullptr; }
  std::vector<std::pair<std::string, std::int64_t>> queue_amounts(PodId pod, const PodEntry& entry) const;

  DeviceSettings settings_;
  DeviceConfig config_ = DeviceConfig::standard();
  Books& books_;
  MindClusterInfo mindcluster_;
  std::vector<std::unique_ptr<DeviceFamily>> families_;  // in the order in which they are asked
  std::vector<std::string> managed_;

  boost::unordered_flat_map<std::string, std::uint32_t> request_keys_;
  std::vector<std::unique_ptr<const DeviceRequest>> requests_;
  std::vector<FamilyList> wanting_;  // by request
  boost::unordered_flat_map<PodId, std::unique_ptr<PodEntry>> pods_;
  IdVector<NodeId, std::unique_ptr<NodeEntry>> nodes_;
  std::vector<NodeId> stale_;
  std::size_t looked_at_ = 0;  // nodes that find_managed() has seen

  DeviceCycle cycle_;
  boost::unordered_flat_map<PodId, Placed> placed_;  // in this cycle
  std::vector<Lock> locks_;                          // in this cycle
};

}  // namespace muster::volcano
