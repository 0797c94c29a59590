#include "daemon/kai_looks.h"

#include "app/cluster_json.h"
#include "daemon/kai_cluster.h"

namespace muster::daemon {

std::string KaiLooks::jobs(kai::Session& session) { return jobs_json(job_views(session)); }

std::string KaiLooks::queues(kai::Session& session) { return queues_json(queue_views(session)); }

std::string KaiLooks::nodes(const kai::Session& session) { return nodes_json(session.books()); }

ClusterCounts KaiCluster::counts() const {
  const auto& cluster = scheduler_->cluster();
  const auto& books = cluster.books();
  return {.nodes = books.known_node_count(),
          .pods = books.live_pods(),
          .jobs = cluster.all_jobs().size(),
          .queues = cluster.queues().size()};
}

}  // namespace muster::daemon
