#include "policy/kai/gpu_rooms.h"

#include <algorithm>

#include "policy/kai/gpu_capacity.h"

namespace muster::kai {

void GpuRooms::look_at(NodeId node) {
  const auto idle = idle_gpus(cluster_, node).gpus;
  const auto releasing = releasing_gpus(cluster_, node).gpus;
  for (auto& slots : slots_) slots.sum += slots.count(idle + releasing, slots.need) - slots.count(gpus_[node], slots.need);
  gpus_[node] = idle + releasing;
  const char any = idle > 0 || releasing > 0 ? 1 : 0;
  if (any == any_[node]) return;
  any_[node] = any;
  const auto before = [&](NodeId left, NodeId right) { return cluster_.name_rank(left) < cluster_.name_rank(right); };
  const auto at = std::lower_bound(with_any_.begin(), with_any_.end(), node, before);
  if (any != 0)
    with_any_.insert(at, node);
  else
    with_any_.erase(at);
}

double GpuRooms::slots(double need, CountSlots count) const {
  for (const auto& known : slots_)
    if (known.need == need && known.count == count) return known.sum;
  double sum = 0;
  for (const auto room : gpus_) sum += count(room, need);
  slots_.push_back({need, count, sum});
  return sum;
}

void GpuRooms::refresh() {
  const auto& books = cluster_.books();
  const auto end = books.log_end();
  if (!built_ || seen_ < books.log_start()) {
    built_ = true;
    gpus_.assign(books.node_count(), 0);
    any_.assign(books.node_count(), 0);
    with_any_.clear();
    slots_.clear();
    for (const auto node : cluster_.nodes_by_name()) look_at(node);
  } else {
    for (auto at = seen_; at < end; ++at)
      if (const auto node = books.logged(at); cluster_.known(node)) look_at(node);
  }
  seen_ = end;
}

}  // namespace muster::kai
