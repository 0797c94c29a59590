#include "sim/workloads/submitted.h"

#include <fmt/format.h>

#include "sim/fields.h"

namespace muster::sim {
namespace {

constexpr std::size_t kLongestShown = 40;  // of values that are refused

}  // namespace

std::string shown(const Submitted& workload) {
  return fmt::format("{} {}/{}", workload.kind.kind, workload.object.text_at("metadata.namespace"),
                     workload.object.text_at("metadata.name"));
}

Error refused_workload(const Submitted& workload, std::string field, std::string message) {
  Error error(std::move(message));
  error.object = shown(workload);
  error.field = std::move(field);
  return error;
}

Result<std::int64_t> asked_count(const Submitted& workload, std::string_view path, std::int64_t usual) {
  return asked_count(workload, workload.object, "", path, usual);
}

Result<std::int64_t> asked_count(const Submitted& workload, const Tree& part, std::string_view where, std::string_view path,
                                 std::int64_t usual) {
  const auto* value = part.at(path);
  if (value == nullptr || value->is_null()) return usual;
  if (const auto count = value->as_integer(); count && *count == bounded(*count)) return *count;
  const auto text = value->text();
  return fail(
      refused_workload(workload, fmt::format("{}{}{}", where, where.empty() ? "" : ".", path),
                       fmt::format("{} is no whole number from 0 to {}", text.size() > kLongestShown ? "it" : text, kMostAmount)));
}

std::string made_uid(const Submitted& workload, std::string_view name) {
  return fmt::format("{}-{}", workload.object.text_at("metadata.uid"), name);
}

}  // namespace muster::sim
