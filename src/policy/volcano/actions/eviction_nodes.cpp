#include "policy/volcano/actions/eviction_nodes.h"

#include <algorithm>

namespace muster::volcano {

Bitset* EvictionNodes::refused_by(PodId pod) {
  const auto& record = session_.books().pod(pod);
  if (!remember_errors_ || !record.role) return nullptr;
  for (auto& known : refused_)
    if (known.job == record.group && known.role == record.role) return &known.nodes;
  refused_.push_back({record.group, record.role, Bitset(session_.books().node_count())});
  return &refused_.back().nodes;
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
  Bitset nodes = session_.search().feasible(query);
  std::vector<std::size_t> hopeless;
  session_.search().refusals(query, [&](NodeId node, VerdictId id) {
    const auto& verdict = cluster.fits().verdict(id);
    const bool curable =
        std::all_of(verdict.begin(), verdict.end(), [](const FitStatus& status) { return status.code == FitCode::kUnschedulable; });
    curable ? nodes.set(node.index()) : hopeless.push_back(node.index());
  });
  if (room == Room::kNeeded) {
    nodes.for_each([&](std::size_t n) {
      if (!fits_later(session_.books(), pod, NodeId(n))) hopeless.push_back(n);
    });
    for (const auto node : hopeless) nodes.reset(node);
  }
  if (refused != nullptr)
    for (const auto node : hopeless) refused->set(node);
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
