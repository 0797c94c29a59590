#include "policy/volcano/devices/npu_chips.h"

#include <algorithm>
#include <set>

#include "base/split.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kCoreResource = "huawei.com/npu-core";

struct Template {
  std::string_view name;
  NpuAmount amount;
};
constexpr Template kTemplates[] = {
    {"vir01", {1, 1, Dvpp::kAny}},          {"vir02", {2, 2, Dvpp::kAny}},    {"vir02_1c", {2, 1, Dvpp::kAny}},
    {"vir04", {4, 4, Dvpp::kAny}},          {"vir04_3c", {4, 3, Dvpp::kAny}}, {"vir04_3c_ndvpp", {4, 3, Dvpp::kWithout}},
    {"vir04_4c_dvpp", {4, 4, Dvpp::kWith}},
};

// How many cpus a chip with so many cores has.
struct Model {
  std::string_view kind;  // of the chip, or its type
  std::int64_t cores;
  std::int64_t cpus;
};
constexpr Model kModels[] = {{kKind310P, 8, 7}, {"910B1", 25, 6}, {"910B2C", 24, 6}, {"910B3", 20, 6},
                             {"910B4", 20, 6},  {"910B2", 24, 6}, {kKind310P, 10, 7}};

}  // namespace

std::optional<NpuAmount> npu_template(std::string_view name) {
  for (const auto& known : kTemplates)
    if (known.name == name) return known.amount;
  return std::nullopt;
}

std::string_view npu_template_name(const NpuAmount& amount) {
  for (const auto& known : kTemplates)
    if (known.amount == amount) return known.name;
  return {};
}

std::size_t NpuChip::groups() const {
  std::set<std::int64_t> numbers;
  for (const auto& part : parts) {
    const auto pieces = split(part, '_');
    if (pieces.size() < 2) continue;
    if (const auto number = parse_integer(pieces.back())) numbers.insert(*number);
  }
  return numbers.size();
}

// A chip that is cut takes few groups of parts: with three of them only parts of one or two cores, with four only of one.
bool NpuChip::meets(const NpuAmount& amount, bool limits_groups) const {
  if (!free.covers(amount)) return false;
  if (limits_groups && segmented) {
    const auto count = groups();
    if ((count == 3 && amount.cores >= 4) || (count == 4 && amount.cores >= 2)) return false;
  }
  if (amount.dvpp == Dvpp::kWith) return free.dvpp == Dvpp::kWith;
  return !(amount.dvpp == Dvpp::kAny && free.dvpp == Dvpp::kWithout);
}

void NpuChip::take(const NpuAmount& amount) {
  used.add(amount);
  free.subtract(amount);
  take_dvpp(amount.dvpp);
}

void NpuChip::give_back(const NpuAmount& amount) {
  used.subtract(amount);
  free.add(amount);
  if (amount.dvpp != Dvpp::kWith) return;
  used.dvpp = Dvpp::kWithout;
  free.dvpp = Dvpp::kWith;
}

void NpuChip::take_dvpp(Dvpp dvpp) {
  if (dvpp == Dvpp::kWith) {
    used.dvpp = Dvpp::kWith;
    free.dvpp = Dvpp::kWithout;
  } else if (dvpp == Dvpp::kWithout && used.dvpp == Dvpp::kWithout) {
    free.dvpp = Dvpp::kWith;
  } else if (dvpp == Dvpp::kAny && used.dvpp != Dvpp::kWith) {
    used.dvpp = Dvpp::kAny;
    free.dvpp = Dvpp::kAny;
  }
}

std::int64_t npu_cores_per_chip(const Node& node) {
  const auto parts = split(node.meta.labels.get("servertype"), '-');
  return parts.size() < 2 ? 0 : parse_integer(parts[1]).value_or(0);
}

std::optional<NpuMachine> npu_machine_of(const Node& node) {
  const auto capacity = node.capacity.find(kCoreResource);
  const auto* type = node.meta.labels.find("node.kubernetes.io/npu.chip.name");
  const auto accelerator = split(node.meta.labels.get("accelerator"), '-');
  if (capacity == node.capacity.end() || type == nullptr || accelerator.size() < 2) return std::nullopt;
  NpuMachine machine;
  machine.kind = accelerator[1];
  machine.cores_per_chip = npu_cores_per_chip(node);
  const auto cores = capacity->second.milli() / 1000;
  if (machine.cores_per_chip <= 0 || cores <= 0 || cores % machine.cores_per_chip != 0) return std::nullopt;
  machine.chips = cores / machine.cores_per_chip;
  for (const auto& model : kModels)
    if ((model.kind == machine.kind || model.kind == *type) && model.cores == machine.cores_per_chip)
      machine.cpus_per_chip = model.cpus;
  if (machine.cpus_per_chip == 0) return std::nullopt;
  return machine;
}

NpuGrant parse_npu_grant(std::string_view text) {
  NpuGrant grant;
  const auto parts = split(text, '-');
  if (parts.size() == 2) {
    grant.chips.emplace_back(parts[0]);
    grant.part = parts[1];
  } else {
    for (const auto chip : split(parts[0], ',')) grant.chips.emplace_back(chip);
  }
  return grant;
}

}  // namespace muster::volcano
