#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/amounts.h"
#include "model/objects.h"

namespace muster {

// What a pod asks of a node, apart from rules about other pods. Equal pods share one shape, so that work is done per shape.
struct PodShape {
  Amounts request;                     // in the dialect's units, with one of kPodCount
  Amounts limits;                      // the same for limits
  bool best_effort = false;            // asks for nothing but a place
  std::int64_t nonzero_milli_cpu = 0;  // with a default for each container that asks for none: what spreading scores count
  std::int64_t nonzero_memory = 0;

  StringMap node_selector;
  std::optional<NodeSelector> node_required;
  std::vector<PreferredNodeTerm> node_preferred;
  std::vector<Toleration> tolerations;
  std::vector<ContainerPort> host_ports;
  std::vector<std::string> images;    // of init and regular containers and image volumes, as written
  std::int32_t image_containers = 0;  // init and regular containers
  std::vector<std::string> claims;    // "namespace/name" of persistent volume claims, in the order of volumes
  bool restartable_init = false;

  bool constrains_nodes() const { return !node_selector.empty() || node_required.has_value(); }
  bool operator==(const PodShape&) const = default;
  // A text that is equal exactly for equal shapes.
  std::string key() const;
};

// Rules about other pods.
struct PodTerms {
  std::vector<PodAffinityTerm> affinity;       // required
  std::vector<PodAffinityTerm> anti_affinity;  // required
  std::vector<WeightedPodAffinityTerm> preferred;
  std::vector<WeightedPodAffinityTerm> anti_preferred;
  std::vector<SpreadConstraint> spread;

  bool empty() const {
    return affinity.empty() && anti_affinity.empty() && preferred.empty() && anti_preferred.empty() && spread.empty();
  }
  std::string key() const;
};

}  // namespace muster
