#include "daemon/volcano_looks.h"

#include <set>

#include "app/cluster_json.h"
#include "app/device_views.h"
#include "app/node_json.h"
#include "daemon/volcano_cluster.h"
#include "policy/volcano/devices/device_books.h"

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

DeviceView view_of(const Books& books, const volcano::CardUse& card) {
  DeviceView view{.device = card.card, .resource = card.resource, .used = card.used, .amounts = {}, .pods = {}};
  for (const auto& [resource, used, total] : card.amounts) view.amounts.push_back({resource, used, total});
  std::set<std::string> pods;  // each once, whatever it has of the card
  for (const auto pod : card.pods) pods.insert(books.pod_key(pod));
  view.pods.assign(pods.begin(), pods.end());
  return view;
}

// The cards that `deviceshare` hands out, then what pods have by claims. Which whole GPU of a device plugin a pod has is known to
// the kubelet alone.
std::optional<std::vector<DeviceView>> devices_of(const volcano::Cluster& cluster, NodeId node) {
  std::vector<DeviceView> devices;
  if (const auto* shared = cluster.shared_devices())
    for (const auto& card : shared->cards_on(node)) devices.push_back(view_of(cluster.books(), card));
  for (auto& claimed : claimed_device_views(cluster.books(), cluster.devices(), node)) devices.push_back(std::move(claimed));
  if (devices.empty()) return std::nullopt;
  return devices;
}

NodeKnowledge knowledge_of(const volcano::Session& session) {
  NodeKnowledge knowledge;
  const auto& tree = session.cluster().hyper_tree();
  if (!tree.bare()) knowledge.domains = [&tree](NodeId node) { return hyper_nodes_of(tree, node); };
  knowledge.job_of = [&books = session.books()](PodId pod) {
    const auto group = books.pod(pod).group;
    return group ? books.group(group).name : std::string();
  };
  knowledge.devices = [&cluster = session.cluster()](NodeId node) { return devices_of(cluster, node); };
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
