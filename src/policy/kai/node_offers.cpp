#include "policy/kai/node_offers.h"

#include "policy/kai/cluster.h"

namespace muster::kai {

void NodeOffers::look_at(NodeId node) {
  const auto& books = cluster_.books();
  const auto& info = cluster_.node_info(node);
  auto& offer = offers_[node];
  offer.ready = cluster_.known(node) && info.ready;
  offer.taken.clear();
  if (!offer.ready) return;
  const auto amount = [&](ResourceId resource) {
    return static_cast<double>(books.ledgers().allocatable[resource.index()][node.index()]);
  };
  offer.allocatable = {};
  offer.allocatable[Share::kCpu] = amount(kCpu);
  offer.allocatable[Share::kMemory] = amount(kMemory);
  if (!cluster_.options().restrict_nodes || info.gpu_worker)
    offer.allocatable[Share::kGpu] = amount(cluster_.gpu()) / static_cast<double>(kWholeGpu) + info.mig_quota;
  for (const auto pod : books.pods_on(node))
    if (const auto& task = cluster_.task(pod); !task.ours && !task.utility)
      offer.taken.push_back(quantities_of(books.shape_of(pod).request, task.gpu.quota()));
}

void NodeOffers::refresh() {
  const auto& books = cluster_.books();
  const auto end = books.log_end();
  if (!built_ || seen_ < books.log_start()) {
    built_ = true;
    offers_.clear();
    offers_.resize(books.node_count());
    for (const auto node : cluster_.nodes_by_name()) look_at(node);
  } else {
    offers_.resize(books.node_count());
    NodeId last;
    for (auto at = seen_; at < end; ++at) {
      const auto node = books.logged(at);
      if (node != last) look_at(node);
      last = node;
    }
  }
  seen_ = end;
}

Quantities NodeOffers::total() {
  refresh();
  Quantities sum;
  for (const auto node : cluster_.nodes_by_name()) {
    const auto& offer = offers_[node];
    if (!offer.ready) continue;
    sum += offer.allocatable;
    for (const auto& taken : offer.taken) sum -= taken;
  }
  return sum;
}

}  // namespace muster::kai
