#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bitset.h"
#include "base/id_pages.h"
#include "base/interner.h"
#include "base/name_table.h"
#include "engine/amounts.h"
#include "engine/ids.h"
#include "engine/pod_shape.h"
#include "engine/pod_state.h"

namespace muster {

// A namespace with the labels of pods in it: what selectors look at.
struct LabelSet {
  SymbolId ns;
  StringMap labels;
};

struct PodRecord {
  std::string name;
  std::string uid;
  SymbolId ns;
  Timestamp created;
  ShapeId shape;
  LabelSetId labels;
  PodTermsId terms;  // none for most pods
  GroupId group;     // none: not ours to schedule, only accounted on its node
  SymbolId role;     // the task of a job that the pod belongs to; none when unnamed
  std::int32_t priority = 0;
  PodState state = PodState::kPending;
  NodeId node;         // where it is placed, also only planned
  bool gated = false;  // has scheduling gates
  bool terminating = false;

  // Kept by the books.
  NodeId accounted_on;  // whose ledgers hold it
  PodState accounted_as = PodState::kPending;
  NodeId present_on;              // where filters and scores see it
  std::uint32_t present_at = 0;   // its place in that node's list
  std::uint32_t labelled_at = 0;  // its place in the list of its label set
};

struct NodeRecord {
  std::string name;
  StringMap labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
  std::vector<NodeImage> images;
  bool known = false;  // the Node object has arrived

  bool operator==(const NodeRecord&) const = default;
};

struct GroupRecord {
  std::array<std::uint32_t, kPodStates> count{};
  bool dirty = false;
  std::uint64_t version = 0;  // counts changes of its members and of what is known about it, not of their states
  boost::container::small_vector<PodId, 2> pods;  // groups of one are the most frequent
  Amounts held;                                   // requests of pods in kHoldingStates
  Amounts waiting;                                // requests of pending pods
  std::string name;                               // "namespace/name"
};

// One amount per node for each resource.
using Column = std::vector<std::int64_t>;

// What a node's resources are used for. idle + used + aside = allocatable, where releasing is part of used or aside.
struct NodeLedgers {
  std::vector<Column> allocatable, idle, used, releasing, pipelined;
  std::vector<Column> aside;    // taken out of idle for no single pod
  std::vector<Column> present;  // requests of the pods that filters and scores see
  Column nonzero_cpu, nonzero_memory;
};

// How a pod in a state weighs on the node that holds it. Dialects account differently, so each states its own table.
struct Accounting {
  struct Rule {
    bool uses = true;        // takes from idle
    bool releases = false;   // what it holds will be free soon
    bool pipelines = false;  // waits for what others free
  };
  std::array<Rule, kPodStates> rules{};
};

// Told of every pod that filters and scores begin or cease to see on a node, also while a transaction is undone.
class PresenceObserver {
 public:
  virtual ~PresenceObserver() = default;
  virtual void on_arrive(PodId pod, NodeId node) = 0;
  virtual void on_depart(PodId pod, NodeId node) = 0;
};

// The cluster's books: pods, nodes, groups, and what is placed where. The only place that changes amounts, so that sums always
// agree with their parts (check_sums). Each change of a node is logged, and whoever caches something per node repairs what changed.
// Single-threaded; knows no policy.
class Books {
 public:
  explicit Books(const Accounting& accounting);

  // ---- names
  Interner<SymbolId>& symbols() { return symbols_; }
  const Interner<SymbolId>& symbols() const { return symbols_; }
  ResourceId resource(std::string_view name);
  ResourceId find_resource(std::string_view name) const { return resources_.find(name); }
  const std::string& resource_name(ResourceId id) const { return resources_.text(id); }
  std::size_t resource_count() const { return resources_.size(); }

  // ---- shapes, label sets, terms
  ShapeId intern_shape(PodShape shape);
  LabelSetId intern_labels(SymbolId ns, const StringMap& labels);
  PodTermsId intern_terms(PodTerms terms);
  const PodShape& shape(ShapeId id) const { return shapes_[id]; }
  const PodShape& shape_of(PodId id) const { return shapes_[pods_[id].shape]; }
  const LabelSet& label_set(LabelSetId id) const { return label_sets_[id]; }
  const PodTerms& terms(PodTermsId id) const { return terms_[id]; }
  std::size_t shape_count() const { return shapes_.size(); }
  std::size_t label_set_count() const { return label_sets_.size(); }
  // Forgets shapes, label sets and terms that no pod has; the others get new ids, so whoever remembers something by them must
  // forget it. Worth it once more pods have gone than there are.
  bool wants_sweep() const { return gone_since_sweep_ > live_pods() + spare_ids_; }
  void sweep();

  // ---- nodes. A node may be named by a pod before its object arrives; until then it takes part in nothing.
  NodeId find_node(std::string_view name) const;
  NodeId intern_node(std::string_view name);
  // Takes in a new or changed Node object; what its pods hold is accounted again.
  void set_node(NodeId id, NodeRecord record, const Amounts& allocatable);
  void remove_node(NodeId id);
  // The order of ids breaks ties among nodes, and a dialect may want it to be that in which their objects came: gives a node whose
  // object is about to come an id behind those of all known nodes.
  NodeId place_last(NodeId id);
  // Forgets nodes that are neither known nor named by a pod or in `named`; their ids are given out again. Worth it once there are
  // more nodes that are not known than there are others.
  bool wants_node_sweep() const { return nodes_.size() - free_nodes_.size() > 2 * (known_nodes_ + kept_unknown_) + spare_ids_; }
  void sweep_nodes(const Bitset& named);
  // Moves nodes to lower ids, where there are free ones, and keeps their order. The moves in their order, each to an id that is
  // free by then. What is on them goes with them. Worth it once there are more free ids than others.
  bool has_gaps() const { return free_nodes_.size() > known_nodes_ + spare_ids_; }
  std::vector<std::pair<NodeId, NodeId>> close_gaps();
  std::size_t known_node_count() const { return known_nodes_; }
  // So many unused ids are never worth a sweep.
  void set_spare_ids(std::size_t count) { spare_ids_ = count; }
  // Says that something else about the node changed that answers rest on, so that whoever remembers some asks again.
  void touch_node(NodeId id) { note_change(id); }
  const NodeRecord& node(NodeId id) const { return nodes_[id]; }
  std::size_t node_count() const { return nodes_.size(); }
  const NodeLedgers& ledgers() const { return ledgers_; }
  const std::vector<PodId>& pods_on(NodeId id) const { return accounted_[id]; }
  const std::vector<PodId>& pods_present(NodeId id) const { return present_[id]; }
  std::int64_t free_later(ResourceId r, NodeId n) const {
    const auto i = n.index();
    return ledgers_.idle[r.index()][i] + ledgers_.releasing[r.index()][i] - ledgers_.pipelined[r.index()][i];
  }
  // Sums over all known nodes.
  const Amounts& total_allocatable() const { return total_allocatable_; }
  const Amounts& total_used() const { return total_used_; }
  // Whether any node's free_later differs from its idle.
  bool nothing_moves() const { return moving_nodes_ == 0; }

  // ---- groups
  GroupId add_group(std::string name);
  // It has no pods. Its id is given out again.
  void remove_group(GroupId id);
  const GroupRecord& group(GroupId id) const { return groups_[id]; }
  std::size_t group_count() const { return groups_.size(); }  // with those that were removed
  bool exists(GroupId id) const { return !groups_[id].name.empty(); }
  // Groups that changed since the list was last taken, each once, in order of first change.
  std::vector<GroupId> take_dirty_groups();
  void touch_group(GroupId id);
  // The same when something about the group itself changed.
  void renew_group(GroupId id);

  // ---- pods
  PodId add_pod(PodRecord record);
  // Its record stays until recycle_pods(), so that whoever still has the id can tell.
  void remove_pod(PodId id);
  // From now on the ids of removed pods are given out again, the last one first.
  void recycle_pods();
  // It must not be accounted anywhere, nor be present.
  void set_shape(PodId id, ShapeId shape);
  const PodRecord& pod(PodId id) const { return pods_[id]; }
  std::size_t pod_count() const { return pods_.size(); }  // with those that were removed
  std::size_t live_pods() const { return pods_.size() - free_pods_.size() - retired_pods_.size(); }
  bool removed(PodId id) const { return removed_[id]; }
  std::string pod_key(PodId id) const;  // "namespace/name"
  const std::vector<PodId>& pods_with_labels(LabelSetId id) const { return pods_by_labels_[id]; }

  // The mutations that schedulers make. Each is its own inverse with the former values, which is what transactions rely on.
  void set_state(PodId id, PodState state, NodeId node);
  void account(PodId id, NodeId node, PodState as);
  void unaccount(PodId id);
  // Keeps room on a node free that is about to be freed, as for a pipelined pod of this shape, and gives it up again.
  void reserve(NodeId node, ShapeId shape);
  void unreserve(NodeId node, ShapeId shape);
  // Charges a node for a pod of this shape that is accounted elsewhere, as if it stood there in that state, and takes it back.
  void charge(NodeId node, ShapeId shape, PodState as);
  void discharge(NodeId node, ShapeId shape, PodState as);
  // Moves an amount that no pod's request stands for, as for a device that several pods share: less idle, more about to be freed.
  void set_aside(NodeId node, ResourceId resource, std::int64_t idle, std::int64_t releasing);
  void arrive(PodId id, NodeId node);  // filters and scores see the pod on the node from now on
  void depart(PodId id);
  // Observers must outlive the books or leave; they are told in the order in which they came.
  void observe(PresenceObserver& observer) { observers_.push_back(&observer); }
  void ignore(PresenceObserver& observer) { std::erase(observers_, &observer); }
  // Facts about a pod that its object changed.
  void set_terminating(PodId id, bool terminating);

  // ---- change log
  // Nodes in the order in which they changed. A cursor is an index into it; log_start() moves up when old entries are dropped, and
  // a cursor before it means that everything may have changed.
  std::uint64_t log_end() const { return log_read_ = log_base_ + log_.size(); }
  std::uint64_t log_start() const { return log_base_; }
  NodeId logged(std::uint64_t at) const { return log_[at - log_base_]; }
  void trim_log();
  // Counts changes of facts about nodes other than their amounts: labels, taints, images, existence.
  std::uint64_t node_facts_version() const { return node_facts_version_; }

  // Every sum equals its parts; for tests and debug builds.
  bool check_sums() const;

 private:
  struct Sums;
  Sums recount() const;
  bool groups_agree(const Sums& sums) const;
  bool nodes_agree(const Sums& sums) const;
  bool totals_agree(const Sums& sums) const;

  void ensure_columns();
  NodeId append_node();
  void move_node(NodeId from, NodeId to);
  void apply_rule(ShapeId shape, NodeId node, PodState as, std::int64_t sign);
  void change_pipelined(NodeId node, ShapeId shape, std::int64_t sign);
  void apply_presence(PodId id, NodeId node, std::int64_t sign);
  void note_change(NodeId node);
  void update_moving(NodeId node);
  void count_state(PodId id, int sign);

  Accounting accounting_;
  Interner<SymbolId> symbols_;
  Interner<ResourceId> resources_;
  Interner<ShapeId> shape_keys_;
  IdVector<ShapeId, PodShape> shapes_;
  ShapeId last_shape_;
  Interner<LabelSetId> label_set_keys_;
  IdVector<LabelSetId, LabelSet> label_sets_;
  LabelSetId last_labels_;
  IdVector<LabelSetId, std::vector<PodId>> pods_by_labels_;
  Interner<PodTermsId> terms_keys_;
  IdVector<PodTermsId, PodTerms> terms_;

  NameTable<NodeId> node_names_;
  IdVector<NodeId, NodeRecord> nodes_;
  std::vector<NodeId> free_nodes_;  // the lowest last
  std::size_t known_nodes_ = 0;
  std::size_t kept_unknown_ = 0;  // that the last sweep found to be named
  std::size_t known_end_ = 0;     // one more than the highest id of a known node
  NodeLedgers ledgers_;
  IdVector<NodeId, std::vector<PodId>> accounted_;
  IdVector<NodeId, std::vector<PodId>> present_;
  IdVector<NodeId, char> moving_;
  std::size_t moving_nodes_ = 0;
  Amounts total_allocatable_;
  Amounts total_used_;

  IdPages<GroupId, GroupRecord> groups_;
  std::vector<GroupId> free_groups_;
  std::vector<GroupId> dirty_groups_;
  IdPages<PodId, PodRecord> pods_;
  IdVector<PodId, char> removed_;
  std::vector<PodId> free_pods_;
  std::vector<PodId> retired_pods_;  // removed, and not yet to be given out again
  std::size_t gone_since_sweep_ = 0;
  std::size_t spare_ids_ = 1024;

  std::vector<PresenceObserver*> observers_;

  std::vector<NodeId> log_;
  std::uint64_t log_base_ = 0;
  mutable std::uint64_t log_read_ = 0;  // the furthest place that anybody has read up to
  std::uint64_t node_facts_version_ = 0;
};

}  // namespace muster
