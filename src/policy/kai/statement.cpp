#include "policy/kai/statement.h"

#include <algorithm>

#include "base/assert.h"
#include "policy/kai/session.h"

namespace muster::kai {
namespace {

constexpr std::string_view kAllocate = "allocate";  // gives what is there by turns, and what was promised first

}  // namespace

// With everything as it is now, before the step.
Statement::Step Statement::step_of(Step::Kind kind, PodId pod, NodeId node) const {
  const auto& task = session_.cluster().task(pod);
  return {.kind = kind,
          .was_virtual = task.is_virtual,
          .pod = pod,
          .node = node,
          .status = task.status,
          .previous_node = task.node,
          .groups = task.groups,
          .numa = task.numa_placement,
          .devices = task.devices};
}

void Statement::allocate(PodId pod, NodeId node) {
  auto& cluster = session_.cluster();
  auto& task = cluster.task(pod);
  session_.touch(pod);
  steps_.push_back(step_of(Step::Kind::kAllocate, pod, node));
  cluster.set_status(pod, Status::kAllocated);
  task.node = node;
  cluster.place(pod, node, Status::kAllocated);
  session_.notify_allocate(pod);
  task.is_virtual = true;
}

bool Statement::pipeline(PodId pod, NodeId node, IfThere if_there) {
  auto& cluster = session_.cluster();
  auto& task = cluster.task(pod);
  const auto* there = task.place_on(node);
  const bool other_gpu = there != nullptr && task.gpu.shared() && !task.groups.empty() && task.groups != there->groups;
  const bool other_zones = there != nullptr && !task.numa_placement.empty() && task.numa_placement != there->numa;
  if (there != nullptr && if_there == IfThere::kUnevict && !other_gpu && !other_zones) {
    task.groups = there->groups;
    task.numa_placement = there->numa;
    return unevict(pod);
  }
  session_.touch(pod);
  auto step = step_of(Step::Kind::kPipeline, pod, node);
  if (other_gpu) step.groups = there->groups;
  if (other_zones) step.numa = there->numa;
  steps_.push_back(std::move(step));
  cluster.set_status(pod, Status::kPipelined);
  task.node = node;
  if (there != nullptr && !other_gpu) cluster.unplace(pod, node);
  if (other_gpu && session_.keeps(Quirk::kLostShares)) task.place_on(node)->lost = true;
  cluster.place(pod, node, Status::kPipelined);
  session_.notify_allocate(pod);
  task.is_virtual = true;
  return true;
}

bool Statement::evict(PodId pod, std::string_view rule, const Beneficiary& for_whom) {
  auto& cluster = session_.cluster();
  auto& task = cluster.task(pod);
  if (!cluster.known(task.node)) return false;
  session_.touch(pod);
  auto& job = cluster.job_of(pod);
  const bool again = task.status == Status::kReleasing && task.is_virtual && job.count(Status::kRunning) > 0;
  auto step = step_of(Step::Kind::kEvict, pod, task.node);
  step.again = again;
  step.rule = rule;
  step.for_whom = for_whom;
  steps_.push_back(std::move(step));
  if (again) ++job.uncounted;
  do_evict(pod, task.node);
  return true;
}

void Statement::do_evict(PodId pod, NodeId node) {
  auto& cluster = session_.cluster();
  cluster.set_status(pod, Status::kReleasing);
  if (cluster.task(pod).place_on(node) != nullptr) cluster.unplace(pod, node);
  cluster.place(pod, node, Status::kReleasing);
  session_.notify_deallocate(pod);
  cluster.task(pod).is_virtual = true;
}

void Statement::undo_evict(const Step& step) {
  auto& cluster = session_.cluster();
  auto& task = cluster.task(step.pod);
  cluster.set_status(step.pod, step.status);
  task.groups = step.groups;
  task.numa_placement = step.numa;
  task.devices = step.devices;
  task.is_virtual = step.was_virtual;
  if (task.place_on(step.node) != nullptr) cluster.unplace(step.pod, step.node);
  cluster.place(step.pod, step.node, step.status);
  session_.notify_allocate(step.pod);
}

// Takes back the first eviction of the task that still holds.
bool Statement::unevict(PodId pod) {
  const auto found = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) {
    return step.pod == pod && step.kind == Step::Kind::kEvict && !step.undone;
  });
  if (found == steps_.end()) return false;
  found->undone = true;
  const auto at = static_cast<std::size_t>(found - steps_.begin());
  undo_evict(*found);
  if (found->again) --session_.cluster().job_of(pod).uncounted;
  Step step = *found;
  step.kind = Step::Kind::kUnevict;
  step.unevicts = at;
  steps_.push_back(std::move(step));
  return true;
}

void Statement::undo(const Step& step) {
  auto& cluster = session_.cluster();
  auto& task = cluster.task(step.pod);
  ++session_.work().undo_steps;
  switch (step.kind) {
    case Step::Kind::kEvict:
      if (step.undone) return;
      undo_evict(step);
      if (step.again) --cluster.job_of(step.pod).uncounted;
      return;
    case Step::Kind::kUnevict:
      steps_[step.unevicts].undone = false;
      if (step.again) ++cluster.job_of(step.pod).uncounted;
      do_evict(step.pod, step.node);
      return;
    case Step::Kind::kPipeline:
    case Step::Kind::kAllocate:
      cluster.set_status(step.pod, step.kind == Step::Kind::kAllocate ? Status::kPending : step.status);
      if (step.kind == Step::Kind::kPipeline) task.devices = step.devices;
      cluster.unplace(step.pod, step.node);
      task.groups = step.groups;
      task.is_virtual = step.was_virtual;
      session_.notify_deallocate(step.pod);  // where it stands, and in the zones that it has
      task.node = step.kind == Step::Kind::kAllocate ? NodeId() : step.previous_node;
      task.numa_placement = step.numa;
      return;
  }
}

void Statement::rollback(Checkpoint to) {
  while (steps_.size() > to) {
    const Step step = std::move(steps_.back());
    steps_.pop_back();
    const bool placed = step.kind == Step::Kind::kPipeline || step.kind == Step::Kind::kAllocate;
    const auto* place = placed ? session_.cluster().task(step.pod).place_on(step.node) : nullptr;
    const auto groups = place != nullptr ? place->groups : GpuGroups();
    undo(step);
    if (!groups.empty()) session_.close_gpu_groups(step.node, groups);
  }
}

std::vector<PodId> Statement::evicted() const {
  std::vector<PodId> pods;
  for (const auto& step : steps_)
    if (step.kind == Step::Kind::kEvict && !step.undone) pods.push_back(step.pod);
  return pods;
}

void Statement::convert_to_pipelined(GroupId job) {
  const auto placed = [&](const Step& step) {
    return step.kind == Step::Kind::kAllocate && session_.books().pod(step.pod).group == job;
  };
  std::vector<Step> to_convert;
  std::copy_if(steps_.begin(), steps_.end(), std::back_inserter(to_convert), placed);
  std::erase_if(steps_, placed);
  for (const auto& step : to_convert) {
    auto& task = session_.cluster().task(step.pod);
    const auto groups = task.groups;
    undo(step);
    task.groups = groups;
    task.is_virtual = true;
    pipeline(step.pod, step.node, IfThere::kUpdate);
  }
}

// The room that others leave is promised to those who wait for it, also to those for whom nobody else had to go, if there is an
// action that keeps promises.
void Statement::promise_room() {
  const auto& actions = session_.config().actions;
  if (std::find(actions.begin(), actions.end(), kAllocate) == actions.end()) return;
  if (session_.keeps(Quirk::kGivenAwayRoom)) return;
  for (const auto& step : steps_) {
    if (step.kind != Step::Kind::kPipeline) continue;
    const auto& pod = session_.books().pod(step.pod);
    session_.memory().promised.promise(pod.group, {step.pod, session_.books().shape(pod.shape).key(), step.node});
  }
}

void Statement::commit(std::string_view rule) {
  if (rule != kAllocate) promise_room();
  for (const auto& step : std::exchange(steps_, {})) {
    if (step.kind == Step::Kind::kEvict && !step.undone) session_.decide_eviction(step.pod, step.rule, step.for_whom);
    if (step.kind == Step::Kind::kAllocate) session_.decide_bind(step.pod, rule);
    if (step.kind == Step::Kind::kAllocate || step.kind == Step::Kind::kPipeline)
      session_.note_served(session_.books().pod(step.pod).group);
  }
}

}  // namespace muster::kai
