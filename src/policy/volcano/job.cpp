#include "policy/volcano/job.h"

#include <algorithm>

#include "policy/volcano/annotation_keys.h"
#include "policy/volcano/pod_intake.h"

namespace muster::volcano {
namespace {

std::int64_t count_of(const Role& role, PodState state) { return role.count[static_cast<std::size_t>(state)]; }

}  // namespace

Phase phase_of(std::string_view text) {
  if (text == "Inqueue") return Phase::kInqueue;
  if (text == "Running") return Phase::kRunning;
  if (text == "Unknown") return Phase::kUnknown;
  if (text == "Completed") return Phase::kCompleted;
  return Phase::kPending;
}

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::kPending: return "Pending";
    case Phase::kInqueue: return "Inqueue";
    case Phase::kRunning: return "Running";
    case Phase::kUnknown: return "Unknown";
    case Phase::kCompleted: return "Completed";
  }
  return "";
}

const Text& FitErrors::message(const FitTable& table) {
  if (text) return text;
  std::string out = head.empty() ? "0/" + std::to_string(nodes) + " nodes are unavailable" : head;
  if (nodes != 0) {
    std::vector<std::string> parts;
    for (const auto& [reason, count] : reasons)
      if (!table.text(reason).empty()) parts.push_back(std::to_string(count) + " " + table.text(reason));
    std::sort(parts.begin(), parts.end());
    out += ": ";
    for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : ", ") + parts[i];
    out += ".";
    if (!domain.empty()) out.insert(0, "In hyperNode " + domain + ": ");
  }
  text = std::make_shared<const std::string>(std::move(out));
  return text;
}

const JobNotes::Task* JobNotes::find(PodId pod) const {
  if (places_.empty()) {
    const auto at = std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) { return task.pod == pod; });
    return at == tasks_.end() ? nullptr : &*at;
  }
  const auto place = places_.find(pod);
  return place == places_.end() ? nullptr : &tasks_[place->second];
}

JobNotes::Task& JobNotes::task(PodId pod) {
  if (const auto* known = find(pod)) return const_cast<Task&>(*known);
  tasks_.push_back(Task{pod, nullptr, std::nullopt});
  if (tasks_.size() > kFew)
    for (auto i = places_.size(); i < tasks_.size(); ++i) places_.emplace(tasks_[i].pod, static_cast<std::uint32_t>(i));
  return tasks_.back();
}

JobNotes::Errors JobNotes::errors() const {
  Errors errors{{}, failed_roles};
  for (const auto& task : tasks_)
    if (task.errors) errors.tasks.emplace_back(task.pod, task.errors);
  return errors;
}

void JobNotes::set_errors(const Errors& errors) {
  forget_errors();
  failed_roles = errors.roles;
  for (const auto& [pod, why] : errors.tasks) task(pod).errors = why;
}

void JobNotes::forget_errors() {
  for (auto& task : tasks_) task.errors.reset();
  failed_roles.clear();
}

void JobNotes::forget_errors(const SubJobs& sub_jobs, SubJobId sub_job) {
  for (auto& task : tasks_)
    if (sub_jobs.of(task.pod) == sub_job) task.errors.reset();
  std::erase_if(failed_roles, [&](const FailedRole& failed) { return failed.sub_job == sub_job; });
}

Role* Job::find_role(SymbolId role) {
  for (auto& known : roles)
    if (known.name == role) return &known;
  return nullptr;
}

void Job::forget_role_minimums() {
  for (auto& role : roles) role.minimum = 0, role.has_minimum = false;
  role_minimum_total = 0;
  drop_empty_roles();
}

void Job::drop_empty_roles() {
  const auto is_empty = [](const Role& role) { return !role.has_minimum && role.count == StateCounts{}; };
  roles.erase(std::remove_if(roles.begin(), roles.end(), is_empty), roles.end());
}

JobNotes& Job::take_notes() {
  if (notes) return *notes;
  notes = std::make_unique<JobNotes>();
  if (still_stuck) {
    notes->task(stuck->pod).errors = stuck->errors;
    notes->failed_roles.push_back({stuck->role, SubJobId()});
  }
  still_stuck = false;  // whoever adds to the notes makes the job worth looking at again
  return *notes;
}

std::int64_t role_ready(const Role& role) {
  return role_holding(role) + count_of(role, PodState::kSucceeded) + role.waiting_best_effort;
}

bool JobCounts::roles_valid() const {
  return !roles_matter() || std::all_of(job_.roles.begin(), job_.roles.end(), [](const Role& role) {
    return role.minimum == 0 || role_holding(role) + count_of(role, PodState::kSucceeded) + count_of(role, PodState::kPipelined) +
                                        count_of(role, PodState::kPending) >=
                                    role.minimum;
  });
}

bool JobCounts::roles_ready() const {
  return !roles_matter() ||
         std::all_of(job_.roles.begin(), job_.roles.end(), [](const Role& role) { return role_ready(role) >= role.minimum; });
}

bool JobCounts::roles_pipelined() const {
  return !roles_matter() || std::all_of(job_.roles.begin(), job_.roles.end(), [](const Role& role) {
    return role_ready(role) + count_of(role, PodState::kPipelined) >= role.minimum;
  });
}

bool Job::forbids_eviction() const {
  const auto* text = annotations.find(kPreemptableKey);
  if (text == nullptr) text = labels.find(kPreemptableKey);
  return text != nullptr && !parses_true(*text);
}

}  // namespace muster::volcano
