// What the books do about ids whose owners are gone: a scheduler lives for months and sees more pods and nodes than it could count
// with ids that are used once.

#include <algorithm>

#include "base/assert.h"
#include "engine/books.h"

namespace muster {
namespace {

// A table that keeps only what is asked for, under new ids.
template <class Id, class T>
class Renumbered {
 public:
  Renumbered(Interner<Id>& keys, IdVector<Id, T>& items) : keys_(keys), items_(items), now_(items.size()) {}
  Id keep(Id id) {
    if (!id) return id;
    auto& now = now_[id];
    if (!now) {
      now = kept_keys_.intern(keys_.text(id));
      kept_.push_back(std::move(items_[id]));
      before_.push_back(id);
    }
    return now;
  }
  // By new id, the former ones.
  const IdVector<Id, Id>& before() const { return before_; }
  void finish() {
    keys_ = std::move(kept_keys_);
    items_ = std::move(kept_);
  }

 private:
  Interner<Id>& keys_;
  IdVector<Id, T>& items_;
  IdVector<Id, Id> now_;
  Interner<Id> kept_keys_;
  IdVector<Id, T> kept_;
  IdVector<Id, Id> before_;
};

// The pods of a node while it moves. They go one by one, so that observers follow.
struct Aboard {
  std::vector<PodId> accounted, present;
};

Aboard unload(Books& books, NodeId node) {
  Aboard aboard{books.pods_on(node), books.pods_present(node)};
  for (const auto pod : aboard.present) books.depart(pod);
  for (const auto pod : aboard.accounted) books.unaccount(pod);
  return aboard;
}

void load(Books& books, NodeId node, const Aboard& aboard) {
  for (const auto pod : aboard.accounted) books.account(pod, node, books.pod(pod).accounted_as);
  for (const auto pod : aboard.present) books.arrive(pod, node);
}

}  // namespace

void Books::recycle_pods() {
  for (const auto id : retired_pods_) pods_[id] = PodRecord();
  free_pods_.insert(free_pods_.end(), retired_pods_.begin(), retired_pods_.end());
  retired_pods_.clear();
}

// ---------------------------------------------------------------------------------------- shapes, label sets, terms

void Books::sweep() {
  recycle_pods();  // their records name what goes
  gone_since_sweep_ = 0;
  last_shape_ = ShapeId();
  last_labels_ = LabelSetId();
  Renumbered shapes(shape_keys_, shapes_);
  Renumbered label_sets(label_set_keys_, label_sets_);
  Renumbered terms(terms_keys_, terms_);
  for (const auto id : IdRange<PodId>(pods_.size())) {
    if (removed_[id]) continue;
    auto& record = pods_[id];
    record.shape = shapes.keep(record.shape);
    record.labels = label_sets.keep(record.labels);
    record.terms = terms.keep(record.terms);
  }
  IdVector<LabelSetId, std::vector<PodId>> pods_by_labels;
  for (const auto before : label_sets.before()) pods_by_labels.push_back(std::move(pods_by_labels_[before]));
  pods_by_labels_ = std::move(pods_by_labels);
  shapes.finish();
  label_sets.finish();
  terms.finish();
}

// ------------------------------------------------------------------------------------------------------------ nodes

NodeId Books::place_last(NodeId id) {
  if (nodes_[id].known || id.index() >= known_end_) return id;
  const auto last = append_node();
  const auto aboard = unload(*this, id);
  move_node(id, last);
  load(*this, last, aboard);
  for (const auto pod : IdRange<PodId>(pods_.size()))  // also those that have finished there
    if (pods_[pod].node == id) pods_[pod].node = last;
  return last;  // the id that it had is left for sweep_nodes(): somebody may still have it
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
    if (to != id) moves.emplace_back(id, to);
  }
  // All leave before any comes: what observers derive from nodes is made anew once and not for every move.
  std::vector<Aboard> aboard;
  for (const auto& [from, to] : moves) aboard.push_back(unload(*this, from));
  for (const auto& [from, to] : moves) move_node(from, to);
  for (std::size_t i = 0; i < moves.size(); ++i) load(*this, moves[i].second, aboard[i]);
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

// Nothing is on it. Where pods that are placed nowhere say that they are is left to the caller.
void Books::move_node(NodeId from, NodeId to) {
  MUSTER_ASSERT(nodes_[to].name.empty() && accounted_[to].empty() && present_[to].empty());
  for (auto* columns : {&ledgers_.allocatable, &ledgers_.idle, &ledgers_.used, &ledgers_.releasing, &ledgers_.pipelined,
                        &ledgers_.aside, &ledgers_.present})
    for (auto& column : *columns) std::swap(column[from.index()], column[to.index()]);
  std::swap(nodes_[from], nodes_[to]);
  std::swap(moving_[from], moving_[to]);
  node_names_.set(nodes_[to].name, to);
  if (nodes_[to].known) known_end_ = std::max<std::size_t>(known_end_, to.index() + 1);
  ++node_facts_version_;
  note_change(from);
  note_change(to);
}

}  // namespace muster
