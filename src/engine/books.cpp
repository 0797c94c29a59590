#include "engine/books.h"

#include <algorithm>

#include "base/assert.h"

namespace muster {
namespace {

// Old entries of the change log are dropped when it is longer than this many times the number of nodes: whoever is so far behind
// looks at every node anyway.
constexpr std::size_t kLogPerNode = 4;

void erase_value(std::vector<PodId>& list, PodId id) {
  const auto at = std::find(list.begin(), list.end(), id);
  MUSTER_ASSERT(at != list.end());
  *at = list.back();
  list.pop_back();
}

}  // namespace

Books::Books(const Accounting& accounting) : accounting_(accounting) {
  resources_.intern("cpu");
  resources_.intern("memory");
  resources_.intern("pods");
  ensure_columns();
}

// ------------------------------------------------------------------------------------------------------- names

ResourceId Books::resource(std::string_view name) {
  const auto known = resources_.size();
  const auto id = resources_.intern(name);
  if (resources_.size() != known) ensure_columns();
  return id;
}

void Books::ensure_columns() {
  for (auto* columns : {&ledgers_.allocatable, &ledgers_.idle, &ledgers_.used, &ledgers_.releasing, &ledgers_.pipelined,
                        &ledgers_.aside, &ledgers_.present}) {
    columns->resize(resources_.size());
    for (auto& column : *columns) column.resize(nodes_.size());
  }
  ledgers_.nonzero_cpu.resize(nodes_.size());
  ledgers_.nonzero_memory.resize(nodes_.size());
}

ShapeId Books::intern_shape(PodShape shape) {
  // Pods of one group usually come one after another and look alike.
  if (last_shape_ && shapes_[last_shape_] == shape) return last_shape_;
  const auto [id, added] = shape_keys_.try_intern(shape.key());
  if (added) shapes_.push_back(std::move(shape));
  last_shape_ = id;
  return id;
}

LabelSetId Books::intern_labels(SymbolId ns, const StringMap& labels) {
  if (last_labels_ && label_sets_[last_labels_].ns == ns && label_sets_[last_labels_].labels == labels) return last_labels_;
  std::string key = symbols_.text(ns);
  for (const auto& [name, value] : labels) key.append(1, '\0').append(name).append(1, '\0').append(value);
  const auto [id, added] = label_set_keys_.try_intern(key);
  if (added) {
    label_sets_.push_back(LabelSet{ns, labels});
    pods_by_labels_.push_back({});
  }
  last_labels_ = id;
  return id;
}

PodTermsId Books::intern_terms(PodTerms terms) {
  if (terms.empty()) return PodTermsId();
  const auto [id, added] = terms_keys_.try_intern(terms.key());
  if (added) terms_.push_back(std::move(terms));
  return id;
}

// ------------------------------------------------------------------------------------------------------- nodes

NodeId Books::find_node(std::string_view name) const { return node_names_.find(name); }

NodeId Books::intern_node(std::string_view name) {
  if (const auto known = node_names_.find(name)) return known;
  const auto id = free_nodes_.empty() ? append_node() : free_nodes_.back();
  if (!free_nodes_.empty()) free_nodes_.pop_back();
  nodes_[id].name = name;
  node_names_.set(name, id);
  return id;
}

NodeId Books::append_node() {
  const auto id = nodes_.push_back({});
  accounted_.push_back({});
  present_.push_back({});
  moving_.push_back(0);
  ensure_columns();
  return id;
}

void Books::set_node(NodeId id, NodeRecord record, const Amounts& allocatable) {
  MUSTER_ASSERT(record.name == nodes_[id].name);
  record.known = true;
  const bool same_facts = record == nodes_[id];  // most updates of a node only say that it is alive
  const auto facts_version = node_facts_version_;
  remove_node(id);
  nodes_[id] = std::move(record);
  ++known_nodes_;
  known_end_ = std::max<std::size_t>(known_end_, id.index() + 1);
  for (const auto& [resource, amount] : allocatable) {
    ledgers_.allocatable[resource.index()][id.index()] = amount;
    ledgers_.idle[resource.index()][id.index()] += amount;
  }
  total_allocatable_ += allocatable;
  for (const auto pod : accounted_[id])
    total_used_ += accounting_.rules[static_cast<std::size_t>(pods_[pod].accounted_as)].uses ? shape_of(pod).request : Amounts();
  node_facts_version_ = same_facts ? facts_version : facts_version + 1;
  note_change(id);
}

void Books::remove_node(NodeId id) {
  if (!nodes_[id].known) return;
  nodes_[id].known = false;
  --known_nodes_;
  while (known_end_ > 0 && !nodes_[NodeId(known_end_ - 1)].known) --known_end_;
  Amounts left = total_allocatable_;
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    auto& held = ledgers_.allocatable[r][id.index()];
    if (held != 0) left.add(ResourceId(r), -held);
    ledgers_.idle[r][id.index()] -= held;
    held = 0;
    if (const auto used = ledgers_.used[r][id.index()]; used != 0) total_used_.add(ResourceId(r), -used);
  }
  // What only this node had is not named any more.
  Amounts named;
  for (const auto& [resource, amount] : left)
    if (amount != 0 || total_allocatable_.get(resource) == 0) named.set(resource, amount);
  total_allocatable_ = std::move(named);
  ++node_facts_version_;
  note_change(id);
}

// ------------------------------------------------------------------------------------------------------ groups

GroupId Books::add_group(std::string name) {
  if (free_groups_.empty()) {
    const GroupId id(groups_.size());
    groups_.push_back({}).name = std::move(name);
    return id;
  }
  const auto id = free_groups_.back();
  free_groups_.pop_back();
  groups_[id].name = std::move(name);
  return id;
}

// The count of changes goes on, so that nothing remembered of the former group holds for its successor.
void Books::remove_group(GroupId id) {
  MUSTER_ASSERT(groups_[id].pods.empty());
  GroupRecord fresh;
  fresh.dirty = groups_[id].dirty;  // is listed
  fresh.version = groups_[id].version + 1;
  groups_[id] = std::move(fresh);
  free_groups_.push_back(id);
}

void Books::touch_group(GroupId id) {
  auto& group = groups_[id];
  if (group.dirty) return;
  group.dirty = true;
  dirty_groups_.push_back(id);
}

void Books::renew_group(GroupId id) {
  ++groups_[id].version;
  touch_group(id);
}

std::vector<GroupId> Books::take_dirty_groups() {
  for (const auto id : dirty_groups_) groups_[id].dirty = false;
  return std::exchange(dirty_groups_, {});
}

// -------------------------------------------------------------------------------------------------------- pods

PodId Books::add_pod(PodRecord record) {
  const PodId id = free_pods_.empty() ? PodId(pods_.size()) : free_pods_.back();
  record.accounted_on = NodeId();
  record.present_on = NodeId();
  const auto group = record.group;
  const auto labels = record.labels;
  if (free_pods_.empty()) {
    pods_.push_back(std::move(record));
    removed_.push_back(0);
  } else {
    free_pods_.pop_back();
    pods_[id] = std::move(record);
    removed_[id] = 0;
  }
  pods_[id].labelled_at = static_cast<std::uint32_t>(pods_by_labels_[labels].size());
  pods_by_labels_[labels].push_back(id);
  if (group) {
    groups_[group].pods.push_back(id);
    ++groups_[group].version;
    count_state(id, +1);
  }
  return id;
}

void Books::set_shape(PodId id, ShapeId shape) {
  MUSTER_DCHECK(!pods_[id].accounted_on && !pods_[id].present_on);
  const auto group = pods_[id].group;
  if (group) count_state(id, -1);
  pods_[id].shape = shape;
  if (!group) return;
  count_state(id, +1);
  ++groups_[group].version;
}

void Books::remove_pod(PodId id) {
  MUSTER_ASSERT(!removed_[id]);
  if (pods_[id].present_on) depart(id);
  if (pods_[id].accounted_on) unaccount(id);
  auto& record = pods_[id];
  if (record.group) {
    count_state(id, -1);
    ++groups_[record.group].version;
    auto& list = groups_[record.group].pods;
    list.erase(std::find(list.begin(), list.end(), id));  // keeps the order of arrival
  }
  auto& alike = pods_by_labels_[record.labels];
  alike[record.labelled_at] = alike.back();
  pods_[alike.back()].labelled_at = record.labelled_at;
  alike.pop_back();
  removed_[id] = 1;
  retired_pods_.push_back(id);
  ++gone_since_sweep_;
}

std::string Books::pod_key(PodId id) const { return symbols_.text(pods_[id].ns) + "/" + pods_[id].name; }

void Books::count_state(PodId id, int sign) {
  const auto& record = pods_[id];
  auto& group = groups_[record.group];
  group.count[static_cast<std::size_t>(record.state)] += static_cast<std::uint32_t>(sign);
  const auto& request = shapes_[record.shape].request;
  if (kHoldingStates.contains(record.state)) sign > 0 ? group.held += request : group.held -= request;
  if (record.state == PodState::kPending) sign > 0 ? group.waiting += request : group.waiting -= request;
  touch_group(record.group);
}

void Books::set_state(PodId id, PodState state, NodeId node) {
  auto& record = pods_[id];
  if (record.group) count_state(id, -1);
  record.state = state;
  record.node = node;
  if (record.group) count_state(id, +1);
}

void Books::set_terminating(PodId id, bool terminating) { pods_[id].terminating = terminating; }

void Books::account(PodId id, NodeId node, PodState as) {
  MUSTER_DCHECK(!pods_[id].accounted_on);
  pods_[id].accounted_on = node;
  pods_[id].accounted_as = as;
  accounted_[node].push_back(id);
  apply_rule(pods_[id].shape, node, as, +1);
}

void Books::unaccount(PodId id) {
  const auto node = pods_[id].accounted_on;
  MUSTER_DCHECK(node);
  erase_value(accounted_[node], id);
  apply_rule(pods_[id].shape, node, pods_[id].accounted_as, -1);
  pods_[id].accounted_on = NodeId();
}

void Books::apply_rule(ShapeId shape, NodeId node, PodState as, std::int64_t sign) {
  const auto& rule = accounting_.rules[static_cast<std::size_t>(as)];
  const auto n = node.index();
  for (const auto& [resource, amount] : shapes_[shape].request) {
    const auto r = resource.index();
    const auto change = sign * amount;
    if (rule.uses) {
      ledgers_.idle[r][n] -= change;
      ledgers_.used[r][n] += change;
      if (nodes_[node].known) total_used_.add(resource, change);
    }
    if (rule.releases) ledgers_.releasing[r][n] += change;
    if (rule.pipelines) ledgers_.pipelined[r][n] += change;
  }
  if (rule.releases || rule.pipelines) update_moving(node);
  note_change(node);
}

void Books::charge(NodeId node, ShapeId shape, PodState as) { apply_rule(shape, node, as, +1); }
void Books::discharge(NodeId node, ShapeId shape, PodState as) { apply_rule(shape, node, as, -1); }

void Books::set_aside(NodeId node, ResourceId resource, std::int64_t idle, std::int64_t releasing) {
  ledgers_.idle[resource.index()][node.index()] -= idle;
  ledgers_.aside[resource.index()][node.index()] += idle;
  ledgers_.releasing[resource.index()][node.index()] += releasing;
  update_moving(node);
  note_change(node);
}

void Books::reserve(NodeId node, ShapeId shape) { change_pipelined(node, shape, +1); }
void Books::unreserve(NodeId node, ShapeId shape) { change_pipelined(node, shape, -1); }

void Books::change_pipelined(NodeId node, ShapeId shape, std::int64_t sign) {
  for (const auto& [resource, amount] : shapes_[shape].request) ledgers_.pipelined[resource.index()][node.index()] += sign * amount;
  update_moving(node);
  note_change(node);
}

// A node whose releasing and pipelined amounts cancel out still counts as moving: callers only need to know when none does.
void Books::update_moving(NodeId node) {
  char moves = 0;
  for (std::size_t r = 0; r < resources_.size() && moves == 0; ++r)
    moves = ledgers_.releasing[r][node.index()] != 0 || ledgers_.pipelined[r][node.index()] != 0;
  if (moving_[node] == moves) return;
  moving_nodes_ += static_cast<std::size_t>(moves) - static_cast<std::size_t>(moving_[node]);
  moving_[node] = moves;
}

void Books::arrive(PodId id, NodeId node) {
  MUSTER_DCHECK(!pods_[id].present_on);
  pods_[id].present_on = node;
  pods_[id].present_at = static_cast<std::uint32_t>(present_[node].size());
  present_[node].push_back(id);
  apply_presence(id, node, +1);
  for (auto* observer : observers_) observer->on_arrive(id, node);
}

void Books::depart(PodId id) {
  const auto node = pods_[id].present_on;
  MUSTER_DCHECK(node);
  auto& list = present_[node];
  const auto at = pods_[id].present_at;
  list[at] = list.back();
  pods_[list[at]].present_at = at;
  list.pop_back();
  pods_[id].present_on = NodeId();
  apply_presence(id, node, -1);
  for (auto* observer : observers_) observer->on_depart(id, node);
}

void Books::apply_presence(PodId id, NodeId node, std::int64_t sign) {
  const auto& shape = shape_of(id);
  const auto n = node.index();
  for (const auto& [resource, amount] : shape.request) ledgers_.present[resource.index()][n] += sign * amount;
  ledgers_.nonzero_cpu[n] += sign * shape.nonzero_milli_cpu;
  ledgers_.nonzero_memory[n] += sign * shape.nonzero_memory;
  note_change(node);
}

// -------------------------------------------------------------------------------------------------- change log

void Books::note_change(NodeId node) {
  // A placement changes its node several times in a row; while nobody has read the last entry it serves for all of them.
  const bool unread = log_read_ < log_base_ + log_.size();
  if (unread && log_.back() == node) return;
  log_.push_back(node);
}

void Books::trim_log() {
  if (log_.size() <= kLogPerNode * std::max<std::size_t>(nodes_.size(), 64)) return;
  log_base_ += log_.size();
  log_read_ = log_base_;
  log_.clear();
}

}  // namespace muster
