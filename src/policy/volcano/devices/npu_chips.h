#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/objects.h"

namespace muster::volcano {

inline constexpr std::string_view kKind310P = "Ascend310P";

// Whether an amount of a chip comes with the chip's video unit (DVPP), without it, or with whatever there is.
enum class Dvpp : std::uint8_t { kAny, kWith, kWithout };

// An amount of an Ascend chip.
struct NpuAmount {
  std::int64_t cores = 0;
  std::int64_t cpus = 0;
  Dvpp dvpp = Dvpp::kAny;

  bool covers(const NpuAmount& other) const { return cores >= other.cores && cpus >= other.cpus; }
  void add(const NpuAmount& other) { cores += other.cores, cpus += other.cpus; }
  void subtract(const NpuAmount& other) { cores -= other.cores, cpus -= other.cpus; }
  auto operator<=>(const NpuAmount&) const = default;
};

// The ways in which a 310P chip can be cut: "vir04_3c" is 4 cores and 3 cpus.
std::optional<NpuAmount> npu_template(std::string_view name);
std::string_view npu_template_name(const NpuAmount& amount);  // empty: it is none

// A chip of a node and what is left of it.
struct NpuChip {
  std::int64_t id = 0;
  NpuAmount used{0, 0, Dvpp::kWithout};
  NpuAmount free;
  bool segmented = false;          // some pod has a part of it
  bool unstable = false;           // some pod's part is not known exactly yet
  std::vector<std::string> parts;  // as the device plugin names them: "Ascend310P-2c.1cpu-105-0_3"

  bool meets(const NpuAmount& amount, bool limits_groups) const;
  void take(const NpuAmount& amount);
  void give_back(const NpuAmount& amount);
  // The video unit goes with the first pod that wants it.
  void take_dvpp(Dvpp dvpp);

 private:
  std::size_t groups() const;
};

// A node of equal chips, as its labels and its capacity say.
struct NpuMachine {
  std::string kind;  // "Ascend310P"
  std::int64_t cores_per_chip = 0;
  std::int64_t chips = 0;
  std::int64_t cpus_per_chip = 0;

  NpuAmount chip() const { return {cores_per_chip, cpus_per_chip, Dvpp::kAny}; }
  bool is_whole(std::int64_t cores) const { return cores_per_chip != 0 && cores % cores_per_chip == 0; }
};
std::optional<NpuMachine> npu_machine_of(const Node& node);
// What a node's label says of the cores of a chip; 0: nothing.
std::int64_t npu_cores_per_chip(const Node& node);

// "0-vir04": a part of chip 0; "0,1": two whole chips.
struct NpuGrant {
  std::vector<std::string> chips;
  std::string part;  // the template; empty: whole chips
};
NpuGrant parse_npu_grant(std::string_view text);

}  // namespace muster::volcano
