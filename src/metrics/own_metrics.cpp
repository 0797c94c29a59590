#include "metrics/own_metrics.h"

#include "base/assert.h"

namespace muster::metrics {

OwnMetrics::OwnMetrics(Registry& registry) : OwnMetrics(PrefixedRegistry(registry, "muster")) {
  registry.before_text([&total = failed_expectations] { total.raise_to(static_cast<double>(muster::failed_expectations())); });
}

OwnMetrics::OwnMetrics(PrefixedRegistry registry)
    : cycles(registry.counter("cycles_total", "Scheduling cycles.")),
      cycle_phase(
          registry.histograms("cycle_phase_seconds", {"phase"}, "How long a phase of a cycle took.", exponential(0.00001, 2, 21))),
      decisions(registry.counters("decisions_total", {"kind"}, "Decisions taken, by kind.")),
      evicted_pods(registry.counter("evicted_pods_total", "Pods that were evicted to make room.")),
      requested_pods(registry.counter("requested_pods_total", "Pods for which room was made by evictions.")),
      given_up_pods(registry.counter("given_up_pods_total", "Pods that were evicted because their gang could not be completed.")),
      writes_queued(registry.gauge("writes_queued", "Writes that wait for a connection to the API server.")),
      writes_in_flight(registry.gauge("writes_in_flight", "Writes that the API server has not answered yet.")),
      write_outcomes(registry.counters("write_outcomes_total", {"kind", "outcome"},
                                       "Writes, by what became of them: forbidden for want of a right, denied by a webhook or "
                                       "another admission, whatever its code.")),
      events_dropped(registry.counter("events_dropped_total", "Events that were not written, because too many waited.")),
      first_bind(registry.histogram("gang_first_bind_seconds",
                                    "From when the last pod of a gang was seen to when its first bind was sent.",
                                    {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5, 20, 60, 300, 1800})),
      synced_kinds(registry.gauge("synced_kinds", "Kinds of objects that have been read completely.")),
      watch_problems(registry.counters("watch_problems_total", {"kind"}, "Watches that broke or could not be read.")),
      audit_checked(registry.counter("audit_checked_total", "Objects that were compared with a fresh list.")),
      audit_mismatches(registry.counters("audit_mismatches_total", {"kind"}, "Objects that were not as a fresh list has them.")),
      broken_invariants(registry.counters("broken_invariants_total", {"invariant"},
                                          "Signs that what is remembered of the cluster is wrong; please report them.")),
      evictions_stopped(registry.gauge("evictions_stopped", "1 while nobody is evicted because an invariant was broken, else 0.")),
      config_reloads(registry.counters("config_reloads_total", {"result"}, "Configurations read again, by result.")),
      leader(registry.gauge("leader", "1 when this process is the one that schedules, else 0.")),
      failed_expectations(
          registry.counter("failed_expectations_total", "Bugs that were noticed and survived; please report them.")) {}

}  // namespace muster::metrics
