#include "daemon/volcano_queue_numbers.h"

#include "policy/volcano/plugins/capacity.h"
#include "policy/volcano/plugins/proportion.h"

namespace muster::daemon {
namespace {

using volcano::Capacity;
using volcano::Proportion;
using volcano::Resource;

// Calls visit(QueueId, QueueInfo) for each queue that exists.
template <class F>
void each_queue(const volcano::Session& session, F visit) {
  const auto& cluster = session.cluster();
  for (const auto id : IdRange<QueueId>(cluster.queue_count()))
    if (cluster.queue(id).known) visit(id, cluster.queue(id));
}

metrics::VolcanoMetrics::Amounts shown(const Resource& resource, const Books& books) {
  metrics::VolcanoMetrics::Amounts out{resource.cpu(), resource.memory(), {}};
  for (const auto& scalar : resource.scalars()) out.scalar_resources.emplace_back(books.resource_name(scalar.id), scalar.value);
  return out;
}

}  // namespace

void VolcanoQueueNumbers::on_open(volcano::Session& session) {
  const auto* capacity = session.plugin<Capacity>("capacity");
  const auto* proportion = session.plugin<Proportion>("proportion");
  const auto source = capacity != nullptr ? Source::kCapacity : proportion != nullptr ? Source::kProportion : Source::kNone;
  if (source != source_) forget_all();
  source_ = source;
  if (capacity != nullptr)
    open_capacity(session, *capacity);
  else if (proportion != nullptr)
    open_proportion(session, *proportion);
}

// Of a queue without jobs the original says nothing but that it holds and asks for nothing; what it said before stays as it was
// there.
void VolcanoQueueNumbers::open_proportion(const volcano::Session& session, const Proportion& plugin) {
  each_queue(session, [&](QueueId id, const volcano::QueueInfo& queue) {
    const auto& share = plugin.share_of_queue(id);
    tell(queue.name, kRequest, share.request, session.books());
    tell(queue.name, kInqueue, share.inqueue, session.books());
    if (share.takes_part) {
      tell(queue.name, kDeserved, share.deserved, session.books());
      tell(queue.name, kWeight, queue.weight);
      return;
    }
    withdraw(queue.name, kDeserved);
    for (const auto number : {kShare, kWeight, kOverused}) withdraw(queue.name, number);
  });
}

void VolcanoQueueNumbers::open_capacity(const volcano::Session& session, const Capacity& plugin) {
  if (plugin.is_stopped()) return;
  const auto& books = session.books();
  const auto unguaranteed =
      volcano::exceeded_part(Resource(books.total_allocatable()), volcano::total_guarantee(session.cluster()));
  each_queue(session, [&](QueueId id, const volcano::QueueInfo& queue) {
    const auto& share = plugin.share_of_queue(id);
    tell(queue.name, kRequest, share.request, books);
    tell(queue.name, kInqueue, share.inqueue, books);
    tell(queue.name, kDeserved, share.takes_part ? share.deserved : queue.deserved, books);
    const bool is_tree = plugin.tree() != nullptr;
    tell(queue.name, kRealCapacity, is_tree ? share.real_capability : volcano::flat_capability(unguaranteed, queue), books);
    if (const auto limit = is_tree ? plugin.capability_of(id) : volcano::flat_limit(queue))
      tell(queue.name, kCapacity, *limit, books);
    else
      withdraw(queue.name, kCapacity);
    if (share.takes_part) return;
    for (const auto number : {kShare, kOverused}) withdraw(queue.name, number);
  });
}

void VolcanoQueueNumbers::on_closing(volcano::Session& session) {
  auto* capacity = session.plugin<Capacity>("capacity");
  auto* proportion = session.plugin<Proportion>("proportion");
  if ((capacity == nullptr && proportion == nullptr) || (capacity != nullptr && capacity->is_stopped())) return;
  each_queue(session, [&](QueueId id, const volcano::QueueInfo& queue) {
    const auto& share = capacity != nullptr ? capacity->share_of_queue(id) : proportion->share_of_queue(id);
    tell(queue.name, kAllocated, share.allocated, session.books());
    if (!share.takes_part) return;
    const bool overused = capacity != nullptr ? share.share > 1 : proportion->overused(id);
    tell(queue.name, kShare, share.share);
    tell(queue.name, kOverused, overused ? 1 : 0);
  });
}

metrics::VolcanoMetrics::QueueAmounts& VolcanoQueueNumbers::family(Amount amount) {
  switch (amount) {
    case kAllocated: return metrics_.queue_allocated;
    case kRequest: return metrics_.queue_request;
    case kDeserved: return metrics_.queue_deserved;
    case kInqueue: return metrics_.queue_inqueue;
    case kCapacity: return metrics_.queue_capacity;
    case kRealCapacity:
    case kAmounts: break;
  }
  return metrics_.queue_real_capacity;
}

metrics::Family<metrics::Gauge>& VolcanoQueueNumbers::family(Number number) {
  switch (number) {
    case kShare: return metrics_.queue_share;
    case kWeight: return metrics_.queue_weight;
    case kOverused:
    case kNumbers: break;
  }
  return metrics_.queue_overused;
}

void VolcanoQueueNumbers::tell(const std::string& queue, Amount amount, const Resource& value, const Books& books) {
  auto& told = told_[queue].amounts[amount];
  if (told == value) return;
  told = value;
  metrics_.set_queue(family(amount), queue, shown(value, books));
}

void VolcanoQueueNumbers::tell(const std::string& queue, Number number, double value) {
  auto& told = told_[queue].numbers[number];
  if (told == value) return;
  told = value;
  family(number).with({queue}).set(value);
}

void VolcanoQueueNumbers::withdraw(const std::string& queue, Amount amount) {
  auto& told = told_[queue].amounts[amount];
  if (!told) return;
  told.reset();
  metrics_.remove_amounts(family(amount), queue);
}

void VolcanoQueueNumbers::withdraw(const std::string& queue, Number number) {
  auto& told = told_[queue].numbers[number];
  if (!told) return;
  told.reset();
  family(number).remove({queue});
}

void VolcanoQueueNumbers::on_gone(const std::string& queue) {
  if (told_.erase(queue) != 0) metrics_.remove_queue(queue);
}

void VolcanoQueueNumbers::forget_all() {
  for (const auto& [queue, told] : told_) metrics_.remove_queue(queue);
  told_.clear();
}

}  // namespace muster::daemon
