#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/assert.h"
#include "engine/books.h"

namespace muster {

inline constexpr std::int64_t kMaxScore = 100;

// 100 x part / whole in whole numbers, for 0 <= part <= whole and whole > 0. A division of doubles is several times faster than one
// of 64-bit integers; it can miss the right quotient by one at most, which is put right.
inline std::int64_t percentage(std::int64_t part, std::int64_t whole) {
  const std::int64_t scaled = part * kMaxScore;
  auto quotient = static_cast<std::int64_t>(static_cast<double>(scaled) / static_cast<double>(whole));
  const std::int64_t rest = scaled - quotient * whole;
  quotient -= rest < 0;
  quotient += rest >= whole;
  return quotient;
}

// Adds the mean of what `rate(requested, allocatable)` says of cpu and memory, counting what the pod would add and, for containers
// that ask for nothing, the defaults of Kubernetes. A resource that a node does not have is left out of the mean.
template <class Rate>
void add_allocation_scores(const Books& books, PodId pod, std::span<const NodeId> nodes, std::int64_t weight,
                           std::span<double> totals, Rate rate) {
  MUSTER_DCHECK(nodes.size() == totals.size());
  const auto& ledgers = books.ledgers();
  const auto& shape = books.shape_of(pod);
  const std::int64_t* const cpu = ledgers.allocatable[kCpu.index()].data();
  const std::int64_t* const memory = ledgers.allocatable[kMemory.index()].data();
  const std::int64_t* const used_cpu = ledgers.nonzero_cpu.data();
  const std::int64_t* const used_memory = ledgers.nonzero_memory.data();
  const std::int64_t pod_cpu = shape.nonzero_milli_cpu;
  const std::int64_t pod_memory = shape.nonzero_memory;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto n = nodes[i].index();
    const bool has_cpu = cpu[n] != 0;
    const bool has_memory = memory[n] != 0;
    const std::int64_t cpu_score = has_cpu ? rate(used_cpu[n] + pod_cpu, cpu[n]) : 0;
    const std::int64_t memory_score = has_memory ? rate(used_memory[n] + pod_memory, memory[n]) : 0;
    const std::int64_t score = (cpu_score + memory_score) >> (has_cpu && has_memory);
    totals[i] += static_cast<double>(weight * score);
  }
}

}  // namespace muster
