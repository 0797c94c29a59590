#include "daemon/volcano_looks.h"

#include "app/cluster_json.h"
#include "app/node_json.h"
#include "daemon/volcano_cluster.h"

namespace muster::daemon {
namespace {

// HyperNodes from the widest to the narrowest.
std::vector<std::string> hyper_nodes_of(const volcano::HyperTree& tree, NodeId node) {
  std::vector<std::string> names;
  const auto& holders = tree.holders(node);
  for (auto holder = holders.rbegin(); holder != holders.rend(); ++holder)
    if (*holder != volcano::HyperTree::root()) names.push_back(tree.name(*holder));
  return names;
}

NodeKnowledge knowledge_of(const volcano::Session& session) {
  NodeKnowledge knowledge;
  const auto& tree = session.cluster().hyper_tree();
  if (!tree.bare()) knowledge.domains = [&tree](NodeId node) { return hyper_nodes_of(tree, node); };
  knowledge.job_of = [&books = session.books()](PodId pod) {
    const auto group = books.pod(pod).group;
    return group ? books.group(group).name : std::string();
  };
  return knowledge;
}

}  // namespace

std::string VolcanoLooks::queues(volcano::Session& session) { return queues_json(queue_views(session)); }

std::string VolcanoLooks::nodes(const volcano::Session& session) { return nodes_json(session.books(), knowledge_of(session)); }

Result<std::string> VolcanoLooks::node(const volcano::Session& session, const std::string& name) {
  return node_json(session.books(), name, knowledge_of(session));
}

// Volcano has no form for it.
Result<std::string> VolcanoLooks::job_order(volcano::Session&) { return fail("the order of jobs is told in KAI's dialect alone"); }

ClusterCounts VolcanoCluster::counts() const {
  const auto& cluster = scheduler_->cluster();
  const auto& books = cluster.books();
  ClusterCounts counts{.nodes = books.known_node_count(), .pods = books.live_pods()};
  for (const auto id : IdRange<GroupId>(cluster.job_count())) counts.jobs += books.exists(id) ? 1 : 0;
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) counts.queues += cluster.queue(id).known ? 1 : 0;
  return counts;
}

}  // namespace muster::daemon
