#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/objects.h"
#include "policy/volcano/numa/cpu_set.h"

namespace muster::volcano {

// Where a machine's CPUs sit.
class CpuTopology {
 public:
  struct Cpu {
    std::size_t id = 0;
    std::int32_t numa = 0;
    std::int32_t socket = 0;
    std::int32_t core = 0;
  };

  CpuTopology() = default;
  explicit CpuTopology(std::vector<Cpu> cpus);

  const std::vector<Cpu>& cpus() const { return cpus_; }                 // by id
  const std::vector<std::int32_t>& numa_nodes() const { return numa_; }  // ascending
  // A CPU that is not listed counts as on NUMA node 0.
  std::int32_t numa_of(std::size_t cpu) const;

  // Picks so many of the available CPUs: whole sockets, then whole cores, then threads where least is left. Nothing when there are
  // too few. A socket or core counts as free only when the CPU of the same number is, as in the original.
  std::optional<CpuSet> take(const CpuSet& available, std::int64_t count) const;
  CpuSet all() const;

 private:
  friend class CpuPicker;
  std::vector<Cpu> cpus_;
  std::vector<std::int32_t> numa_;
  std::int64_t per_socket_ = 0;
  std::int64_t per_core_ = 0;
};

}  // namespace muster::volcano
