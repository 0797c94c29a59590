#include "policy/kai/plugins/proportion.h"

#include <algorithm>
#include <fmt/format.h>

#include "policy/kai/next_tasks.h"
#include "policy/kai/plugins/resource_division.h"
#include "policy/kai/session.h"

namespace muster::kai {
namespace {

std::string_view share_word(Share share) {
  switch (share) {
    case Share::kCpu: return "CPU";
    case Share::kMemory: return "memory";
    case Share::kGpu: return "GPU";
  }
  return "";
}

// In cores, devices, or the largest binary unit: 1.5, 8, 96Gi.
std::string amount_text(Share share, double amount) {
  if (share == Share::kCpu) return fmt::format("{:.6g}", amount / 1000);
  if (share == Share::kGpu) return fmt::format("{:.6g}", amount);
  constexpr std::string_view kUnits[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(kUnits); ++unit) amount /= 1024;
  return fmt::format("{:.4g}{}", amount, kUnits[unit]);
}

// Of negative numbers only -1 means that there is none.
std::string limit_text(Share share, double limit) {
  return limit < 0 ? fmt::format("nothing (its limit is {:.6g})", limit) : amount_text(share, limit);
}

// Whether a queue holds more than its fair share of everything.
bool is_over_utilised(const QueueShare& queue) {
  return std::all_of(kShares.begin(), kShares.end(), [&](Share share) { return queue.fair_share[share] < queue.allocated[share]; });
}

// Whether a queue would hold something of a resource of which it may hold nothing.
bool holds_forbidden(const QueueShare& queue, const Quantities& allocated) {
  return std::any_of(kShares.begin(), kShares.end(),
                     [&](Share share) { return queue.allocatable(share) == 0 && allocated[share] > 0; });
}

// -1 when only the left is true, 1 when only the right is.
constexpr int first_if(bool left, bool right) { return left == right ? 0 : left ? -1 : 1; }
constexpr int smaller_share_first(double left, double right) { return left < right ? -1 : left > right ? 1 : 0; }

bool is_less_somewhere(const Quantities& left, const Quantities& right) { return !at_most(right, left) && at_most(left, right); }

}  // namespace

Proportion::Proportion(Session& session, const PluginOption& option)
    : Plugin(session),
      k_(std::max(0.0, option.arguments.get_float("kValue", 1.0))),
      saturation_(std::max(1.0, option.arguments.get_float("relcaimerSaturationMultiplier", 1.0))) {}

void Proportion::open() {
  const auto& queues = session().cluster().queues();
  const auto& usage = session().cluster().usage();
  shares_.assign(queues.size(), {});
  for (const auto id : IdRange<QueueId>(queues.size())) {
    auto& share = shares_[id];
    share.name = queues[id].name;
    share.created = queues[id].created;
    share.priority = queues[id].priority;
    share.deserved = queues[id].quota;
    share.limit = queues[id].limit;
    share.weight = queues[id].weight;
    if (const auto found = usage.find(queues[id].name); found != usage.end()) share.usage = found->second;
  }
  total_ = session().cluster().offered();
  sum_jobs();
  divide_below(queues.roots(), total_);
  std::vector<Quantities> published;
  for (const auto& share : shares_) published.push_back(share.fair_share);
  session().publish_fair_shares(std::move(published));
}

void Proportion::sum_jobs() {
  const auto& cluster = session().cluster();
  for (const auto id : cluster.listed_jobs()) {
    const auto& job = cluster.amounts(id);
    auto waiting = job.waiting;
    if (job.waiting_mib > 0 && cluster.least_gpu_memory() > 0)
      waiting[Share::kGpu] += static_cast<double>(job.waiting_mib) / static_cast<double>(cluster.least_gpu_memory());
    for (auto queue = job.queue; queue; queue = cluster.queues()[queue].parent) {
      auto& share = shares_[queue];
      share.allocated += job.held;
      share.request += job.held;
      share.request += waiting;
      if (!job.preemptible) share.allocated_fixed += job.held;
    }
  }
}

void Proportion::divide_below(const std::vector<QueueId>& siblings, const Quantities& total) {
  if (siblings.empty()) return;
  std::vector<QueueShare*> shares;
  for (const auto id : siblings) shares.push_back(&shares_[id]);
  divide(total, k_, shares);
  for (const auto id : siblings) divide_below(session().cluster().queues()[id].children, shares_[id].fair_share);
}

int Proportion::compare_queues(const QueueSide& left, const QueueSide& right) {
  const auto& l = shares_[left.queue];
  const auto& r = shares_[right.queue];
  if (const auto order = first_if(!is_over_utilised(l), !is_over_utilised(r))) return order;

  const auto request = [&](const QueueSide& side) {
    return side.job == nullptr ? Quantities() : next_request(session(), *side.job, Mode::kSimulation);
  };
  const auto l_with = l.allocated + request(left);
  const auto r_with = r.allocated + request(right);
  if (const auto order = first_if(at_most(l_with, l.deserved), at_most(r_with, r.deserved))) return order;
  if (l.priority != r.priority) return l.priority > r.priority ? -1 : 1;
  if (const auto order = first_if(!holds_forbidden(l, l_with), !holds_forbidden(r, r_with))) return order;

  const auto without_victims = [](Quantities amounts, const QueueSide& side) {
    for (const auto* victim : side.victims) amounts -= victim->requested.quantities();
    return amounts;
  };
  if (const auto order = smaller_share_first(l.dominant_share(without_victims(l_with, left), total_),
                                             r.dominant_share(without_victims(r_with, right), total_)))
    return order;
  if (const auto order = smaller_share_first(l.dominant_share(l.allocated, total_), r.dominant_share(r.allocated, total_)))
    return order;
  const auto l_allocatable = l.allocatable();
  const auto r_allocatable = r.allocatable();
  if (is_less_somewhere(l_allocatable, r_allocatable)) return -1;
  if (is_less_somewhere(r_allocatable, l_allocatable)) return 1;
  return l.created < r.created ? -1 : 1;
}

// GPU memory counts as parts of the largest GPU of the cluster.
Quantities Proportion::requested(std::span<const PodId> tasks) const {
  const auto& cluster = session().cluster();
  Quantities sum;
  for (const auto pod : tasks) {
    const auto& gpu = cluster.task(pod).gpu;
    sum += quantities_of(session().books().shape_of(pod).request, gpu.quota());
    if (gpu.kind == GpuKind::kMemory && cluster.most_gpu_memory() > 0)
      sum[Share::kGpu] +=
          static_cast<double>(gpu.devices) * (static_cast<double>(gpu.memory) / static_cast<double>(cluster.most_gpu_memory()));
  }
  return sum;
}

std::optional<CapacityRefusal> Proportion::over_limit(const Job& job, const Quantities& requested) const {
  for (auto queue = job.queue; queue; queue = session().cluster().queues()[queue].parent) {
    const auto& share = shares_[queue];
    for (const auto r : kShares)
      if (share.limit[r] != kUnlimited && requested[r] != 0 && share.limit[r] < share.allocated[r] + requested[r])
        return CapacityRefusal{FitReason::kOverLimit, queue, r, requested};
  }
  return std::nullopt;
}

std::optional<CapacityRefusal> Proportion::over_quota(const Job& job, const Quantities& requested) const {
  if (job.preemptible) return std::nullopt;
  for (auto queue = job.queue; queue; queue = session().cluster().queues()[queue].parent) {
    const auto& share = shares_[queue];
    for (const auto r : kShares)
      if (share.deserved[r] != kUnlimited && requested[r] != 0 && share.deserved[r] < share.allocated_fixed[r] + requested[r])
        return CapacityRefusal{FitReason::kNonPreemptibleOverQuota, queue, r, requested};
  }
  return std::nullopt;
}

CapacityNote Proportion::tell_capacity(const Job& job, const CapacityRefusal& refusal) const {
  const auto& of = shares_[refusal.queue];
  const auto r = refusal.share;
  const auto asked = amount_text(r, refusal.asked[r]);
  auto message =
      refusal.reason == FitReason::kOverLimit
          ? fmt::format("queue {} holds {} {} and may hold {}; the job asks for {} more", of.name, amount_text(r, of.allocated[r]),
                        share_word(r), limit_text(r, of.limit[r]), asked)
          : fmt::format("jobs of queue {} that cannot be preempted hold {} {} of its quota of {}; the job asks for {} more",
                        of.name, amount_text(r, of.allocated_fixed[r]), share_word(r), amount_text(r, of.deserved[r]), asked);
  return {std::move(message), std::make_shared<const QueueShortage>(QueueShortage{.queue = refusal.queue,
                                                                                  .share = r,
                                                                                  .requested = of.request,
                                                                                  .deserved = of.deserved,
                                                                                  .allocated = of.allocated,
                                                                                  .allocated_fixed = of.allocated_fixed,
                                                                                  .limit = of.limit,
                                                                                  .asked = refusal.asked,
                                                                                  .preemptible = job.preemptible})};
}

std::optional<CapacityRefusal> Proportion::job_over_capacity(const Job& job, std::span<const PodId> tasks) {
  const auto amounts = requested(tasks);
  auto refusal = over_limit(job, amounts);
  return refusal ? refusal : over_quota(job, amounts);
}

std::optional<CapacityRefusal> Proportion::non_preemptible_over_quota(const Job& job, std::span<const PodId> tasks) {
  return over_quota(job, requested(tasks));
}

std::optional<CapacityRefusal> Proportion::task_over_capacity(const Job& job, PodId pod, NodeId node) {
  const auto& gpu = session().cluster().task(pod).gpu;
  const auto& info = session().cluster().node_info(node);
  const auto gpus =
      gpu.mig_quota > 0 ? gpu.quota() : static_cast<double>(gpu.devices) * info.portion_of_memory(info.memory_of(gpu));
  const auto amounts = quantities_of(session().books().shape_of(pod).request, gpus);
  auto refusal = over_limit(job, amounts);
  return refusal ? refusal : over_quota(job, amounts);
}

void Proportion::change_allocated(PodId pod, double sign) {
  const auto& cluster = session().cluster();
  const auto& job = cluster.job_of(pod);
  const auto& amounts = cluster.task(pod).accepted;
  for (auto queue = job.queue; queue; queue = cluster.queues()[queue].parent) {
    auto& share = shares_[queue];
    for (const auto r : kShares) {
      share.allocated[r] += sign * amounts[r];
      if (!job.preemptible) share.allocated_fixed[r] += sign * amounts[r];
    }
  }
}

}  // namespace muster::kai
