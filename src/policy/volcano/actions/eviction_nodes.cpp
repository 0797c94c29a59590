#include "policy/volcano/actions/eviction_nodes.h"

#include <algorithm>

#include "policy/volcano/plugins/extension_plugin.h"
#include "policy/volcano/plugins/gang.h"

namespace muster::volcano {

Bitset* EvictionNodes::refused_by(PodId pod) {
  const auto& record = session_.books().pod(pod);
  if (!remember_errors_ || !record.role) return nullptr;
  const auto [place, added] = refused_.try_emplace({record.group, record.role});
  if (added) place->second = Bitset(session_.books().node_count());
  return &place->second;
}

Bitset EvictionNodes::find(PodId pod, const Bitset* among, Room room) {
  const auto& cluster = session_.cluster();
  auto* refused = refused_by(pod);
  Bitset own;
  NodeSearch::Query query;
  query.pod = pod;
  query.ignore_resources = true;
  query.excluded = refused;
  query.nodes = among;
  if (cluster.shard_mode() == ShardMode::kHard) {
    own = cluster.shard();
    if (among != nullptr) own &= *among;
    query.nodes = &own;
  }
  // The original puts up with everything that evictions might cure, also where nobody else is to leave.
  const bool checked = room == Room::kNeeded && !session_.behaviour().keeps(Quirk::kUncheckedReclaim);
  Bitset nodes = checked ? session_.search().feasible(query) : session_.search().curable(query);
  if (room == Room::kNeeded) {
    const Bitset curable = nodes;
    curable.for_each([&](std::size_t n) {
      if (!fits_later(session_.books(), pod, NodeId(n))) nodes.reset(n);
    });
  }
  if (refused != nullptr) {
    Bitset others = query.nodes != nullptr ? *query.nodes : Bitset(session_.books().node_count(), true);
    *refused |= others.subtract(nodes);
  }
  return nodes;
}

std::vector<std::vector<NodeId>> EvictionNodes::find(PodId pod) {
  const auto& cluster = session_.cluster();
  std::vector<std::vector<NodeId>> groups(cluster.shard_mode() == ShardMode::kSoft ? 2 : 1);
  find(pod, nullptr, Room::kIgnored).for_each([&](std::size_t n) {
    groups[groups.size() == 2 && !cluster.in_shard(NodeId(n)) ? 1 : 0].push_back(NodeId(n));
  });
  return groups;
}

NodeId EvictionNodes::best(PodId pod, const Bitset* among) {
  const auto& cluster = session_.cluster();
  const auto feasible = find(pod, among, Room::kNeeded);
  NodeSearch::Query query;
  query.pod = pod;
  query.nodes = &feasible;
  if (cluster.shard_mode() == ShardMode::kSoft) query.preferred = &cluster.shard();
  if (session_.search().feasible(query) == feasible) {
    const auto choice = session_.search().best(query);
    return choice ? choice->node : NodeId();
  }
  return best_despite_refusals(pod, feasible);
}

// Some nodes are refused for now, which the search would not choose.
NodeId EvictionNodes::best_despite_refusals(PodId pod, const Bitset& feasible) {
  // Free now before free later, and of each the own shard first.
  std::array<std::vector<NodeId>, 4> lists;
  const bool soft = session_.cluster().shard_mode() == ShardMode::kSoft;
  feasible.for_each([&](std::size_t n) {
    const NodeId node(n);
    const auto later = fits_now(session_.books(), pod, node) ? 0u : 2u;
    lists[later + (soft && !session_.cluster().in_shard(node) ? 1u : 0u)].push_back(node);
  });
  for (const auto& nodes : lists) {
    if (nodes.size() < 2) {
      if (!nodes.empty()) return nodes.front();
      continue;
    }
    std::vector<double> scores(nodes.size());
    if (session_.search().scores(pod, nodes, scores))
      return nodes[static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin())];
  }
  return NodeId();
}

void PossibleVictims::follow() {
  const auto& books = session_.books();
  if (!counted_ || seen_ < books.log_start()) {
    if (!counted_) note_protected();
    counted_ = true;
    nodes_.assign(session_.cluster().queue_count(), Bitset(books.node_count()));
    queues_.assign(books.node_count(), {});
    for (const auto node : IdRange<NodeId>(books.node_count())) count(node);
  } else {
    for (auto at = seen_, end = books.log_end(); at != end; ++at) count(books.logged(at));
  }
  seen_ = books.log_end();
}

bool PossibleVictims::is_protected(PodId pod, Plugin& plugin) const {
  const auto* gang = point_ == Point::kReclaimable ? dynamic_cast<const Gang*>(&plugin) : nullptr;
  if (gang != nullptr && !gang->shields(pod)) return false;
  const std::span<const PodId> alone(&pod, 1);
  const auto ballot = point_ == Point::kPreemptable ? plugin.preemptable(PodId(), alone) : plugin.reclaimable(PodId(), alone);
  return ballot.victims.empty();
}

void PossibleVictims::note_protected() {
  const auto& books = session_.books();
  protected_ = Bitset(books.pod_count());
  if (session_.behaviour().keeps(Quirk::kBypassedProtection)) return;
  for (auto* plugin : session_.chain(point_)) {
    if (!plugin->protects() || !judges_alike(*plugin)) continue;
    for (const auto node : IdRange<NodeId>(books.node_count()))
      for (const auto pod : books.pods_on(node))
        if (books.pod(pod).group && !protected_.test(pod.index()) && is_protected(pod, *plugin)) protected_.set(pod.index());
  }
}

void PossibleVictims::count(NodeId node) {
  const auto& books = session_.books();
  auto& queues = queues_[node];
  for (const auto queue : queues) nodes_[queue].reset(node.index());
  queues.clear();
  for (const auto pod : books.pods_on(node)) {
    const auto& record = books.pod(pod);
    if (!record.group || protected_.test(pod.index()) || (record.state != PodState::kRunning && record.state != PodState::kBound))
      continue;
    const auto& job = session_.cluster().job(record.group);
    if (!job.schedulable() || !session_.cluster().task(pod).preemptable || nodes_[job.queue].test(node.index())) continue;
    nodes_[job.queue].set(node.index());
    queues.push_back(job.queue);
  }
}

const Bitset& PossibleVictims::of(QueueId queue) {
  follow();
  return nodes_[queue];
}

bool PossibleVictims::any_of_others(QueueId queue, NodeId node) {
  follow();
  return std::any_of(queues_[node].begin(), queues_[node].end(),
                     [&](QueueId other) { return other != queue && session_.cluster().queue(other).reclaimable.value_or(true); });
}

bool judges_alike(const Plugin& plugin) { return dynamic_cast<const ExtensionPlugin*>(&plugin) == nullptr; }

std::vector<PodId> candidates_on(Session& session, GroupId taker, NodeId node, const std::function<bool(PodId)>& filter) {
  std::vector<PodId> candidates;
  for (const auto pod : session.books().pods_on(node))
    if (session.books().pod(pod).group && filter(pod)) candidates.push_back(pod);
  return session.victims_in_order(taker, std::move(candidates));
}

bool fits_later(const Books& books, PodId pod, NodeId node, const Amounts& more) {
  for (const auto& [resource, amount] : books.shape_of(pod).request)
    if (amount > books.free_later(resource, node) + more.get(resource)) return false;
  return true;
}

bool fits_now(const Books& books, PodId pod, NodeId node) {
  for (const auto& [resource, amount] : books.shape_of(pod).request)
    if (amount > books.ledgers().idle[resource.index()][node.index()]) return false;
  return true;
}

Amounts requests_of(const Books& books, std::span<const PodId> pods) {
  Amounts sum;
  for (const auto pod : pods) sum += books.shape_of(pod).request;
  return sum;
}

}  // namespace muster::volcano
