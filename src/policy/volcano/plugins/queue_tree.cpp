#include "policy/volcano/plugins/queue_tree.h"

namespace muster::volcano {

QueueTree::QueueTree(const Cluster& cluster, Faults faults)
    : nodes_(cluster.queue_count()), children_(cluster.queue_count()), root_(cluster.find_queue("root")), faults_(faults) {
  if (!root_) {
    fault_ = Fault::kNoRoot;
    return;
  }
  link(cluster);
  if (!is_sound()) return;
  walk();
  if (faults_ == Faults::kSpoilTheTree) find_jobs_inside(cluster);
}

QueueId QueueTree::named_parent(const Cluster& cluster, QueueId queue) const {
  const auto& name = cluster.queue(queue).parent;
  return name.empty() ? root_ : cluster.find_queue(name);
}

// Enters every queue among its parent's children.
void QueueTree::link(const Cluster& cluster) {
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    const auto& queue = cluster.queue(id);
    if (!queue.known || id == root_) continue;
    const auto parent = named_parent(cluster, id);
    if (!parent && faults_ == Faults::kAreConfined) continue;
    if (!parent) {
      fault_ = Fault::kNoParent;
      faulty_queue_ = id;
      return;
    }
    children_[parent].push_back(id);
  }
}

void QueueTree::find_jobs_inside(const Cluster& cluster) {
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    if (!cluster.queue(id).known || cluster.queue(id).jobs == 0 || is_leaf(id)) continue;
    fault_ = Fault::kJobsInside;
    faulty_queue_ = id;
    return;
  }
}

std::pair<QueueTree::Fault, QueueId> QueueTree::fault_of(const Cluster& cluster, QueueId queue) const {
  if (takes_jobs(queue)) return {Fault::kNone, {}};
  if (hangs(queue)) return {Fault::kJobsInside, queue};
  auto top = queue;
  for (std::size_t steps = 0; steps < nodes_.size(); ++steps) {
    const auto parent = named_parent(cluster, top);
    if (!parent) return {Fault::kNoParent, top};
    top = parent;
  }
  return {Fault::kCircle, queue};  // more steps than there are queues
}

// Parents and depths are only given to those that can be reached from the root.
void QueueTree::walk() {
  in_order_.push_back(root_);
  for (std::size_t i = 0; i < in_order_.size(); ++i) {
    const auto id = in_order_[i];
    for (const auto child : children_[id]) {
      nodes_[child].parent = id;
      nodes_[child].depth = nodes_[id].depth + 1;
      in_order_.push_back(child);
      lay_way(child);
    }
  }
}

void QueueTree::lay_way(QueueId queue) {
  auto& place = nodes_[queue];
  place.way = static_cast<std::uint32_t>(ways_.size());
  for (std::size_t at = 0; at + 1 < place.depth; ++at) ways_.push_back(ways_[nodes_[place.parent].way + at]);
  ways_.push_back(queue);
}

QueueId QueueTree::ancestor(QueueId queue, std::size_t steps) const {
  while (queue && steps-- != 0) queue = nodes_[queue].parent;
  return queue;
}

QueueId QueueTree::at_depth(QueueId queue, std::size_t depth) const {
  while (nodes_[queue].depth > depth) queue = nodes_[queue].parent;
  return queue;
}

std::pair<QueueId, QueueId> QueueTree::parting(QueueId left, QueueId right) const {
  const auto& l = nodes_[left];
  const auto& r = nodes_[right];
  const auto depth = std::min(l.depth, r.depth);
  if (depth == 0) return {at_depth(left, 1), at_depth(right, 1)};
  std::size_t at = 0;
  while (at + 1 < depth && ways_[l.way + at] == ways_[r.way + at]) ++at;
  return {ways_[l.way + at], ways_[r.way + at]};
}

std::size_t QueueTree::common_depth(QueueId left, QueueId right) const {
  auto l = parent(left);
  auto r = parent(right);
  if (!l || !r) return 0;
  const auto depth = std::min(nodes_[l].depth, nodes_[r].depth);
  l = at_depth(l, depth);
  r = at_depth(r, depth);
  while (l != r) {
    l = nodes_[l].parent;
    r = nodes_[r].parent;
  }
  return nodes_[l].depth;
}

}  // namespace muster::volcano
