#include "policy/volcano/numa/cpu_topology.h"

#include <algorithm>
#include <set>

namespace muster::volcano {

// One round of picking: what is still free, what was taken, and how many are missing.
class CpuPicker {
 public:
  using Cpu = CpuTopology::Cpu;

  CpuPicker(const CpuTopology& topology, const CpuSet& available, std::int64_t needed) : topology_(topology), needed_(needed) {
    for (const auto& cpu : topology.cpus_)
      if (available.contains(cpu.id)) free_.push_back(cpu);
  }

  std::optional<CpuSet> pick() {
    if (satisfied()) return taken_;
    if (needed_ > static_cast<std::int64_t>(free_.size())) return std::nullopt;
    if (needed_ >= topology_.per_socket_)
      for (const auto socket : free_sockets()) {
        take([&](const Cpu& cpu) { return cpu.socket == socket; });
        if (satisfied()) return taken_;
        if (needed_ < topology_.per_socket_) break;
      }
    if (needed_ >= topology_.per_core_)
      for (const auto core : free_cores()) {
        take([&](const Cpu& cpu) { return cpu.core == core; });
        if (satisfied()) return taken_;
        if (needed_ < topology_.per_core_) break;
      }
    for (const auto id : free_threads()) {
      take([&](const Cpu& cpu) { return cpu.id == id; });
      if (satisfied()) return taken_;
    }
    return std::nullopt;
  }

 private:
  bool satisfied() const { return needed_ < 1; }

  template <class Wanted>
  void take(Wanted wanted) {
    std::erase_if(free_, [&](const Cpu& cpu) {
      if (!wanted(cpu)) return false;
      taken_.insert(cpu.id);
      --needed_;
      return true;
    });
  }
  bool is_free(std::int32_t id) const {
    return std::any_of(free_.begin(), free_.end(), [&](const Cpu& cpu) { return static_cast<std::int64_t>(cpu.id) == id; });
  }
  template <class Of>
  std::set<std::int32_t> distinct(Of of) const {
    std::set<std::int32_t> out;
    for (const auto& cpu : free_) out.insert(of(cpu));
    return out;
  }
  template <class Wanted>
  static std::int64_t count(const std::vector<Cpu>& cpus, Wanted wanted) {
    return std::count_if(cpus.begin(), cpus.end(), wanted);
  }

  std::vector<std::int32_t> free_sockets() const {
    std::vector<std::int32_t> out;
    for (const auto socket : distinct([](const Cpu& cpu) { return cpu.socket; }))
      if (is_free(socket)) out.push_back(socket);
    return out;
  }

  // By socket, the one with the fewest free cores first.
  std::vector<std::int32_t> free_cores() const {
    std::vector<std::vector<std::int32_t>> sockets;
    for (const auto socket : distinct([](const Cpu& cpu) { return cpu.socket; })) {
      std::set<std::int32_t> cores;
      for (const auto& cpu : free_)
        if (cpu.socket == socket && is_free(cpu.core)) cores.insert(cpu.core);
      sockets.emplace_back(cores.begin(), cores.end());
    }
    std::stable_sort(sockets.begin(), sockets.end(), [](const auto& l, const auto& r) { return l.size() < r.size(); });
    std::vector<std::int32_t> out;
    for (const auto& cores : sockets) out.insert(out.end(), cores.begin(), cores.end());
    return out;
  }

  struct CoreRank {
    std::int32_t core = 0;
    std::int32_t socket = 0;
    std::int64_t taken_on_socket = 0;
    std::int64_t free_on_socket = 0;
    std::int64_t free_on_core = 0;
  };
  CoreRank rank(std::int32_t core) const {
    CoreRank rank;
    rank.core = core;
    for (const auto& cpu : topology_.cpus_)
      if (cpu.core == core) {
        rank.socket = cpu.socket;
        break;
      }
    rank.taken_on_socket =
        count(topology_.cpus_, [&](const Cpu& cpu) { return cpu.socket == rank.socket && taken_.contains(cpu.id); });
    rank.free_on_socket = count(free_, [&](const Cpu& cpu) { return cpu.socket == rank.socket; });
    rank.free_on_core = count(free_, [&](const Cpu& cpu) { return cpu.core == core; });
    return rank;
  }
  // Not an order: each criterion alone suffices. Sorting by insertion gives what the original gets for up to a dozen cores.
  static bool goes_before(const CoreRank& l, const CoreRank& r) {
    return l.taken_on_socket > r.taken_on_socket || l.free_on_socket < r.free_on_socket || l.free_on_core < r.free_on_core ||
           l.socket < r.socket || l.core < r.core;
  }

  std::vector<std::size_t> free_threads() const {
    std::vector<CoreRank> cores;
    for (const auto core : distinct([](const Cpu& cpu) { return cpu.core; })) cores.push_back(rank(core));
    for (std::size_t i = 1; i < cores.size(); ++i)
      for (auto j = i; j > 0 && goes_before(cores[j], cores[j - 1]); --j) std::swap(cores[j], cores[j - 1]);
    std::vector<std::size_t> out;
    for (const auto& core : cores)
      for (const auto& cpu : free_)
        if (cpu.core == core.core) out.push_back(cpu.id);
    return out;
  }

  const CpuTopology& topology_;
  std::int64_t needed_;
  std::vector<Cpu> free_;  // by id
  CpuSet taken_;
};

CpuTopology::CpuTopology(std::vector<Cpu> cpus) : cpus_(std::move(cpus)) {
  std::sort(cpus_.begin(), cpus_.end(), [](const Cpu& l, const Cpu& r) { return l.id < r.id; });
  std::set<std::int32_t> numa, sockets;
  std::set<std::pair<std::int32_t, std::int32_t>> cores;
  for (const auto& cpu : cpus_) {
    numa.insert(cpu.numa);
    sockets.insert(cpu.socket);
    cores.emplace(cpu.socket, cpu.core);
  }
  numa_.assign(numa.begin(), numa.end());
  const auto total = static_cast<std::int64_t>(cpus_.size());
  if (!sockets.empty()) per_socket_ = total / static_cast<std::int64_t>(sockets.size());
  if (!cores.empty()) per_core_ = total / static_cast<std::int64_t>(cores.size());
}

std::int32_t CpuTopology::numa_of(std::size_t cpu) const {
  const auto found =
      std::lower_bound(cpus_.begin(), cpus_.end(), cpu, [](const Cpu& known, std::size_t id) { return known.id < id; });
  return found != cpus_.end() && found->id == cpu ? found->numa : 0;
}

std::optional<CpuSet> CpuTopology::take(const CpuSet& available, std::int64_t count) const {
  return CpuPicker(*this, available, count).pick();
}

CpuSet CpuTopology::all() const {
  CpuSet set;
  for (const auto& cpu : cpus_) set.insert(cpu.id);
  return set;
}

}  // namespace muster::volcano
