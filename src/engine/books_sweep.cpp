// What the books do about ids whose owners are gone: a scheduler lives for months and sees more pods and nodes than it could count
// with ids that are used once.

#include <algorithm>

#include "base/assert.h"
#include "engine/books.h"

namespace muster {
namespace {

// Whether an id is in use, for each of a table.
template <class Id>
class Marks {
 public:
  explicit Marks(std::size_t size) : used_(size) {}
  void mark(Id id) {
    if (id) used_.set(id.index());
  }
  template <class F>
  void for_each_unused(F&& visit) const {
    for (const auto id : IdRange<Id>(used_.size()))
      if (!used_.test(id.index())) visit(id);
  }

 private:
  Bitset used_;
};

}  // namespace

void Books::recycle_pods() {
  for (const auto id : retired_pods_) pods_[id] = PodRecord();
  free_pods_.insert(free_pods_.end(), retired_pods_.begin(), retired_pods_.end());
  retired_pods_.clear();
}

// ---------------------------------------------------------------------------------------- shapes, label sets, terms

void Books::sweep() {
  gone_since_sweep_ = 0;
  last_shape_ = ShapeId();
  last_labels_ = LabelSetId();
  Marks<ShapeId> shapes(shapes_.size());
  Marks<LabelSetId> labels(label_sets_.size());
  Marks<PodTermsId> terms(terms_.size());
  for (const auto id : IdRange<PodId>(pods_.size())) {
    if (removed_[id]) continue;
    shapes.mark(pods_[id].shape);
    labels.mark(pods_[id].labels);
    terms.mark(pods_[id].terms);
  }
  shapes.for_each_unused([&](ShapeId id) {
    if (!shape_keys_.erase(id)) return;
    shapes_[id] = PodShape();
  });
  labels.for_each_unused([&](LabelSetId id) {
    if (!label_set_keys_.erase(id)) return;
    label_sets_[id] = LabelSet();
    pods_by_labels_[id] = {};
  });
  terms.for_each_unused([&](PodTermsId id) {
    if (!terms_keys_.erase(id)) return;
    terms_[id] = PodTerms();
  });
}

// ------------------------------------------------------------------------------------------------------------ nodes

NodeId Books::place_last(NodeId id) {
  if (nodes_[id].known || id.index() >= known_end_) return id;
  const auto last = append_node();
  move_node(id, last);
  for (const auto pod : IdRange<PodId>(pods_.size()))  // also those that have finished there
    if (pods_[pod].node == id) pods_[pod].node = last;
  free_nodes_.push_back(id);
  std::sort(free_nodes_.begin(), free_nodes_.end(), std::greater<>());
  return last;
}

void Books::sweep_nodes(const Bitset& named) {
  Bitset used(nodes_.size());
  for (const auto id : free_nodes_) used.set(id.index());  // are free already
  for (const auto pod : IdRange<PodId>(pods_.size()))
    if (!removed_[pod] && pods_[pod].node) used.set(pods_[pod].node.index());
  for (const auto id : IdRange<NodeId>(nodes_.size())) {
    const bool listed = id.index() < named.size() && named.test(id.index());
    if (used.test(id.index()) || listed || nodes_[id].known || !accounted_[id].empty() || !present_[id].empty()) continue;
    node_names_.erase(nodes_[id].name);
    nodes_[id] = NodeRecord();
    free_nodes_.push_back(id);
  }
  std::sort(free_nodes_.begin(), free_nodes_.end(), std::greater<>());
  kept_unknown_ = nodes_.size() - free_nodes_.size() - known_nodes_;
}

std::vector<std::pair<NodeId, NodeId>> Books::close_gaps() {
  std::vector<std::pair<NodeId, NodeId>> moves;
  if (free_nodes_.empty()) return moves;
  Bitset is_free(nodes_.size());
  for (const auto id : free_nodes_) is_free.set(id.index());
  IdVector<NodeId, NodeId> now_at(nodes_.size());
  std::size_t next = 0;
  for (const auto id : IdRange<NodeId>(nodes_.size())) {
    if (is_free.test(id.index())) continue;
    const NodeId to(next++);
    now_at[id] = to;
    if (to == id) continue;
    move_node(id, to);
    moves.emplace_back(id, to);
  }
  for (const auto pod : IdRange<PodId>(pods_.size()))
    if (!removed_[pod] && pods_[pod].node) pods_[pod].node = now_at[pods_[pod].node];
  free_nodes_.clear();
  nodes_.resize(next);
  accounted_.resize(next);
  present_.resize(next);
  moving_.resize(next);
  ensure_columns();
  known_end_ = next;
  while (known_end_ > 0 && !nodes_[NodeId(known_end_ - 1)].known) --known_end_;
  // Entries of the log are of other nodes now.
  log_base_ += log_.size() + 1;
  log_read_ = log_base_;
  log_.clear();
  return moves;
}

// Pods go one by one, so that observers follow. Where pods that are placed nowhere say that they are is left to the caller.
void Books::move_node(NodeId from, NodeId to) {
  MUSTER_ASSERT(nodes_[to].name.empty() && accounted_[to].empty() && present_[to].empty());
  const auto accounted = accounted_[from];
  const auto present = present_[from];
  for (const auto pod : present) depart(pod);
  for (const auto pod : accounted) unaccount(pod);
  for (auto* columns : {&ledgers_.allocatable, &ledgers_.idle, &ledgers_.used, &ledgers_.releasing, &ledgers_.pipelined,
                        &ledgers_.aside, &ledgers_.present})
    for (auto& column : *columns) std::swap(column[from.index()], column[to.index()]);
  std::swap(nodes_[from], nodes_[to]);
  std::swap(moving_[from], moving_[to]);
  node_names_.set(nodes_[to].name, to);
  known_end_ = std::max<std::size_t>(known_end_, nodes_[to].known ? to.index() + 1 : 0);
  ++node_facts_version_;
  note_change(from);
  note_change(to);
  for (const auto pod : accounted) account(pod, to, pods_[pod].accounted_as);
  for (const auto pod : present) arrive(pod, to);
}

}  // namespace muster
