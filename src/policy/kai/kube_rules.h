#pragma once

#include "engine/devices/device_finder.h"
#include "engine/filters/inter_pod_affinity.h"
#include "engine/filters/node_affinity.h"
#include "engine/filters/node_ports.h"
#include "engine/filters/pod_relations.h"
#include "engine/filters/taint_toleration.h"
#include "engine/filters/volume_binding.h"
#include "engine/scores/inter_pod_affinity.h"

namespace muster::kai {

// Kubernetes' filters and scores over the cluster's books. They follow the books from cycle to cycle, so there is one set of them;
// the plugins `predicates` and `podaffinity` use them.
struct KubeRules {
  KubeRules(Books& books, FitTable& fits, const NamespaceLabels& namespaces, VolumeCatalog& volumes, DeviceCatalog& catalog)
      : relations(books, namespaces),
        node_affinity(books, fits),
        taint_toleration(books, fits),
        node_ports(books, fits),
        inter_pod_affinity(books, fits, relations),
        volume_binding(books, fits, volumes),
        devices(books, catalog, DeviceFeatures::kCore),
        inter_pod_affinity_score(books, relations) {}

  PodRelations relations;

  NodeAffinityFilter node_affinity;
  TaintTolerationFilter taint_toleration;
  NodePortsFilter node_ports;
  InterPodAffinityFilter inter_pod_affinity;
  VolumeBindingFilter volume_binding;

  DeviceFinder devices;

  InterPodAffinityScorer inter_pod_affinity_score;
};

}  // namespace muster::kai
