#include "daemon/volcano_looks.h"

#include "app/cluster_json.h"
#include "daemon/volcano_cluster.h"

namespace muster::daemon {

std::string VolcanoLooks::jobs(volcano::Session& session) { return jobs_json(job_views(session)); }

std::string VolcanoLooks::queues(volcano::Session& session) { return queues_json(queue_views(session)); }

std::string VolcanoLooks::nodes(const volcano::Session& session) { return nodes_json(session.books()); }

ClusterCounts VolcanoCluster::counts() const {
  const auto& cluster = scheduler_->cluster();
  const auto& books = cluster.books();
  ClusterCounts counts{.nodes = books.known_node_count(), .pods = books.live_pods()};
  for (const auto id : IdRange<GroupId>(cluster.job_count())) counts.jobs += books.exists(id) ? 1 : 0;
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) counts.queues += cluster.queue(id).known ? 1 : 0;
  return counts;
}

}  // namespace muster::daemon
