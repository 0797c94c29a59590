#include "policy/volcano/hyper_sums.h"

#include <algorithm>

namespace muster::volcano {
namespace {

std::array<std::int64_t, 3> amounts_on(const Books& books, NodeId node, ResourceId resource) {
  if (!books.node(node).known) return {};
  const auto& ledgers = books.ledgers();
  const auto r = resource.index();
  const auto n = node.index();
  return {ledgers.allocatable[r][n], ledgers.used[r][n], ledgers.releasing[r][n] - ledgers.pipelined[r][n]};
}

}  // namespace

void HyperSums::update(const Books& books, const HyperTree& tree) {
  const bool outdated = !built_ || tree_version_ != tree.version() || counted_[0].size() != books.resource_count() ||
                        seen_ < books.log_start() || books.log_end() - seen_ > books.node_count();
  if (outdated)
    rebuild(books, tree);
  else
    for (auto at = seen_, end = books.log_end(); at != end; ++at) recount(books, tree, books.logged(at));
  seen_ = books.log_end();
}

void HyperSums::rebuild(const Books& books, const HyperTree& tree) {
  built_ = true;
  tree_version_ = tree.version();
  for (auto& columns : sums_) columns.assign(books.resource_count(), IdVector<HyperNodeId, std::int64_t>(tree.size()));
  for (auto& columns : counted_) columns.assign(books.resource_count(), IdVector<NodeId, std::int64_t>(books.node_count()));
  for (const auto node : IdRange<NodeId>(books.node_count())) recount(books, tree, node);
}

void HyperSums::recount(const Books& books, const HyperTree& tree, NodeId node) {
  for (const auto resource : IdRange<ResourceId>(books.resource_count())) {
    const auto now = amounts_on(books, node, resource);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      auto& before = counted_[kind][resource.index()][node];
      if (now[kind] == before) continue;
      // Unsigned, so that absurd amounts wrap around and come back instead of being undefined.
      const auto change = static_cast<std::uint64_t>(now[kind]) - static_cast<std::uint64_t>(before);
      before = now[kind];
      for (const auto domain : tree.holders(node)) {
        auto& sum = sums_[kind][resource.index()][domain];
        sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + change);
      }
    }
  }
}

std::int64_t HyperSums::get(Of what, HyperNodeId domain, ResourceId resource) const {
  const auto r = resource.index();
  if (r >= sums_[kOffered].size()) return 0;
  const auto offered = sums_[kOffered][r][domain];
  const auto taken = sums_[kTaken][r][domain];
  switch (what) {
    case Of::kAllocatable: return offered;
    case Of::kUsed: return taken;
    case Of::kIdle: return offered - taken;
    case Of::kLater: return offered - taken + sums_[kMoving][r][domain];
  }
  return 0;
}

bool HyperSums::covers(Of what, HyperNodeId domain, const Amounts& amounts) const {
  for (const auto always : {kCpu, kMemory})
    if (amounts.get(always) > get(what, domain, always)) return false;
  return std::all_of(amounts.begin(), amounts.end(),
                     [&](const auto& entry) { return entry.amount <= get(what, domain, entry.resource); });
}

}  // namespace muster::volcano
