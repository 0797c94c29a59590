#include "app/queue_limits.h"

#include <algorithm>

namespace muster {

using volcano::QueueShare;

QueueLimits::QueueLimits(volcano::Session& session)
    : session_(session),
      proportion_(session.plugin<volcano::Proportion>("proportion")),
      capacity_(session.plugin<volcano::Capacity>("capacity")) {
  if (exist()) sum_up();
}

void QueueLimits::sum_up() {
  constexpr auto is_new = [](PodState state) {
    return state == PodState::kAllocated || state == PodState::kBinding || state == PodState::kPipelined;
  };
  const auto& books = session_.books();
  const auto& cluster = session_.cluster();
  placed_.resize(cluster.queue_count());
  evicted_.resize(cluster.queue_count());
  const auto add = [&](IdVector<QueueId, Amounts>& sums, PodId pod) {
    const auto group = books.pod(pod).group;
    for (auto at = group ? cluster.job(group).queue : QueueId(); at; at = above(at)) sums[at] += books.shape_of(pod).request;
  };
  for (const auto pod : IdRange<PodId>(books.pod_count()))
    if (is_new(books.pod(pod).state)) add(placed_, pod);
  for (const auto& decision : session_.outbox())
    if (decision.kind == Decision::Kind::kEvict) add(evicted_, decision.pod);
}

const QueueShare& QueueLimits::share_of(QueueId queue) const {
  return proportion_ != nullptr ? proportion_->share_of_queue(queue) : capacity_->share_of_queue(queue);
}

QueueId QueueLimits::above(QueueId queue) const {
  const bool is_tree = capacity_ != nullptr && capacity_->tree() != nullptr && !capacity_->is_stopped();
  return is_tree ? capacity_->tree()->parent(queue) : QueueId();
}

std::optional<FullQueue> QueueLimits::narrower_than_cluster(QueueId queue, const Amounts& more) const {
  if (!exist()) return std::nullopt;
  const auto& total = session_.books().total_allocatable();
  for (; queue; queue = above(queue))
    for (const auto& [resource, amount] : more) {
      const auto& share = share_of(queue);
      const auto most = share.real_capability.get(resource);
      const auto held = share.allocated.get(resource);
      if (resource == kPodCount || amount <= 0 || most >= static_cast<double>(total.get(resource))) continue;
      if (held + static_cast<double>(amount) > most) return FullQueue{queue, resource, most, held};
    }
  return std::nullopt;
}

std::optional<FullQueue> QueueLimits::full_before_evictions(QueueId queue, const Amounts& more) const {
  if (!exist()) return std::nullopt;
  for (; queue; queue = above(queue))
    for (const auto& [resource, amount] : more) {
      if (resource == kPodCount || amount <= 0) continue;
      const auto& share = share_of(queue);
      const auto most = (proportion_ != nullptr ? share.deserved : share.real_capability).get(resource);
      const auto gone = static_cast<double>(evicted_[queue].get(resource));
      const auto held = share.allocated.get(resource) + gone;
      if (gone > 0 && held + static_cast<double>(amount) > most) return FullQueue{queue, resource, most, held};
    }
  return std::nullopt;
}

double QueueLimits::taken_or_promised(QueueId queue, ResourceId resource) const {
  const auto& share = share_of(queue);
  const auto at_the_start = share.allocated.get(resource) - static_cast<double>(placed_[queue].get(resource)) +
                            static_cast<double>(evicted_[queue].get(resource));
  return at_the_start + share.inqueue.get(resource) - share.elastic.get(resource);
}

bool QueueLimits::guarantees_to_others(QueueId queue, ResourceId resource) const {
  for (const auto id : IdRange<QueueId>(session_.cluster().queue_count()))
    if (const auto& other = session_.cluster().queue(id);
        other.known && other.guarantee.get(resource) > 0 && !is_within(queue, id) && !is_within(id, queue))
      return true;
  return false;
}

bool QueueLimits::is_within(QueueId queue, QueueId ancestor) const {
  while (queue && queue != ancestor) queue = above(queue);
  return static_cast<bool>(queue);
}

}  // namespace muster
