#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

enum class TaintEffect { kNoSchedule, kPreferNoSchedule, kNoExecute };
std::string_view name_of(TaintEffect effect);

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;

  auto operator<=>(const Taint&) const = default;
};

enum class TolerationOp { kEqual, kExists, kLt, kGt };

struct Toleration {
  std::string key;  // empty with Exists: every key
  TolerationOp op = TolerationOp::kEqual;
  std::string value;
  std::optional<TaintEffect> effect;  // absent: every effect

  auto operator<=>(const Toleration&) const = default;
  bool tolerates(const Taint& taint) const;
};

bool tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

}  // namespace muster
