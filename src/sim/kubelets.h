#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sim/registry.h"

namespace muster::sim {

// How pods and nodes are simulated is written on them, as annotations:
//
//   sim.muster/start-seconds   of a pod: from its binding to Running (1)
//   sim.muster/run-seconds     of a pod: from Running to its end; without it, it runs for ever
//   sim.muster/exit-code       of a pod: how it ends (0); with restartPolicy Always, or OnFailure and another code, it starts again
//   sim.muster/stop-seconds    of a pod: from its deletion until it has gone, at most its grace period (0)
//   sim.muster/down            of a node: "true" while it does not answer
//
// The kubelets of all nodes: they report their node, start and end the pods that are bound to it, and take away those that are
// being deleted. A node that is down does nothing, and when it is back its pods go on. Works in run() and tick(), which their owner
// calls.
class Kubelets {
 public:
  Kubelets(Registry& registry, Store& store);

  // What changed since the last call.
  void run();
  // What is due by now.
  void tick();

 private:
  void observe_node(const std::string& name);
  void observe_pod(const Key& key);
  void advance(const Key& key);
  // Whether it could be written.
  bool start_pod(const Key& key);
  bool end_pod(const Key& key);
  bool is_up(std::string_view node) const;
  // The pod is advanced at this second, and at no other that was promised before.
  void promise(const Key& key, std::int64_t at);

  Registry& registry_;
  Store& store_;
  std::set<std::string> changed_nodes_;
  std::set<Key> changed_pods_;
  std::map<std::int64_t, std::set<Key>> due_;
  std::map<Key, std::int64_t> promised_;
};

}  // namespace muster::sim
