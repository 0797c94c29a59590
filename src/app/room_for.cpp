#include "app/room_for.h"

#include <algorithm>
#include <map>
#include <vector>

namespace muster {

using volcano::Session;

bool room_for(Session& session, std::span<const PodId> pods, const Bitset* nodes) {
  const auto& books = session.books();
  std::map<NodeId, Amounts> taken;
  const auto takes = [&](NodeId node, const Amounts& request) {
    auto amounts = taken[node];
    amounts += request;
    const bool fits = std::ranges::all_of(
        amounts, [&](const auto& entry) { return entry.amount <= books.ledgers().idle[entry.resource.index()][node.index()]; });
    if (fits) taken[node] = std::move(amounts);
    return fits;
  };
  return std::ranges::all_of(pods, [&](PodId pod) {
    if (session.pre_predicate(pod)) return false;
    NodeSearch::Query query;
    query.pod = pod;
    query.nodes = nodes;
    bool found = false;
    session.search().feasible(query).for_each([&](std::size_t node) {
      if (!found) found = takes(NodeId(node), books.shape_of(pod).request);
    });
    return found;
  });
}

WiderRoom wider_room(Session& session, const volcano::Job& job, std::int64_t tier) {
  const auto& tree = session.hyper_tree();
  const auto missing = std::max<std::int64_t>(job.min_available - session.counts(job).ready(), 1);
  std::vector<PodId> pods;
  for (const auto pod : session.books().group(job.id).pods)
    if (session.books().pod(pod).state == PodState::kPending && static_cast<std::int64_t>(pods.size()) < missing)
      pods.push_back(pod);
  WiderRoom out;
  out.anywhere = room_for(session, pods);
  if (!out.anywhere) return out;
  const auto root = volcano::HyperTree::root();
  for (const auto id : IdRange<volcano::HyperNodeId>(tree.size())) {
    if (!tree.exists(id) || id == root || tree.tier(id) <= tier || (out.tier && tree.tier(id) >= *out.tier)) continue;
    if (room_for(session, pods, &tree.node_set(id))) out.tier = tree.tier(id);
  }
  return out;
}

}  // namespace muster
