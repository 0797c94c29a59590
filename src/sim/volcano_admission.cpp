#include "sim/volcano_admission.h"

#include <fmt/format.h>

#include "sim/fields.h"

namespace muster::sim {

void default_volcano_job(Tree& job) {
  auto& spec = job["spec"];
  const auto set = [](Tree& map, std::string_view field, Tree value) {
    if (auto& own = map[field]; own.is_null()) own = std::move(value);
  };
  set(spec, "queue", Tree("default"));
  set(spec, "schedulerName", Tree("volcano"));
  set(spec, "maxRetry", Tree(kVolcanoRetries));
  std::int64_t least = 0;
  auto* tasks = spec.find("tasks");
  if (tasks != nullptr && tasks->is_list())
    for (std::size_t i = 0; i < tasks->as_list()->size(); ++i) {
      auto& task = (*tasks->as_list())[i];
      if (!task.is_map()) continue;
      if (task.text_at("name").empty()) task["name"] = Tree(fmt::format("default{}", i));
      set(task, "replicas", Tree(std::int64_t{0}));
      const auto partitions = bounded_at(task, "partitionPolicy.minPartitions").value_or(0);
      const auto size = bounded_at(task, "partitionPolicy.partitionSize").value_or(0);
      set(task, "minAvailable", Tree(partitions > 0 ? bounded(partitions * size) : bounded_at(task, "replicas").value_or(0)));
      set(task, "maxRetry", Tree(kVolcanoRetries));
      least += bounded_at(task, "minAvailable").value_or(0);
    }
  if (job.integer_at("spec.minAvailable").value_or(0) == 0) job["spec"]["minAvailable"] = Tree(bounded(least));
}

}  // namespace muster::sim
