#include "policy/volcano/actions/gang_room.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>

#include "policy/volcano/actions/eviction_nodes.h"

namespace muster::volcano {

GangRoom::GangRoom(Session& session, std::span<const PodId> pods, HyperNodeId domain, std::span<const PodId> candidates,
                   Helps helps)
    : books_(session.books()), helps_(books_.node_count()), ranks_(books_.node_count()) {
  const auto& tree = session.hyper_tree();
  find_kinds(session, pods, tree.limit(domain));
  struct Leaving {
    std::int64_t pods = 0;
    Amounts held;
  };
  boost::unordered_flat_map<NodeId, Leaving> leaving;
  for (const auto pod : candidates) {
    auto& here = leaving[books_.pod(pod).node];
    ++here.pods;
    here.held += books_.shape_of(pod).request;
  }
  std::vector<Gain> gains;
  for (const auto node : tree.nodes(domain)) {
    if (helps == Helps::kEverywhere) helps_.set(node.index());
    const auto at = leaving.find(node);
    Gain gain{node, at == leaving.end() ? 0 : at->second.pods, 0};
    for (const auto& kind : kinds_) {
      if (!kind.nodes.test(node.index())) continue;
      const auto then = room_for(kind.pod, node, at == leaving.end() ? Amounts() : at->second.held);
      if (then == 0) continue;
      helps_.set(node.index());
      if (gain.leaving != 0) gain.pods = most_pods(then - room_for(kind.pod, node, {}), gain.pods);
    }
    if (gain.leaving != 0 && helps_on(node)) gains.push_back(gain);
  }
  rank_nodes(std::move(gains));
}

// What others say about nodes may change as the gang's own pods find places and others leave.
void GangRoom::find_kinds(Session& session, std::span<const PodId> pods, const Bitset* domain) {
  constexpr bool kForgetErrors = false;
  EvictionNodes search(session, kForgetErrors);
  std::vector<std::pair<ClassId, ShapeId>> known;
  for (const auto pod : pods) {
    const std::pair key(session.rules().class_of(pod), books_.pod(pod).shape);
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    known.push_back(key);
    const bool can_tell = session.filter_dependence(pod) <= Dependence::kNode && !session.pre_predicate(pod);
    kinds_.push_back({pod, can_tell ? search.find(pod, domain, EvictionNodes::Room::kIgnored) : Bitset(books_.node_count(), true)});
  }
}

std::int64_t GangRoom::most_pods(std::int64_t gained, std::int64_t at_least) {
  constexpr std::int64_t kMostPods = 1'000'000;
  return std::clamp(gained, at_least, kMostPods);
}

std::int64_t GangRoom::room_for(PodId pod, NodeId node, const Amounts& more) const {
  auto room = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : books_.shape_of(pod).request)
    if (amount > 0)
      room = std::min(room, std::max<std::int64_t>(books_.free_later(resource, node) + more.get(resource), 0) / amount);
  return room;
}

// Fewest victims for each pod first. Where all kinds have as much room as before, what leaves can still be of use to several
// together.
bool GangRoom::comes_first(std::int64_t leaving, std::int64_t pods, std::int64_t others_leaving, std::int64_t others_pods) {
  if ((pods == 0) != (others_pods == 0)) return others_pods == 0;
  return pods == 0 ? leaving < others_leaving : leaving * others_pods < others_leaving * pods;
}

void GangRoom::rank_nodes(std::vector<Gain> gains) {
  std::stable_sort(gains.begin(), gains.end(),
                   [](const Gain& l, const Gain& r) { return comes_first(l.leaving, l.pods, r.leaving, r.pods); });
  for (std::size_t i = 0; i < gains.size(); ++i) ranks_[gains[i].node] = static_cast<std::uint32_t>(i);
}

Amounts GangRoom::free_or_leaving() const {
  const auto& ledgers = books_.ledgers();
  Amounts sum;
  for (std::size_t r = 0; r < books_.resource_count(); ++r) {
    std::int64_t amount = 0;
    helps_.for_each([&](std::size_t n) { amount += std::max<std::int64_t>(ledgers.idle[r][n] + ledgers.releasing[r][n], 0); });
    if (amount != 0) sum.add(ResourceId(r), amount);
  }
  return sum;
}

Amounts GangRoom::held_by(std::span<const PodId> pods) const {
  Amounts sum;
  for (const auto pod : pods)
    if (helps_on(books_.pod(pod).node)) sum += books_.shape_of(pod).request;
  return sum;
}

}  // namespace muster::volcano
