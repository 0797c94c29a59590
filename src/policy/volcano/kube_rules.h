#pragma once

#include "engine/filters/csi_limits.h"
#include "engine/filters/dynamic_resources.h"
#include "engine/filters/inter_pod_affinity.h"
#include "engine/filters/node_affinity.h"
#include "engine/filters/node_ports.h"
#include "engine/filters/node_unschedulable.h"
#include "engine/filters/pod_relations.h"
#include "engine/filters/taint_toleration.h"
#include "engine/filters/topology_spread.h"
#include "engine/filters/volume_binding.h"
#include "engine/filters/volume_zone.h"
#include "engine/scores/balanced_allocation.h"
#include "engine/scores/image_locality.h"
#include "engine/scores/inter_pod_affinity.h"
#include "engine/scores/least_allocated.h"
#include "engine/scores/most_allocated.h"
#include "engine/scores/node_affinity.h"
#include "engine/scores/taint_toleration.h"
#include "engine/scores/topology_spread.h"

namespace muster::volcano {

// Kubernetes' filters and scores over the cluster's books. They follow the books from cycle to cycle, so there is one set of them;
// the plugins `predicates` and `nodeorder` choose among them.
struct KubeRules {
  KubeRules(Books& books, FitTable& fits, const NamespaceLabels& namespaces, VolumeCatalog& volumes, DeviceCatalog& devices)
      : relations(books, namespaces),
        node_unschedulable(books, fits),
        node_affinity(books, fits),
        taint_toleration(books, fits),
        node_ports(books, fits),
        inter_pod_affinity(books, fits, relations),
        csi_limits(books, fits, volumes),
        volume_zone(books, fits, volumes),
        topology_spread(books, fits, relations),
        volume_binding(books, fits, volumes),
        dynamic_resources(books, fits, devices),
        least_allocated(books),
        most_allocated(books),
        balanced_allocation(books),
        image_locality(books, ImageSpread::kAllNodes),
        node_affinity_score(books),
        taint_toleration_score(books),
        inter_pod_affinity_score(books, relations),
        topology_spread_score(books, relations) {}

  PodRelations relations;

  NodeUnschedulableFilter node_unschedulable;
  NodeAffinityFilter node_affinity;
  TaintTolerationFilter taint_toleration;
  NodePortsFilter node_ports;
  InterPodAffinityFilter inter_pod_affinity;
  CsiLimitsFilter csi_limits;
  VolumeZoneFilter volume_zone;
  TopologySpreadFilter topology_spread;
  VolumeBindingFilter volume_binding;
  DynamicResourcesFilter dynamic_resources;

  LeastAllocatedScorer least_allocated;
  MostAllocatedScorer most_allocated;
  BalancedAllocationScorer balanced_allocation;
  ImageLocalityScorer image_locality;
  NodeAffinityScorer node_affinity_score;
  TaintTolerationScorer taint_toleration_score;
  InterPodAffinityScorer inter_pod_affinity_score;
  TopologySpreadScorer topology_spread_score;
};

}  // namespace muster::volcano
