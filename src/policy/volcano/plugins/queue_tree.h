#pragma once

#include <utility>
#include <vector>

#include "policy/volcano/cluster.h"

namespace muster::volcano {

// Queues as a tree below the queue `root`: a queue names its parent, or none and is a child of the root. Queues whose parents lead
// in a circle hang nowhere: they have no ancestors and are not among those in_order().
class QueueTree {
 public:
  explicit QueueTree(const Cluster& cluster);

  // Everybody's parent exists, there is a root, and only queues without children have jobs.
  enum class Fault { kNone, kNoRoot, kNoParent, kJobsInside };
  bool is_sound() const { return fault_ == Fault::kNone; }
  Fault fault() const { return fault_; }
  QueueId faulty_queue() const { return faulty_queue_; }  // the first one found, if a queue is to blame

  bool is_leaf(QueueId queue) const { return children_[queue].empty(); }
  QueueId root() const { return root_; }
  QueueId parent(QueueId queue) const { return nodes_[queue].parent; }  // none above the root
  const std::vector<QueueId>& children(QueueId queue) const { return children_[queue]; }
  // All queues below and with the root, parents before their children.
  const std::vector<QueueId>& in_order() const { return in_order_; }

  // The ancestor so many steps up, 1 being the parent; none beyond the root.
  QueueId ancestor(QueueId queue, std::size_t steps) const;
  // How deep the closest common ancestor lies, 0 being the root.
  std::size_t common_depth(QueueId left, QueueId right) const;
  // The queue itself or that ancestor which lies at this depth, if it lies deeper.
  QueueId at_depth(QueueId queue, std::size_t depth) const;
  // Where the ways from the root to two leaves part: the queues just below their closest common ancestor. Asked very often.
  std::pair<QueueId, QueueId> parting(QueueId left, QueueId right) const;

 private:
  struct Place {
    QueueId parent;
    std::uint32_t depth = 0;
    std::uint32_t way = 0;  // where its way from the root begins in ways_: the queue below the root first, itself last
  };
  void link(const Cluster& cluster);
  void walk();
  void lay_way(QueueId queue);
  void find_jobs_inside(const Cluster& cluster);

  IdVector<QueueId, Place> nodes_;
  IdVector<QueueId, std::vector<QueueId>> children_;
  QueueId root_;
  std::vector<QueueId> in_order_;
  std::vector<QueueId> ways_;  // of all queues, one after the other
  Fault fault_ = Fault::kNone;
  QueueId faulty_queue_;
};

}  // namespace muster::volcano
