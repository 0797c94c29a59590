#include "daemon/books_audit.h"

namespace muster::daemon {

std::string difference_of(const Books& books, NodeId id, const Node& node) {
  if (!id || !books.node(id).known) return "is not in the books";
  const auto& record = books.node(id);
  if (record.labels != node.meta.labels) return "has other labels in the books";
  if (record.taints != node.taints) return "has other taints in the books";
  if (record.unschedulable != node.unschedulable) return "is cordoned here and not there";
  return {};
}

std::string difference_of(const Books& books, PodId id, const Pod& pod) {
  if (!id) return "is not in the books";
  const auto& record = books.pod(id);
  if (record.uid != pod.meta.uid) return "has the uid " + record.uid + " in the books";
  if (books.label_set(record.labels).labels != pod.meta.labels) return "has other labels in the books";
  return {};
}

}  // namespace muster::daemon
