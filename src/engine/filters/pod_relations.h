#pragma once

#include "engine/books.h"
#include "engine/filters/matcher_index.h"
#include "engine/filters/namespace_labels.h"
#include "engine/filters/pod_counts.h"
#include "engine/filters/term_holders.h"
#include "engine/filters/topology.h"

namespace muster {

// What pods mean to each other: who matches whose terms, and where those are. The filters and scores about pod affinity and
// spreading share one of these. Follows the books as they change.
struct PodRelations {
  PodRelations(Books& books, const NamespaceLabels& namespaces)
      : topology(books), matchers(books, namespaces), counts(books, matchers, topology), holders(books, matchers, topology) {}

  // At the start of a cycle: from now on the terms of present pods are seen on the nodes that hold such pods at this moment.
  void begin_cycle() { holders.begin_cycle(); }

  Topology topology;
  MatcherIndex matchers;
  PodCounts counts;
  TermHolders holders;
};

}  // namespace muster
