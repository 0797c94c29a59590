#include "policy/volcano/plugins/queue_share.h"

#include <algorithm>
#include <limits>

namespace muster::volcano {

void QueueShare::start_from(const QueueInfo& queue) {
  takes_part = true;
  allocated = Resource(queue.sums.allocated);
  request = Resource(queue.sums.request);
  inqueue = Resource(queue.sums.inqueue);
  elastic = Resource(queue.sums.elastic);
  guarantee = queue.guarantee;
}

void QueueShare::add_sums_of(const QueueShare& child) {
  allocated.add(child.allocated);
  request.add(child.request);
  inqueue.add(child.inqueue);
  elastic.add(child.elastic);
}

void QueueShare::update_share() {
  share = 0;
  deserved.for_each_significant([&](ResourceId id, double part) { share = std::max(share, share_of(allocated.get(id), part)); });
}

void QueueShare::hold(const Amounts& amounts) {
  for (const auto& [id, amount] : amounts) allocated.set(id, allocated.get(id) + static_cast<double>(amount));
}

void QueueShare::release(const Amounts& amounts) {
  for (const auto& [id, amount] : amounts) allocated.set(id, allocated.get(id) - static_cast<double>(amount));
}

bool QueueShare::admits(const Resource& minimum) const {
  const auto fits = [&](ResourceId id, double amount) {
    return amount <= 0 || amount + allocated.get(id) + inqueue.get(id) - elastic.get(id) <= real_capability.get(id);
  };
  return fits(kCpu, minimum.cpu()) && fits(kMemory, minimum.memory()) &&
         std::all_of(minimum.scalars().begin(), minimum.scalars().end(),
                     [&](const Resource::Scalar& scalar) { return scalar.id == kPodCount || fits(scalar.id, scalar.value); });
}

std::vector<ResourceId> QueueShare::exceeded_by(const Resource& minimum, const Books& books) const {
  auto wanted = minimum;
  wanted.add(allocated).add(inqueue).subtract(elastic);
  return exceeded_dimensions(wanted, real_capability, minimum, books);
}

Resource& HoldingsAfter::slot(QueueId queue) {
  for (auto& [known, held] : held_)
    if (known == queue) return held;
  return held_.emplace_back(queue, shares_[queue].allocated).second;
}

bool within(const Resource& limit, const Resource& held, const Amounts& request) {
  return std::all_of(request.begin(), request.end(), [&](const auto& entry) {
    return entry.resource == kPodCount || entry.amount <= 0 ||
           held.get(entry.resource) + static_cast<double>(entry.amount) <= limit.get(entry.resource);
  });
}

Resource total_guarantee(const Cluster& cluster) {
  Resource sum;
  for (const auto id : IdRange<QueueId>(cluster.queue_count()))
    if (cluster.queue(id).known) sum.add(cluster.queue(id).guarantee);
  return sum;
}

std::optional<Resource> flat_limit(const QueueInfo& queue) {
  if (queue.capability == Resource()) return std::nullopt;
  auto limit = queue.capability;
  for (const auto id : {kCpu, kMemory})
    if (limit.get(id) <= 0) limit.set(id, std::numeric_limits<double>::max());
  return limit;
}

Resource flat_capability(const Resource& unguaranteed, const QueueInfo& queue) {
  auto most = unguaranteed;
  most.add(queue.guarantee);
  const auto limit = flat_limit(queue);
  return limit ? most.clamp_to(*limit, Missing::kInfinity) : most;
}

}  // namespace muster::volcano
