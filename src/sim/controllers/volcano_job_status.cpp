#include "sim/controllers/volcano_job_status.h"

#include <algorithm>

#include "grouping/duration_text.h"
#include "sim/fields.h"

namespace muster::sim {
namespace {

constexpr std::string_view kTaskLabel = "volcano.sh/task-spec";

bool goes_to(VolcanoJobStatus& status, std::string_view phase) {
  status.phase = phase;
  return true;
}

bool lacks_successes(const VolcanoJob& job, const VolcanoJobStatus& status) {
  if (job.min_available < job.tasks_min_available()) return false;
  return std::any_of(job.tasks.begin(), job.tasks.end(), [&](const VolcanoTask& task) {
    const auto counted = status.tasks.find(task.name);
    if (counted == status.tasks.end()) return false;
    const auto succeeded = counted->second.find("Succeeded");
    return (succeeded == counted->second.end() ? 0 : succeeded->second) < task.min_available;
  });
}

}  // namespace

VolcanoJobStatus VolcanoJobStatus::of(const Tree& job) {
  VolcanoJobStatus out;
  out.phase = job.text_at("status.state.phase");
  const auto number = [&](std::string_view path) { return bounded_at(job, path).value_or(0); };
  out.pending = number("status.pending");
  out.running = number("status.running");
  out.succeeded = number("status.succeeded");
  out.failed = number("status.failed");
  out.terminating = number("status.terminating");
  out.unknown = number("status.unknown");
  out.version = number("status.version");
  out.retries = number("status.retryCount");
  out.min_available = number("status.minAvailable");
  const auto* tasks = job.at("status.taskStatusCount");
  if (tasks == nullptr || !tasks->is_map()) return out;
  for (const auto& [name, task] : *tasks->as_map())
    if (const auto* phases = task.find("phase"); phases != nullptr && phases->is_map())
      for (const auto& [phase, count] : *phases->as_map()) out.tasks[name][phase] = bounded(count.as_integer().value_or(0));
  return out;
}

VolcanoJobStatus VolcanoJobStatus::uncounted() const {
  VolcanoJobStatus out;
  out.phase = phase;
  out.version = version;
  out.retries = retries;
  out.min_available = min_available;
  return out;
}

void VolcanoJobStatus::count(const Object& pod) {
  const auto where = phase_of(pod);
  ++(where == "Pending"     ? pending
     : where == "Running"   ? running
     : where == "Succeeded" ? succeeded
     : where == "Failed"    ? failed
                            : unknown);
  if (const auto task = pod.labels.get(kTaskLabel); !task.empty()) ++tasks[std::string(task)][std::string(where)];
}

void VolcanoJobStatus::write_to(Tree& job, const std::string& now) const {
  auto& status = job["status"];
  const std::pair<std::string_view, std::int64_t> numbers[] = {
      {"pending", pending}, {"running", running},         {"succeeded", succeeded},
      {"failed", failed},   {"terminating", terminating}, {"unknown", unknown},
      {"version", version}, {"retryCount", retries},      {"minAvailable", min_available}};
  for (const auto& [field, value] : numbers)
    if (value == 0)
      status.erase(field);
    else
      status[field] = Tree(value);
  Tree counted = Tree::map();
  for (const auto& [name, phases] : tasks)
    for (const auto& [where, count] : phases) counted[name]["phase"][where] = Tree(count);
  status["taskStatusCount"] = std::move(counted);
  if (status.text_at("state.phase") == phase) return;
  status["state"]["phase"] = Tree(phase);
  status["state"]["lastTransitionTime"] = Tree(now);
  auto& conditions = status["conditions"];
  if (!conditions.is_list()) conditions = Tree::list();
  std::erase_if(*conditions.as_list(), [&](const Tree& one) { return one.text_at("status") == phase; });
  Tree condition = Tree::map();
  condition["status"] = Tree(phase);
  condition["lastTransitionTime"] = Tree(now);
  conditions.push_back(std::move(condition));
  const auto made = time_at(job, "metadata.creationTimestamp");
  const auto changed = time_at(job, "status.state.lastTransitionTime");
  if (made && changed) job["status"]["runningDuration"] = Tree(grouping::go_duration_text((*changed - *made) * kNanosPerSecond));
}

bool leave_pending(const VolcanoJob& job, VolcanoJobStatus& status) {
  return job.min_available <= status.running + status.succeeded + status.failed && goes_to(status, "Running");
}

bool leave_running(const VolcanoJob& job, VolcanoJobStatus& status) {
  const auto replicas = job.replicas();
  if (replicas == 0) return false;
  const auto least = job.tree.integer_at("spec.minSuccess");
  if (least && status.succeeded >= *least) return goes_to(status, "Completed");
  if (status.succeeded + status.failed == replicas) {
    if (lacks_successes(job, status) || (least && status.succeeded < *least)) return goes_to(status, "Failed");
    return goes_to(status, status.succeeded >= job.min_available ? "Completed" : "Failed");
  }
  return status.pending > replicas - job.min_available && goes_to(status, "Pending");
}

bool leave_restarting(const VolcanoJob& job, VolcanoJobStatus& status) {
  if (status.retries >= job.max_retry) return goes_to(status, "Failed");
  return job.replicas() - status.terminating >= status.min_available && goes_to(status, "Pending");
}

}  // namespace muster::sim
