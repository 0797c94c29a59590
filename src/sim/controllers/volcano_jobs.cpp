#include "sim/controllers/volcano_jobs.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/split.h"
#include "sim/fields.h"

namespace muster::sim {
namespace {

constexpr std::string_view kOutOfSync = "volcano.sh/controller-out-of-sync";
constexpr std::string_view kJobLabel = "volcano.sh/job-name";
constexpr std::string_view kTaskOfPod = "volcano.sh/task-spec";
constexpr std::string_view kPartition = "volcano.sh/partition-id";

const Kind& command_kind() {
  static const Kind& kind = kind_named("bus.volcano.sh", "commands");
  return kind;
}

bool is_out_of_sync(const Object& pod) { return pod.text.find(kOutOfSync) != std::string::npos; }

std::int64_t exit_code_of(const Tree& pod) {
  const auto* statuses = pod.at("status.containerStatuses");
  if (statuses == nullptr || !statuses->is_list() || statuses->as_list()->empty()) return 0;
  return statuses->as_list()->front().integer_at("state.terminated.exitCode").value_or(0);
}

std::int64_t restart_count(const Tree& pod) {
  std::int64_t out = 0;
  if (const auto* statuses = pod.at("status.containerStatuses"); statuses != nullptr && statuses->is_list())
    for (const auto& one : *statuses->as_list()) out += bounded_at(one, "restartCount").value_or(0);
  return out;
}

bool is_restart_of_some(std::string_view action) {
  return action == "RestartTask" || action == "RestartPod" || action == "RestartPartition";
}

// Whether a task has got as far as those that wait for it want it.
bool is_up(const std::vector<ObjectPtr>& pods, const VolcanoTask& task) {
  const auto ready = std::count_if(pods.begin(), pods.end(), [&](const ObjectPtr& pod) {
    return pod->labels.get(kTaskOfPod) == task.name && (phase_of(*pod) == "Succeeded" || is_ready_pod(*pod));
  });
  return ready >= task.min_available;
}

}  // namespace

VolcanoJobs::VolcanoJobs(Workbench& bench, Store& store) : bench_(bench) {
  for (const auto& [key, job] : store.objects(volcano_job_kind())) unsynced_.insert(key);
  for (const auto& [key, command] : store.objects(command_kind())) on_command(*command);
  store.on_change([this](const Kind& kind, const Change& change) {
    if (&kind == &pod_kind()) return on_pod(change);
    if (&kind == &volcano_job_kind()) return on_job(change);
    if (&kind == &volcano_group_kind()) return on_group(change);
    if (&kind == &command_kind() && change.type == ChangeType::kAdded) on_command(*change.now);
  });
}

// --- what happens -----------------------------------------------------------------------------------------------------

void VolcanoJobs::on_pod(const Change& change) {
  const auto& pod = *change.now;
  const std::string name(pod.labels.get(kJobLabel));
  if (name.empty() || pod.owners.empty()) return;
  const Key job{pod.key.ns, name};
  unsynced_.insert(job);
  if (is_out_of_sync(pod)) return;
  Request request{job};
  const auto tree = pod.tree();
  const auto phase = phase_of(pod);
  const auto before = change.before ? std::string(phase_of(*change.before)) : std::string();
  if (change.type == ChangeType::kDeleted)
    request.event.name = "PodEvicted";
  else if (phase == "Failed" && before != "Failed")
    request.event.name = "PodFailed";
  else if (phase == "Succeeded" && before != "Succeeded")
    request.event.name = "TaskCompleted";
  else if ((phase == "Running" || phase == "Pending") && restart_count(tree) > 0)
    request.event.name = "TaskFailed";
  if (request.event.name.empty()) return;
  request.event.task = pod.labels.get(kTaskOfPod);
  request.event.pod = pod.key.name;
  if (request.event.name == "PodFailed") request.event.exit_code = exit_code_of(tree);
  request.event.version = parse_integer(annotation_of(tree, "volcano.sh/job-version")).value_or(0);
  request.partition = pod.labels.get(kPartition);
  requests_.push_back(std::move(request));
}

void VolcanoJobs::on_job(const Change& change) {
  if (change.type == ChangeType::kDeleted) return;
  if (change.before) {
    const auto before = change.before->tree();
    const auto now = change.now->tree();
    if (now.integer_at("metadata.generation") == before.integer_at("metadata.generation") &&
        now.text_at("status.state.phase") == before.text_at("status.state.phase"))
      return;
  }
  unsynced_.insert(change.now->key);
}

void VolcanoJobs::on_group(const Change& change) {
  const auto tree = change.now->tree();
  const auto* owners = tree.at("metadata.ownerReferences");
  if (owners == nullptr || !owners->is_list()) return;
  const auto phase = tree.text_at("status.phase");
  if (change.before && change.type != ChangeType::kDeleted && change.before->tree().text_at("status.phase") == phase) return;
  for (const auto& owner : *owners->as_list()) {
    if (owner.text_at("kind") != "Job" || owner.text_at("apiVersion") != volcano_job_kind().api_version()) continue;
    const Key job{change.now->key.ns, std::string(owner.text_at("name"))};
    unsynced_.insert(job);
    if (phase != "Unknown") continue;
    Request request{job};
    request.event.name = "Unknown";
    request.event.version = INT64_MAX;  // it is about the group as it is
    requests_.push_back(std::move(request));
  }
}

void VolcanoJobs::on_command(const Object& command) {
  const auto tree = command.tree();
  if (tree.text_at("target.kind") != "Job") return;
  Request request{{command.key.ns, std::string(tree.text_at("target.name"))}};
  request.action = tree.text_at("action");
  request.command = command.key.name;
  requests_.push_back(std::move(request));
}

// --- what is done about it --------------------------------------------------------------------------------------------

bool VolcanoJobs::run() {
  bool any = false;
  while (!requests_.empty() || !unsynced_.empty()) {
    any = true;
    Request request;
    if (!requests_.empty()) {
      request = std::move(requests_.front());
      requests_.pop_front();
    } else {
      request.job = std::move(unsynced_.extract(unsynced_.begin()).value());
      request.action = "SyncJob";
    }
    execute(request);
  }
  return any;
}

void VolcanoJobs::tick() {
  for (auto at = again_.begin(); at != again_.end();)
    if (at->second <= bench_.now()) {
      unsynced_.insert(at->first);
      at = again_.erase(at);
    } else {
      ++at;
    }
}

void VolcanoJobs::execute(const Request& request) {
  // A command is carried out at most once: it goes before it is.
  if (!request.command.empty()) static_cast<void>(bench_.registry().remove(command_kind(), {request.job.ns, request.command}));
  const auto object = bench_.store().find(volcano_job_kind(), request.job);
  if (!object || object->is_deleting) return;
  const auto tree = object->tree();
  const VolcanoJob job(tree);
  auto action = request.action;
  if (action.empty()) action = counts(job, request.event) ? volcano_action(job, request.event) : "SyncJob";
  act(*object, job, action, request);
}

// Some events are about a whole task, and only now it is known whether they happened.
bool VolcanoJobs::counts(const VolcanoJob& job, const VolcanoEvent& event) const {
  if (event.name != "TaskCompleted" && event.name != "TaskFailed") return true;
  const auto* task = job.task(event.task);
  if (task == nullptr || task->replicas == 0) return false;
  std::int64_t succeeded = 0;
  std::int64_t restarts = 0;
  for (const auto& pod : bench_.owned(job.uid, pod_kind())) {
    if (pod->labels.get(kTaskOfPod) != event.task) continue;
    if (phase_of(*pod) == "Succeeded") ++succeeded;
    if (is_active(*pod)) restarts += restart_count(pod->tree());
  }
  if (event.name == "TaskCompleted") return succeeded >= task->replicas;
  const auto most = task->spec->integer_at("maxRetry").value_or(0);
  constexpr std::int64_t kOtherwise = 3;
  return most != -1 && restarts >= (most == 0 ? kOtherwise : most);
}

void VolcanoJobs::act(const Object& object, const VolcanoJob& job, const std::string& action, const Request& request) {
  const auto phase = job.tree.text_at("status.state.phase");
  const auto restarting = [&](VolcanoJobStatus& status) { return leave_restarting(job, status); };
  const auto resumed = [](VolcanoJobStatus& status) {
    status.phase = "Restarting";
    ++status.retries;
    return true;
  };
  const auto to_when_dead = [](std::string_view next) {
    return [next](VolcanoJobStatus& status) {
      if (status.has_living()) return false;
      status.phase = next;
      return true;
    };
  };
  if (phase.empty() || phase == "Pending" || phase == "Running") return act_on_living(object, job, action, request);
  if (phase == "Restarting") {
    if (action == "SyncJob") return sync(object, job, restarting);
    if (is_restart_of_some(action)) return kill_some(object, job, request, action, restarting);
    return kill(object, job, Retain::kNothing, restarting);
  }
  if ((phase == "Aborting" || phase == "Aborted") && action == "ResumeJob") return kill(object, job, Retain::kEnded, resumed);
  if (phase == "Aborting") return kill(object, job, Retain::kEnded, to_when_dead("Aborted"));
  if (phase == "Completing") return kill(object, job, Retain::kEnded, to_when_dead("Completed"));
  if (phase == "Terminating") return kill(object, job, Retain::kEnded, to_when_dead("Terminated"));
  kill(object, job, Retain::kEnded, {});
}

void VolcanoJobs::act_on_living(const Object& object, const VolcanoJob& job, const std::string& action, const Request& request) {
  const auto to = [](std::string_view phase) {
    return [phase](VolcanoJobStatus& status) {
      status.phase = phase;
      if (phase == "Restarting") ++status.retries;
      return true;
    };
  };
  if (action == "RestartJob") return kill(object, job, Retain::kNothing, to("Restarting"));
  if (is_restart_of_some(action)) return kill_some(object, job, request, action, to("Restarting"));
  if (action == "AbortJob") return kill(object, job, Retain::kEnded, to("Aborting"));
  if (action == "CompleteJob") return kill(object, job, Retain::kEnded, to("Completing"));
  if (action == "TerminateJob") return kill(object, job, Retain::kEnded, to("Terminating"));
  const bool is_running = job.tree.text_at("status.state.phase") == "Running";
  sync(object, job, [&](VolcanoJobStatus& status) { return is_running ? leave_running(job, status) : leave_pending(job, status); });
}

void VolcanoJobs::end_pod_of(const Object& pod) {
  // So that nobody takes its end for one that a policy is about.
  static_cast<void>(bench_.registry().change(pod_kind(), pod.key, Part::kServer, [](Tree now) -> Answered<Tree> {
    now["metadata"]["annotations"][kOutOfSync] = Tree("true");
    return now;
  }));
  delete_pod(bench_, pod);
}

void VolcanoJobs::kill(const Object& object, const VolcanoJob& job, Retain retain, const Rule& rule) {
  auto status = VolcanoJobStatus::of(job.tree).uncounted();
  ++status.version;
  if (status.retries >= job.max_retry - 1) retain = Retain::kEnded;  // what went wrong last can be looked at
  for (const auto& pod : bench_.owned(object.uid, pod_kind())) {
    if (!pod->is_deleting && retain == Retain::kEnded && has_ended(*pod)) {
      status.count(*pod);
      continue;
    }
    ++status.terminating;
    if (!pod->is_deleting) end_pod_of(*pod);
  }
  if (rule) rule(status);
  write(object, status);
  static_cast<void>(bench_.registry().remove(volcano_group_kind(), {job.ns, job.group_name()}));  // perhaps it is gone
}

void VolcanoJobs::kill_some(const Object& object, const VolcanoJob& job, const Request& request, const std::string& action,
                            const Rule& rule) {
  auto status = VolcanoJobStatus::of(job.tree).uncounted();
  for (const auto& pod : bench_.owned(object.uid, pod_kind())) {
    const bool of_task = pod->labels.get(kTaskOfPod) == request.event.task;
    const bool meant = action == "RestartTask"  ? of_task
                       : action == "RestartPod" ? pod->key.name == request.event.pod
                                                : of_task && pod->labels.get(kPartition) == request.partition;
    if (!meant) {
      if (!pod->is_deleting) status.count(*pod);
      continue;
    }
    ++status.terminating;
    if (!pod->is_deleting) end_pod_of(*pod);
  }
  rule(status);
  write(object, status);
}

ObjectPtr VolcanoJobs::keep_group(const Object& object, const VolcanoJob& job) {
  const Key key{job.ns, job.group_name()};
  const auto priority_of = [this](const std::string& name) -> std::optional<std::int64_t> {
    const auto found = bench_.store().find(kind_named("scheduling.k8s.io", "priorityclasses"), {"", name});
    return found ? found->tree().integer_at("value") : std::nullopt;
  };
  auto group = bench_.store().find(volcano_group_kind(), key);
  auto written = group ? bench_.registry().change(
                             volcano_group_kind(), key, Part::kAll,
                             [&](Tree now) -> Answered<Tree> { return updated_volcano_group(std::move(now), job, priority_of); })
                       : bench_.registry().create(volcano_group_kind(), job.ns, volcano_job_group(job, priority_of));
  if (written) return *written;
  bench_.warn(volcano_job_kind(), object, "PodGroupError", "Failed to create PodGroup, err: " + written.error().message);
  return group;
}

void VolcanoJobs::sync(const Object& object, const VolcanoJob& job, const Rule& rule) {
  auto status = VolcanoJobStatus::of(job.tree);
  const auto before = status;
  if (status.phase.empty()) {
    status.phase = "Pending";
    status.min_available = job.min_available;
  }
  const auto group = keep_group(object, job);
  const auto phase = group ? std::string(group->tree().text_at("status.phase")) : std::string();
  if (!phase.empty() && phase != "Pending") {
    status = status.uncounted();
    status.min_available = job.min_available;
    sync_pods(object, job, status);
  }
  rule(status);
  if (status != before) write(object, status);
}

void VolcanoJobs::sync_pods(const Object& object, const VolcanoJob& job, VolcanoJobStatus& status) {
  std::map<std::string, ObjectPtr> pods;
  for (const auto& pod : bench_.owned(object.uid, pod_kind())) pods[pod->key.name] = pod;
  for (const auto& task : job.tasks)
    for (std::int64_t i = 0; i < task.replicas; ++i) {
      const auto name = fmt::format("{}-{}-{}", job.name, task.name, i);
      const auto known = pods.find(name);
      if (known == pods.end()) {
        if (!bench_.is_held(object.uid)) {
          if (!may_start(object, job, task)) break;
          if (const auto made = create_pod(bench_, volcano_job_kind(), object, volcano_job_pod(job, task, i))) {
            status.count(*made);
            continue;
          }
        }
        again_[object.key] = bench_.held_until(object.uid);
        continue;
      }
      const auto pod = known->second;
      pods.erase(known);
      if (pod->is_deleting) {
        ++status.terminating;
        continue;
      }
      status.count(*pod);
      if (is_out_of_sync(*pod)) {
        ++status.terminating;
        delete_pod(bench_, *pod);
      }
    }
  for (const auto& [name, pod] : pods) {  // more than the tasks want
    ++status.terminating;
    if (!pod->is_deleting) end_pod_of(*pod);
  }
}

bool VolcanoJobs::may_start(const Object& object, const VolcanoJob& job, const VolcanoTask& task) const {
  const auto* names = task.spec->at("dependsOn.name");
  if (names == nullptr || !names->is_list() || names->as_list()->empty()) return true;
  const auto pods = bench_.owned(object.uid, pod_kind());
  const auto is_ready = [&](const Tree& name) {
    const auto* other = job.task(name.scalar_text());
    return other == nullptr || is_up(pods, *other);
  };
  const auto& items = *names->as_list();
  if (items.size() > 1 && task.spec->text_at("dependsOn.iteration") == "any")
    return std::any_of(items.begin(), items.end(), is_ready);
  return std::all_of(items.begin(), items.end(), is_ready);
}

void VolcanoJobs::write(const Object& object, const VolcanoJobStatus& status) {
  static_cast<void>(bench_.registry().change(volcano_job_kind(), object.key, Part::kStatus, [&](Tree now) -> Answered<Tree> {
    status.write_to(now, bench_.time_text());
    return now;
  }));
}

void VolcanoJobs::remove_if_old(const Object& job) {
  const auto tree = job.tree();
  const auto phase = tree.text_at("status.state.phase");
  const auto keep = bounded_at(tree, "spec.ttlSecondsAfterFinished");
  const auto ended = time_at(tree, "status.state.lastTransitionTime");
  if (!keep || !ended || job.is_deleting || (phase != "Completed" && phase != "Failed" && phase != "Terminated")) return;
  if (*ended + *keep > bench_.now()) return bench_.look_again(volcano_job_kind(), job.key, *ended + *keep);
  static_cast<void>(
      bench_.registry().remove(volcano_job_kind(), job.key, {.uid = job.uid, .propagation = Propagation::kForeground}));
}

}  // namespace muster::sim
