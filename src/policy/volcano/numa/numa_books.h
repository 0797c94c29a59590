#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/books.h"
#include "policy/volcano/numa/numa_assignment.h"

namespace muster::volcano {

// Which CPUs of which node are free, and what pods ask of them. There is one only when a configuration looks at NUMA nodes.
class NumaBooks {
 public:
  explicit NumaBooks(Books& books) : books_(books) {}

  // ---- objects
  void set(const Numatopology& topology);
  void remove(const std::string& name);
  // Nodes have other ids from now on.
  void renumber();
  void take_pod(PodId id, const Pod& pod);
  void forget_pod(PodId id) { requests_of_.erase(id); }
  // The pod was deleted: the CPUs that it was to get are nobody's.
  void pod_gone(PodId id);

  // ---- a cycle
  // Gives up CPUs that were kept for pods, node by node, once the node's object says that all of them have theirs.
  void begin_cycle();
  const NumaRequest* request(PodId pod) const;  // nullptr: not one of ours
  std::uint64_t key(PodId pod) const;           // pods with equal keys ask alike; 0: for nothing
  const NumaNode* node(NodeId id) const;        // nullptr: nothing known
  // Free CPUs of a node that has a NumaNode, less those kept for pods that are on their way.
  const CpuSet& available(NodeId id) const;
  // Keeps CPUs for a pod until the node's object lists it.
  void keep(NodeId node, PodId pod, CpuSet cpus);

 private:
  struct Kept {
    std::string uid;
    std::string ns;
    std::string name;
    CpuSet cpus;
  };
  struct Entry {
    NumaNode node;
    bool described = false;
    bool changed = false;  // is listed in changed_
    std::vector<Kept> kept;
    CpuSet available;
  };
  Entry* entry(NodeId id) const { return by_node_.contains(id) ? by_node_[id] : nullptr; }
  static bool has_its_cpus(const NumaNode& node, const Kept& pod);
  static void update(Entry& entry);
  void mark(const std::string& name, Entry& entry);

  Books& books_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;  // by name: a description may come before its node
  std::vector<std::string> changed_;                       // names of entries that are to be looked at, each once
  IdVector<NodeId, Entry*> by_node_;
  boost::unordered_flat_map<std::string, std::uint32_t> request_keys_;
  std::vector<std::unique_ptr<const NumaRequest>> requests_;
  boost::unordered_flat_map<PodId, std::uint32_t> requests_of_;
};

}  // namespace muster::volcano
