#include "policy/volcano/placement_rules.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <cmath>

namespace muster::volcano {
namespace {

// Where some plugin's order is an error, kNoOrder, none counts.
void drop_missing_orders(std::span<double> totals) {
  for (auto& total : totals)
    if (std::isnan(total)) total = 0;
}

}  // namespace

void Plugin::restrict_by_others(PodId pod, Bitset& nodes) const {
  const Bitset before = nodes;
  Verdict verdict;
  before.for_each([&](std::size_t n) {
    verdict.clear();
    predicate(pod, NodeId(n), Dependence::kOthers, verdict);
    if (!verdict.empty()) nodes.reset(n);
  });
}

std::size_t ClassTable::Hash::operator()(const std::vector<std::uint64_t>& key) const {
  return boost::hash_range(key.begin(), key.end());
}

ClassId ClassTable::intern(const std::vector<std::uint64_t>& keys) {
  const auto known = ids_.find(keys);
  return known != ids_.end() ? known->second : ids_.emplace(keys, ClassId(ids_.size())).first->second;
}

SessionRules::SessionRules(const Books& books, ClassTable& classes, std::vector<Plugin*> predicates, std::vector<Plugin*> orders,
                           std::vector<Plugin*> batch_orders)
    : books_(books),
      classes_(classes),
      predicates_(std::move(predicates)),
      orders_(std::move(orders)),
      batch_orders_(std::move(batch_orders)) {
  for (const auto* list : {&predicates_, &orders_, &batch_orders_})
    for (auto* plugin : *list)
      if (std::find(keyed_.begin(), keyed_.end(), plugin) == keyed_.end()) keyed_.push_back(plugin);
}

ClassId SessionRules::class_of(PodId pod) {
  if (last_pod_ == pod) return last_class_;
  keys_.assign(1, books_.pod(pod).shape.index());
  for (const auto* plugin : keyed_) keys_.push_back(plugin->class_key(pod));
  last_pod_ = pod;
  last_class_ = classes_.intern(keys_);
  return last_class_;
}

Dependence SessionRules::filter_dependence(PodId pod) const {
  auto widest = Dependence::kNothing;
  for (const auto* plugin : predicates_) widest = std::max(widest, plugin->predicate_dependence(pod));
  return widest;
}

void SessionRules::judge(PodId pod, NodeId node, Dependence up_to, Verdict& verdict) const {
  for (const auto* plugin : predicates_) {
    plugin->predicate(pod, node, up_to, verdict);
    if (!verdict.empty()) return;  // the first plugin that refuses is the one that is heard
  }
}

void SessionRules::restrict_by_others(PodId pod, Bitset& nodes) const {
  for (const auto* plugin : predicates_)
    if (plugin->predicate_dependence(pod) == Dependence::kOthers) plugin->restrict_by_others(pod, nodes);
}

Dependence SessionRules::score_dependence(PodId pod) const {
  auto widest = Dependence::kNothing;
  for (const auto* plugin : orders_) widest = std::max(widest, plugin->order_dependence(pod));
  for (const auto* plugin : batch_orders_) widest = std::max(widest, plugin->order_dependence(pod));
  return widest;
}

bool SessionRules::scoring_fails(PodId pod) const {
  return std::any_of(batch_orders_.begin(), batch_orders_.end(), [&](const Plugin* plugin) { return plugin->order_fails(pod); });
}

bool SessionRules::score(PodId pod, std::span<const NodeId> nodes, std::span<double> totals) {
  // Node orders are added up first and batch orders apart, then both together: double precision makes the order of sums visible.
  std::fill(totals.begin(), totals.end(), 0.0);
  for (auto* plugin : orders_) plugin->add_node_order(pod, nodes, totals);
  drop_missing_orders(totals);
  if (scoring_fails(pod)) return false;
  batch_.assign(nodes.size(), 0.0);
  for (auto* plugin : batch_orders_) {
    plugin->add_batch_order(pod, nodes, batch_);
    if (plugin->batch_order_failed()) return false;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) totals[i] += batch_[i];
  return true;
}

// How many batch orders, from the first on, depend on no more than the node.
std::size_t SessionRules::local_batch_orders(PodId pod) const {
  const auto wide = std::find_if(batch_orders_.begin(), batch_orders_.end(),
                                 [&](const Plugin* plugin) { return plugin->order_dependence(pod) > Dependence::kNode; });
  return static_cast<std::size_t>(wide - batch_orders_.begin());
}

bool SessionRules::has_local_part(PodId pod) const {
  return std::all_of(orders_.begin(), orders_.end(),
                     [&](const Plugin* plugin) { return plugin->order_dependence(pod) <= Dependence::kNode; });
}

void SessionRules::score_local_part(PodId pod, std::span<const NodeId> nodes, std::span<ScorePart> parts) {
  single_.assign(nodes.size(), 0.0);
  batch_.assign(nodes.size(), 0.0);
  for (auto* plugin : orders_) plugin->add_node_order(pod, nodes, single_);
  drop_missing_orders(single_);
  for (std::size_t i = 0, local = local_batch_orders(pod); i < local; ++i) batch_orders_[i]->add_batch_order(pod, nodes, batch_);
  for (std::size_t i = 0; i < nodes.size(); ++i) parts[i] = {single_[i], batch_[i]};
}

bool SessionRules::complete_scores(PodId pod, std::span<const NodeId> nodes, std::span<const ScorePart> parts,
                                   std::span<double> totals) {
  if (scoring_fails(pod)) return false;
  batch_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) batch_[i] = parts[i].batch;
  for (auto i = local_batch_orders(pod); i < batch_orders_.size(); ++i) {
    batch_orders_[i]->add_batch_order(pod, nodes, batch_);
    if (batch_orders_[i]->batch_order_failed()) return false;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) totals[i] = parts[i].single + batch_[i];
  return true;
}

}  // namespace muster::volcano
