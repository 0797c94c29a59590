#include "daemon/kai_looks.h"

#include <algorithm>

#include "app/cluster_json.h"
#include "app/device_views.h"
#include "app/kai_job_order.h"
#include "app/kai_shared_gpus.h"
#include "app/node_json.h"
#include "daemon/kai_cluster.h"

namespace muster::daemon {
namespace {

std::vector<std::string> domains_by(const std::vector<std::string>& labels, const StringMap& of_node) {
  std::vector<std::string> names;
  for (const auto& label : labels) {
    const auto name = of_node.get(label);
    if (name.empty()) break;
    names.emplace_back(name);
  }
  return names;
}

// Shared GPUs one by one. Which whole GPU a pod has is known to the kubelet alone, so where there are whole ones in use nothing is
// said.
std::vector<DeviceView> shared_gpus(const kai::Cluster& cluster, NodeId node) {
  const auto& info = cluster.node_info(node);
  const auto& books = cluster.books();
  std::vector<DeviceView> devices;
  for (const auto& group : info.groups) {
    DeviceView view{.device = books.symbols().text(group.id),
                    .resource = books.resource_name(cluster.gpu()),
                    .used = info.gpu_memory == 0 ? 0 : static_cast<double>(group.used) / static_cast<double>(info.gpu_memory),
                    .amounts = {},
                    .pods = {}};
    for (const auto pod : books.pods_on(node)) {
      const auto* place = cluster.task(pod).place_on(node);
      if (place != nullptr && std::find(place->groups.begin(), place->groups.end(), group.id) != place->groups.end())
        view.pods.push_back(books.pod_key(pod));
    }
    std::ranges::sort(view.pods);
    devices.push_back(std::move(view));
  }
  std::ranges::sort(devices, {}, &DeviceView::device);
  return devices;
}

std::optional<std::vector<DeviceView>> kai_devices(const kai::Cluster& cluster, NodeId node) {
  auto devices = shared_gpus(cluster, node);
  for (auto& claimed : claimed_device_views(cluster.books(), cluster.devices(), node)) devices.push_back(std::move(claimed));
  if (devices.empty()) return std::nullopt;
  return devices;
}

NodeKnowledge kai_knowledge(const kai::Session& session, const std::map<std::string, std::vector<std::string>>& levels) {
  NodeKnowledge knowledge;
  const auto& cluster = session.cluster();
  if (!levels.empty())
    knowledge.domains = [&cluster, &labels = levels.begin()->second](NodeId node) {
      return domains_by(labels, cluster.books().node(node).labels);
    };
  knowledge.job_of = [&cluster](PodId pod) {
    const auto group = cluster.books().pod(pod).group;
    if (!group) return std::string();
    const auto& job = cluster.job(group);
    return job.ns.empty() ? std::string() : job.ns + "/" + job.name;
  };
  knowledge.more_used = shared_gpus_used(cluster);
  knowledge.devices = [&cluster](NodeId node) { return kai_devices(cluster, node); };
  return knowledge;
}

}  // namespace

void KaiLooks::set_topology(const KaiTopology& topology) {
  auto& labels = levels_[topology.meta.name];
  labels.clear();
  for (const auto& level : topology.levels) labels.push_back(level.node_label);
}

std::string KaiLooks::queues(kai::Session& session) { return queues_json(queue_views(session)); }

std::string KaiLooks::nodes(const kai::Session& session) const {
  return nodes_json(session.books(), kai_knowledge(session, levels_));
}

Result<std::string> KaiLooks::node(const kai::Session& session, const std::string& name) const {
  return node_json(session.books(), name, kai_knowledge(session, levels_));
}

Result<std::string> KaiLooks::job_order(kai::Session& session) { return kai_job_order_json(session); }

ClusterCounts KaiCluster::counts() const {
  const auto& cluster = scheduler_->cluster();
  const auto& books = cluster.books();
  return {.nodes = books.known_node_count(),
          .pods = books.live_pods(),
          .jobs = cluster.all_jobs().size(),
          .queues = cluster.queues().size()};
}

}  // namespace muster::daemon
