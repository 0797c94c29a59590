#include "sim/workloads/mistyped_fields.h"

#include <fmt/format.h>

#include "model/quoted.h"
#include "sim/field_validation.h"

namespace muster::sim {
namespace {

constexpr std::size_t kMostNoted = 256;  // different ones, of all workloads

// "a Deployment", "an MPIJob", "an XGBoostJob".
std::string with_article(std::string_view kind) {
  return fmt::format("{} {}", kind.starts_with('M') || kind.starts_with('X') ? "an" : "a", kind);
}

}  // namespace

void MistypedFields::look_at(const Submitted& workload) {
  const auto* kind = kind_of_object(workload.kind.api_version(), workload.kind.kind);
  for (const auto& field : mistyped_fields(kind, workload.object)) add(workload, field);
}

void MistypedFields::add(const Submitted& workload, const UnknownField& field) {
  auto what = fmt::format("{} is no field of {} and is passed over", shortened(field.path), with_article(workload.kind.kind));
  if (!field.nearest.empty()) what += fmt::format("; did you mean {}?", quoted(field.nearest));
  if (found_.size() == kMostNoted && !found_.contains(what)) return;
  auto& whose = found_[std::move(what)];
  if (whose.count++ == 0) whose.first = shown(workload);
}

std::vector<std::string> MistypedFields::notes() const {
  std::vector<std::string> out;
  for (const auto& [what, whose] : found_) {
    const auto more = whose.count == 1 ? std::string() : fmt::format(" and {} more", whose.count - 1);
    out.push_back(fmt::format("{}{}: {}", whose.first, more, what));
  }
  return out;
}

}  // namespace muster::sim
