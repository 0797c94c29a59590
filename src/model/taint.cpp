#include "model/taint.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace muster {
namespace {

// Integers as Kubernetes accepts them for the comparison operators: no plus sign, no leading zero.
std::optional<std::int64_t> plain_integer(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.starts_with('0') && text.size() > 1) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool taint_compares(const Toleration& toleration, const Taint& taint) {
  const auto have = plain_integer(taint.value);
  const auto bound = plain_integer(toleration.value);
  if (!have || !bound) return false;
  return toleration.op == TolerationOp::kLt ? *have < *bound : *have > *bound;
}

}  // namespace

std::string_view name_of(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::kNoSchedule: return "NoSchedule";
    case TaintEffect::kPreferNoSchedule: return "PreferNoSchedule";
    case TaintEffect::kNoExecute: return "NoExecute";
  }
  return "";
}

bool Toleration::tolerates(const Taint& taint) const {
  if (effect && *effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  switch (op) {
    case TolerationOp::kEqual: return value == taint.value;
    case TolerationOp::kExists: return true;
    case TolerationOp::kLt:
    case TolerationOp::kGt: return taint_compares(*this, taint);
  }
  return false;
}

bool tolerated(const Taint& taint, const std::vector<Toleration>& tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& t) { return t.tolerates(taint); });
}

}  // namespace muster
