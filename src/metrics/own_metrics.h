#pragma once

#include "metrics/prefixed_registry.h"

namespace muster::metrics {

// What muster says of itself, whatever dialect it speaks; every name begins with "muster_". Registered when it is made; the
// registry must outlive it.
struct OwnMetrics {
  explicit OwnMetrics(Registry& registry);

  // Cycles.
  Counter& cycles;
  Family<Histogram>& cycle_phase;  // {phase}, seconds
  Family<Counter>& decisions;      // {kind}: bind, evict, …

  // Evicted per requested is what an eviction costs.
  Counter& evicted_pods;
  Counter& requested_pods;  // pods for which room was made
  Counter& given_up_pods;   // evicted for nobody: their gang could not be completed

  // Writes to the API server.
  Gauge& writes_queued;
  Gauge& writes_in_flight;
  Family<Counter>& write_outcomes;  // {kind, outcome}
  Counter& events_dropped;          // because too many waited
  Histogram& first_bind;            // seconds from the last pod of a gang to its first bind

  // What is known of the cluster.
  Gauge& synced_kinds;                 // kinds of objects that have been read completely
  Family<Counter>& watch_problems;     // {kind}
  Counter& audit_checked;              // objects compared with a fresh list
  Family<Counter>& audit_mismatches;   // {kind}
  Family<Counter>& broken_invariants;  // {invariant}
  Gauge& evictions_stopped;            // 1 or 0

  // The process.
  Family<Counter>& config_reloads;  // {result}
  Gauge& leader;                    // 1 or 0
  Counter& failed_expectations;     // see base/assert.h; read when the text is made

 private:
  explicit OwnMetrics(PrefixedRegistry registry);
};

}  // namespace muster::metrics
