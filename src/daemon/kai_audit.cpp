// Compares KAI's cluster with objects that were read anew.

#include "daemon/books_audit.h"
#include "daemon/kai_cluster.h"
#include "daemon/object_key.h"
#include "daemon/pod_ended.h"

namespace muster::daemon {

std::string KaiCluster::differs(const Object& object) const {
  const auto& cluster = scheduler_->cluster();
  const auto& books = cluster.books();
  if (const auto* node = std::get_if<Node>(&object)) {
    const auto& options = cluster.options();
    if (options.restrict_nodes || !kai::in_shard(node->meta.labels, options)) return {};  // it may be none of ours
    return difference_of(books, books.find_node(node->meta.name), *node);
  }
  const auto* pod = std::get_if<Pod>(&object);
  if (pod == nullptr || has_ended(*pod)) return {};
  const auto id = cluster.find_pod(key_of(pod->meta));
  if (auto difference = difference_of(books, id, *pod); !difference.empty()) return difference;
  // What it holds is derived from this and from BindRequests when a cycle opens.
  const auto node = cluster.task(id).facts.node;
  const auto remembered = node ? books.node(node).name : std::string();
  if (remembered == pod->spec.node_name) return {};
  return "is remembered on " + (remembered.empty() ? "no node" : remembered) + ", and is on " +
         (pod->spec.node_name.empty() ? "none" : pod->spec.node_name);
}

}  // namespace muster::daemon
