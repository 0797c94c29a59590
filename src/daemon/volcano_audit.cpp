// Compares Volcano's cluster with objects that were read anew.

#include "daemon/books_audit.h"
#include "daemon/object_key.h"
#include "daemon/pod_ended.h"
#include "daemon/volcano_cluster.h"

namespace muster::daemon {
namespace {

std::string volcano_pod_difference(const volcano::Cluster& cluster, const Pod& pod) {
  const auto& books = cluster.books();
  const auto id = cluster.find_pod(key_of(pod.meta));
  if (auto difference = difference_of(books, id, pod); !difference.empty()) return difference;
  const auto& record = books.pod(id);
  if (pod.spec.node_name.empty())
    return kHoldingStates.contains(record.state) && record.node ? "holds node " + books.node(record.node).name + ", and has none"
                                                                : std::string();
  const auto accounted = record.accounted_on ? books.node(record.accounted_on).name : std::string("no node");
  return accounted == pod.spec.node_name ? std::string() : "is on " + pod.spec.node_name + ", and " + accounted + " is charged";
}

}  // namespace

std::string VolcanoCluster::differs(const Object& object) const {
  const auto& cluster = scheduler_->cluster();
  if (const auto* node = std::get_if<Node>(&object)) {
    if (!cluster.options().node_selector.empty()) return {};  // it may be none of ours
    return difference_of(cluster.books(), cluster.books().find_node(node->meta.name), *node);
  }
  const auto* pod = std::get_if<Pod>(&object);
  if (pod == nullptr || has_ended(*pod)) return {};
  if (pod->spec.node_name.empty() && !is_ours(*pod)) return {};
  if (cluster.pods_without_claim().contains(key_of(pod->meta))) return {};
  return volcano_pod_difference(cluster, *pod);
}

}  // namespace muster::daemon
