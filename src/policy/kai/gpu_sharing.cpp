#include "policy/kai/gpu_sharing.h"

#include <algorithm>

namespace muster::kai {
namespace {

GpuGroup& group_of(NodeInfo& info, SymbolId id) {
  if (auto* known = info.find_group(id)) return *known;
  info.groups.push_back({});
  info.groups.back().id = id;
  return info.groups.back();
}

// What a group means for the whole GPUs of its node.
struct WholeGpus {
  std::int64_t taken;  // from the idle ones
  std::int64_t freed;  // one when all leave it; less than none: those in it still wait for one
};

WholeGpus whole_gpus(const GpuGroup& group) {
  if (group.allocated <= 0) return {0, group.used > 0 ? -1 : 0};
  return {1, group.releasing == group.used ? 1 : 0};
}

}  // namespace

void GpuSharing::take_idle(NodeId node, std::int64_t gpus) { books_.set_aside(node, gpu_, gpus * kWholeGpu, 0); }
void GpuSharing::count_releasing(NodeId node, NodeInfo& info, std::int64_t gpus) {
  info.shared_releasing += gpus;
  books_.set_aside(node, gpu_, 0, gpus * kWholeGpu);
}

bool GpuSharing::exceeds_count(NodeId node, const NodeInfo& info) const {
  const auto r = gpu_.index();
  const auto n = node.index();
  const auto& ledgers = books_.ledgers();
  const auto total = info.gpu_count_label.value_or(ledgers.allocatable[r][n] / kWholeGpu);
  const auto shared = std::count_if(info.groups.begin(), info.groups.end(), [](const GpuGroup& group) { return group.used > 0; });
  const auto used = (ledgers.used[r][n] + ledgers.pipelined[r][n]) / kWholeGpu;
  return total < ledgers.idle[r][n] / kWholeGpu + used + shared;
}

void GpuSharing::add(NodeId node, NodeInfo& info, const GpuRequest& request, const GpuGroups& groups, Status status) {
  const auto memory = info.memory_of(request);
  for (const auto id : groups)
    if (count_ == Count::kByGroup)
      change(node, info, memory, group_of(info, id), status);
    else
      add_one(node, info, memory, id, status);
}

void GpuSharing::remove(NodeId node, NodeInfo& info, const GpuRequest& request, const GpuGroups& groups, Status status) {
  const auto memory = info.memory_of(request);
  for (const auto id : groups)
    if (count_ == Count::kByGroup)
      change(node, info, -memory, group_of(info, id), status);
    else
      remove_one(node, info, memory, group_of(info, id), status);
}

void GpuSharing::change(NodeId node, NodeInfo& info, std::int64_t memory, GpuGroup& group, Status status) {
  const auto before = whole_gpus(group);
  group.used += memory;
  if (status == Status::kPipelined)
    group.releasing -= memory;
  else
    group.allocated += memory;
  if (status == Status::kReleasing) group.releasing += memory;
  const auto after = whole_gpus(group);
  group.was_allocated = after.taken > 0;
  if (after.taken != before.taken) take_idle(node, after.taken - before.taken);
  if (after.freed != before.freed) count_releasing(node, info, after.freed - before.freed);
}

void GpuSharing::add_one(NodeId node, NodeInfo& info, std::int64_t memory, SymbolId id, Status status) {
  auto& group = group_of(info, id);
  group.used += memory;
  if (status == Status::kPipelined) {
    group.releasing -= memory;
    if (group.used - memory == group.releasing + memory) count_releasing(node, info, -1);
    return;
  }
  group.allocated += memory;
  group.was_allocated = true;
  if (status == Status::kReleasing) {
    group.releasing += memory;
    if (group.used != group.releasing) return;
    if (!group.counted_as_releasing) {
      count_releasing(node, info, +1);
      group.counted_as_releasing = true;
    }
    if (exceeds_count(node, info)) take_idle(node, +1);
    return;
  }
  if (group.used <= memory && exceeds_count(node, info)) take_idle(node, +1);
  if (group.counted_as_releasing) {
    count_releasing(node, info, -1);
    group.counted_as_releasing = false;
  }
}

void GpuSharing::remove_one(NodeId node, NodeInfo& info, std::int64_t memory, GpuGroup& group, Status status) {
  group.used -= memory;
  if (status == Status::kPipelined) {
    group.releasing += memory;
    const bool was_all_releasing = group.used + memory == group.releasing - memory;
    if (was_all_releasing || (group.used == 0 && group.releasing == 0)) count_releasing(node, info, +1);
    return;
  }
  group.allocated -= memory;
  group.was_allocated = true;
  if (status == Status::kReleasing) group.releasing -= memory;
  const bool last = group.used <= 0;
  if (last && !exceeds_count(node, info)) take_idle(node, -1);
  if (status == Status::kReleasing) {
    if (last && group.counted_as_releasing) {
      count_releasing(node, info, -1);
      group.counted_as_releasing = false;
    }
    return;
  }
  if (group.used != 0 && group.releasing == group.used && !group.counted_as_releasing) {
    count_releasing(node, info, +1);
    group.counted_as_releasing = true;
  }
}

bool GpuSharing::fits(const NodeInfo& info, const GpuGroup& group, const GpuRequest& request) {
  return group.used != 0 && info.gpu_memory - group.allocated + group.releasing - info.memory_of(request) >= 0 &&
         group.allocated != group.releasing;
}

bool GpuSharing::fits_now(const NodeInfo& info, const GpuGroup& group, const GpuRequest& request) {
  return group.was_allocated && info.gpu_memory - group.allocated - info.memory_of(request) >= 0;
}

std::int64_t GpuSharing::fitting_groups(const NodeInfo& info, const GpuRequest& request) {
  return std::count_if(info.groups.begin(), info.groups.end(), [&](const GpuGroup& group) { return fits(info, group, request); });
}

// Of the groups as many count as it needs: more of them do not make up for GPUs that are missing.
bool GpuSharing::suffices(const NodeInfo& info, const GpuRequest& request, std::int64_t whole) {
  return whole >= request.devices || whole + std::min(fitting_groups(info, request), request.devices) >= request.devices;
}

void GpuSharing::clear(NodeId node, NodeInfo& info) {
  const auto r = gpu_.index();
  const auto n = node.index();
  const auto aside = books_.ledgers().aside[r][n] - info.spared;
  if (aside != 0) books_.set_aside(node, gpu_, -aside, 0);
  if (info.shared_releasing != 0) count_releasing(node, info, -info.shared_releasing);
  info.groups.clear();
}

}  // namespace muster::kai
