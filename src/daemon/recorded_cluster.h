#pragma once

#include <memory>

#include "daemon/daemon.h"
#include "daemon/kai_numbers.h"
#include "daemon/outside.h"
#include "daemon/tape_recorder.h"
#include "daemon/volcano_numbers.h"

namespace muster::daemon {

// What the dialect that is spoken is measured by; none: nobody looks at it.
struct Numbers {
  std::shared_ptr<KaiNumbers> kai;
  std::shared_ptr<VolcanoNumbers> volcano;
};

// Clusters of a dialect, live or replayed.
MakeCluster clusters_of(const tape::Life& life, Outside outside, Numbers numbers, Log& log);

// The same, each of which is written down from the first thing that it is told: what it is told, what others answer it, and what it
// decides. A cluster that is made and told nothing leaves no trace.
MakeCluster recorded_clusters(tape::Life life, Numbers numbers, std::shared_ptr<tape::Listener> recorder, Log& log);

// Its parts: where the entries of one life go, a cluster that is written down there, and others whose answers are.
class TapeSink;
std::shared_ptr<TapeSink> tape_sink(std::shared_ptr<tape::Listener> recorder, tape::Opening opening);
std::unique_ptr<LiveCluster> recorded(std::unique_ptr<LiveCluster> cluster, std::shared_ptr<TapeSink> sink);
Outside noted_outside(const std::shared_ptr<TapeSink>& sink, Outside asked);

}  // namespace muster::daemon
