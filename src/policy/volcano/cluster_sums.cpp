// What a cluster's jobs hold, ask for and were promised, summed by queue. Only jobs that changed are counted anew.

#include <algorithm>

#include "base/fetch_ahead.h"
#include "policy/volcano/cluster.h"

namespace muster::volcano {
namespace {

// Requests of gated pods are not promised to anyone, unless the gate is the queue's own.
Amounts gated_requests(const Cluster& cluster, const Job& job) {
  Amounts sum;
  for (const auto pod : cluster.books().group(job.id).pods)
    if (cluster.books().pod(pod).gated && !cluster.task(pod).only_own_gate) sum += cluster.books().shape_of(pod).request;
  return sum;
}

bool promises_nothing(const Amounts& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](const auto& e) { return e.resource == kPodCount || e.amount == 0; });
}

}  // namespace

Amounts without_gated(const Cluster& cluster, const Job& job, Amounts amounts) {
  if (job.gated == 0) return amounts;
  const auto gated = gated_requests(cluster, job);
  if (promises_nothing(gated)) return amounts;
  Amounts out;
  for (const auto& [id, amount] : amounts)
    out.set(id, id == kCpu || id == kMemory || gated.has(id) ? std::max<std::int64_t>(amount - gated.get(id), 0) : amount);
  return out;
}

JobSums Cluster::sums_of(const Job& job) const {
  JobSums sums;
  if (!job.schedulable()) return sums;
  const auto& group = books_.group(job.id);
  sums.queue = job.queue;
  sums.allocated = group.held;
  sums.request = group.held;
  sums.request += group.waiting;
  for (const auto& [id, amount] : group.held)
    if (const auto beyond = amount - job.min_amounts.get(id); beyond > 0) sums.elastic.set(id, beyond);
  if (!job.min_resources) return sums;

  const bool let_in = job.status.phase == Phase::kInqueue;
  const bool runs = job.status.phase == Phase::kRunning && JobCounts(books_, job).holding() >= job.min_available;
  if (!let_in && !runs) return sums;
  Amounts promised;
  for (const auto& [id, amount] : job.min_amounts) {
    if (books_.resource_name(id) == "ephemeral-storage") continue;
    if (const auto open = amount - group.held.get(id); open > 0 || (id != kPodCount && !group.held.has(id))) promised.set(id, open);
  }
  sums.inqueue = without_gated(*this, job, std::move(promised));
  sums.overcommitted = let_in ? without_gated(*this, job, job.min_amounts) : sums.inqueue;
  return sums;
}

void Cluster::refresh() {
  if (shards_stale_ || shard_.size() != books_.node_count()) apply_shards();
  hyper_tree_.update(books_);
  const auto dirty = books_.take_dirty_groups();
  for (std::size_t i = 0; i < dirty.size(); ++i) {
    const auto id = dirty[i];
    if (constexpr std::size_t kAhead = 3; i + kAhead < dirty.size()) {
      fetch_ahead(jobs_[dirty[i + kAhead]]);
      fetch_ahead(counted_[dirty[i + kAhead]]);
      fetch_ahead(books_.group(dirty[i + kAhead]));
    }
    if (auto& sub_jobs = jobs_[id].sub_jobs) sub_jobs->divide(books_, id);
    auto& counted = counted_[id];
    if (counted.queue) {
      queues_[counted.queue].sums.subtract(counted);
      --queues_[counted.queue].jobs;
      overcommitted_ -= counted.overcommitted;
    }
    counted = sums_of(jobs_[id]);
    if (counted.queue) {
      queues_[counted.queue].sums.add(counted);
      ++queues_[counted.queue].jobs;
      overcommitted_ += counted.overcommitted;
    }
    changed_jobs_.push_back(id);
    mark_open(jobs_[id]);
  }
}

void Cluster::mark_open(const Job& job) {
  if (open_jobs_.size() < jobs_.size()) {
    auto grown = Bitset(std::max<std::size_t>(64, 2 * jobs_.size()));
    open_jobs_.for_each([&](std::size_t i) { grown.set(i); });
    open_jobs_ = std::move(grown);
  }
  const auto phase = job.status.phase;
  const bool waits = phase == Phase::kPending || phase == Phase::kInqueue || phase == Phase::kUnknown;
  const bool unplaced = books_.group(job.id).count[static_cast<std::size_t>(PodState::kPending)] != 0;
  open_jobs_.assign(job.id.index(), job.schedulable() && (waits || unplaced));
}

}  // namespace muster::volcano
