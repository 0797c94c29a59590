#include "policy/kai/actions/slot_odds.h"

#include <algorithm>
#include <cmath>

#include "policy/kai/gpu_rooms.h"

namespace muster::kai {

SlotOdds::SlotOdds(Session& session, std::span<const PodId> pending, std::span<const VictimBatch> recorded, Traces traces)
    : cluster_(session.cluster()), traces_(traces) {
  if (pending.empty() || (traces_ == Traces::kMatter && cluster_.has_topologies())) return;
  const auto& gpu = cluster_.task(pending.front()).gpu;
  if (gpu.kind != GpuKind::kRegular) return;
  if (!std::all_of(pending.begin(), pending.end(), [&](PodId pod) { return cluster_.task(pod).gpu == gpu; })) return;
  if (!std::all_of(recorded.begin(), recorded.end(), [&](const VictimBatch& batch) { return is_telling(batch); })) return;
  need_ = gpu.quota();
  if (!is_telling()) return;
  const auto& rooms = session.gpu_rooms();
  rooms_ = rooms.all();
  tried_.assign(rooms_.size(), 0);
  missing_ = static_cast<double>(pending.size()) - rooms.slots(need_, count_slots);
  for (const auto& batch : recorded)
    for (const auto pod : batch.tasks) {
      auto& room = rooms_[cluster_.task(pod).node];
      missing_ += slots_in(room);
      room += cluster_.task(pod).accepted[Share::kGpu];
      missing_ -= slots_in(room);
    }
}

// What a part of a GPU leaves behind is rounded, so a whole GPU may become free by less than was held of it.
bool SlotOdds::is_telling(const VictimBatch& batch) const {
  if (traces_ == Traces::kMatter && cluster_.job(batch.job).count(Status::kPending) > 0) return false;
  return std::all_of(batch.tasks.begin(), batch.tasks.end(), [&](PodId pod) {
    const auto& task = cluster_.task(pod);
    return cluster_.known(task.node) && !task.gpu.shared();
  });
}

NodeId SlotOdds::only_node(const VictimBatch& batch) const {
  const auto node = batch.tasks.empty() ? NodeId() : cluster_.task(batch.tasks.front()).node;
  const bool all = std::all_of(batch.tasks.begin(), batch.tasks.end(), [&](PodId pod) { return cluster_.task(pod).node == node; });
  return all ? node : NodeId();
}

double SlotOdds::count_slots(double room, double need) {
  constexpr double kSlack = 1e-6;
  return std::max(0.0, std::floor((room + kSlack) / need));
}

std::vector<char> SlotOdds::needed(std::span<const VictimBatch> potential) {
  std::vector<char> needed(potential.size(), 0);
  if (!is_telling()) return needed;
  if (!std::all_of(potential.begin(), potential.end(), [&](const VictimBatch& batch) { return is_telling(batch); })) return needed;
  const auto add = [&](const VictimBatch& batch, double sign) {
    double gain = 0;
    for (const auto pod : batch.tasks) {
      const auto& task = cluster_.task(pod);
      gain -= slots_in(rooms_[task.node] + tried_[task.node]);
      tried_[task.node] += sign * task.accepted[Share::kGpu];
      gain += slots_in(rooms_[task.node] + tried_[task.node]);
    }
    return gain;
  };
  auto spare = -missing_;
  for (const auto& batch : potential) spare += add(batch, +1);
  for (std::size_t i = 0; i < potential.size(); ++i) {
    needed[i] = spare + add(potential[i], -1) < 0 ? 1 : 0;
    add(potential[i], +1);
  }
  for (const auto& batch : potential)
    for (const auto pod : batch.tasks) tried_[cluster_.task(pod).node] = 0;
  return needed;
}

bool SlotOdds::surely_fails(std::span<const VictimBatch> potential) {
  if (!is_telling()) return false;
  if (!std::all_of(potential.begin(), potential.end(), [&](const VictimBatch& batch) { return is_telling(batch); })) return false;
  auto missing = missing_;
  for (const auto& batch : potential)
    for (const auto pod : batch.tasks) {
      const auto& task = cluster_.task(pod);
      if (tried_[task.node] == 0) touched_.push_back(task.node);
      tried_[task.node] += task.accepted[Share::kGpu];
    }
  for (const auto node : touched_) {
    missing -= slots_in(rooms_[node] + tried_[node]) - slots_on(node);
    tried_[node] = 0;  // a node that is here twice counts once
  }
  touched_.clear();
  return missing > 0;
}

}  // namespace muster::kai
