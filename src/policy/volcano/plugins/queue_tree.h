#pragma once

#include <utility>
#include <vector>

#include "policy/volcano/cluster.h"

namespace muster::volcano {

// Queues as a tree below the queue `root`: a queue names its parent, or none and is a child of the root. Queues whose parents lead
// in a circle hang nowhere: they have no ancestors and are not among those in_order().
class QueueTree {
 public:
  // What a fault of one queue does: as in the original, the tree as a whole is not sound; or it is, without what the fault
  // concerns.
  enum class Faults { kSpoilTheTree, kAreConfined };
  QueueTree(const Cluster& cluster, Faults faults);

  // Everybody's parent exists, there is a root, and only queues without children have jobs. Parents in a circle are a fault only
  // where faults are confined.
  enum class Fault { kNone, kNoRoot, kNoParent, kJobsInside, kCircle };
  bool is_sound() const { return fault_ == Fault::kNone; }
  Fault fault() const { return fault_; }
  QueueId faulty_queue() const { return faulty_queue_; }  // the first one found, if a queue is to blame

  // Whether jobs of this queue can be let in and placed, as far as the tree is concerned.
  bool takes_jobs(QueueId queue) const { return is_leaf(queue) && (faults_ == Faults::kSpoilTheTree || hangs(queue)); }
  // Whether the ways up lead to the root.
  bool hangs(QueueId queue) const { return queue == root_ || nodes_[queue].parent; }
  // Why this queue takes no jobs, and which queue is to blame: itself, or one above it whose parent does not exist.
  std::pair<Fault, QueueId> fault_of(const Cluster& cluster, QueueId queue) const;

  bool is_leaf(QueueId queue) const { return children_[queue].empty(); }
  QueueId root() const { return root_; }
  QueueId parent(QueueId queue) const { return nodes_[queue].parent; }  // none above the root
  // Of whose holdings its own are a part: its parent's, or where the way up is lost and that is confined, the whole's.
  QueueId counts_in(QueueId queue) const { return faults_ == Faults::kAreConfined && !hangs(queue) ? root_ : parent(queue); }
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
  QueueId named_parent(const Cluster& cluster, QueueId queue) const;
  void walk();
  void lay_way(QueueId queue);
  void find_jobs_inside(const Cluster& cluster);

  IdVector<QueueId, Place> nodes_;
  IdVector<QueueId, std::vector<QueueId>> children_;
  QueueId root_;
  Faults faults_;
  std::vector<QueueId> in_order_;
  std::vector<QueueId> ways_;  // of all queues, one after the other
  Fault fault_ = Fault::kNone;
  QueueId faulty_queue_;
};

}  // namespace muster::volcano
