#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/registry.h"
#include "sim/run_time.h"

namespace muster::sim {

struct KubeletSettings {
  // Of pods that do not say it themselves and may end: those with restartPolicy Always are services, and run for ever.
  std::optional<RunTime> run_time = {};
  std::uint64_t seed = 0;  // of the times that are drawn from ranges
};

// The kubelets of all nodes: they report their node, start and end the pods that are bound to it, and take away those that are
// being deleted, when the annotations of src/sim/life_annotations.h say. What has ended starts again with restartPolicy Always, or
// OnFailure and a code other than 0. A node that is down does nothing, and when it is back its pods go on. Works in run() and
// tick(), which their owner calls.
class Kubelets {
 public:
  Kubelets(Registry& registry, Store& store, const KubeletSettings& settings = {});

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
  // From Running to the end; nothing for ever.
  std::optional<std::int64_t> run_seconds(const Tree& pod) const;
  bool is_up(std::string_view node) const;
  // The pod is advanced at this second, and at no other that was promised before.
  void promise(const Key& key, std::int64_t at);

  Registry& registry_;
  Store& store_;
  KubeletSettings settings_;
  std::set<std::string> changed_nodes_;
  std::set<Key> changed_pods_;
  std::map<std::int64_t, std::set<Key>> due_;
  std::map<Key, std::int64_t> promised_;
};

}  // namespace muster::sim
