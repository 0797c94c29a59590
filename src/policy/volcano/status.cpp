#include "policy/volcano/status.h"

#include <algorithm>
#include <set>

#include "base/fetch_ahead.h"
#include "policy/volcano/device_demand.h"
#include "policy/volcano/devices/device_books.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kUnschedulable = "Unschedulable";
constexpr std::string_view kSchedulable = "Schedulable";

// What the state that a task reached says about it.
std::string_view reason_of(PodState state) {
  if (state == PodState::kAllocated) return kSchedulable;
  return state == PodState::kPipelined || state == PodState::kPending ? kUnschedulable : name_of(state);
}

// Counts with what they count, as "3 Pending"; few and short.
using Parts = boost::container::small_vector<std::string, kPodStates + 1>;

void append_sorted(std::string& out, Parts& parts) {
  std::sort(parts.begin(), parts.end());
  for (std::size_t i = 0; i < parts.size(); ++i) out.append(i == 0 ? "" : ", ").append(parts[i]);
}

// How many pending tasks give each reason. Only tasks with notes can differ from plainly not having been placed.
void append_pending_reasons(std::string& out, Session& session, Job& job) {
  boost::container::small_vector<std::pair<std::string_view, std::int64_t>, 4> counts;
  counts.emplace_back(kUnschedulable, session.counts(job).of(PodState::kPending));
  if (job.notes)
    for (const auto& note : job.notes->tasks()) {
      if (!note.last || session.books().pod(note.pod).state != PodState::kPending) continue;
      const auto reason = reason_of(note.last->state);
      --counts.front().second;
      const auto at = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == reason; });
      if (at == counts.end())
        counts.emplace_back(reason, 1);
      else
        ++at->second;
    }
  Parts parts;
  for (const auto& [reason, count] : counts)
    if (count != 0) parts.emplace_back(std::to_string(count).append(" ").append(reason));
  append_sorted(out, parts);
}

// The first task of which it is known why no node would do. First in the order of tasks: in which order they were noted depends on
// which domains were tried.
void append_origin_reason(std::string& out, Session& session, Job& job) {
  if (!job.notes) return;
  const JobNotes::Task* first = nullptr;
  for (const auto& note : job.notes->tasks())
    if (note.errors && (first == nullptr || session.task_before(note.pod, first->pod))) first = &note;
  if (first == nullptr) return;
  out.append(". Origin reason is ").append(session.books().pod(first->pod).name).append(": ");
  out.append(*first->errors->message(session.cluster().fits()));
}

bool same_condition(const std::shared_ptr<const Condition>& a, const std::shared_ptr<const Condition>& b) {
  return a == b || (a->type == b->type && a->status == b->status && a->reason == b->reason && a->message == b->message);
}

// Writes PodScheduled=False and the nominated node of one task, if either is new.
void write_task(Session& session, PodId pod, const TaskReason& why) {
  auto& task = session.cluster().task(pod);
  const bool again = std::exchange(task.unwritten, false);
  const bool same_text =
      task.condition_message && (task.condition_message == why.message || *task.condition_message == *why.message);
  const bool new_condition = again || task.condition_reason != why.reason || !same_text;
  const bool new_node = why.nominated && (again || session.books().node(why.nominated).name != task.nomination());
  if (new_node) {
    const auto& node = session.books().node(why.nominated).name;
    if (again || node != task.nominated_node) session.writes().nominated.emplace_back(pod, why.nominated);
    task.nominated_node = node;
    task.nomination_dropped = false;
  }
  if (!new_condition && !new_node) return;
  task.condition_reason = why.reason;
  task.condition_message = why.message;
  session.writes().pod_conditions.push_back(PodCondition{pod, why.reason, why.message});
}

// The texts about a job of which nothing is noted follow from how many of its pods are in which state, and most jobs are like the
// one before.
class PlainTexts {
 public:
  explicit PlainTexts(Session& session) : session_(session) {}

  Text fit_error(Job& job) { return job.notes ? fit_error_text(session_, job) : of(job).fit_error; }
  Text event(Job& job) {
    if (job.notes) return make_event(session_.counts(job), *fit_error_text(session_, job));
    auto& texts = of(job);
    if (!texts.event) texts.event = make_event(session_.counts(job), *texts.fit_error);
    return texts.event;
  }

 private:
  struct Texts {
    std::array<std::uint32_t, kPodStates> count{};
    std::int32_t min_available = 0;
    bool ready = false;
    Text fit_error;
    Text event;
  };
  Texts& of(Job& job) {
    const auto& group = session_.books().group(job.id);
    const bool ready = session_.counts(job).is_ready();
    if (!last_.fit_error || last_.count != group.count || last_.min_available != job.min_available || last_.ready != ready)
      last_ = {group.count, job.min_available, ready, std::make_shared<const std::string>(volcano::fit_error(session_, job)), {}};
    return last_;
  }
  static Text make_event(const JobCounts& counts, const std::string& fit_error) {
    return std::make_shared<const std::string>(std::to_string(counts.of(PodState::kPending)) + "/" +
                                               std::to_string(counts.tasks()) + " tasks in gang unschedulable: " + fit_error);
  }

  Session& session_;
  Texts last_;
};

void write_tasks(Session& session, Job& job, PlainTexts& texts) {
  const auto job_text = texts.fit_error(job);
  for (const auto pod : session.books().group(job.id).pods) {
    const auto& record = session.books().pod(pod);
    const bool open =
        record.state == PodState::kPending || record.state == PodState::kAllocated || record.state == PodState::kPipelined;
    if (!open || record.gated) continue;
    auto why = task_reason(session, job, pod);
    if (!why.message) why.message = job_text;
    write_task(session, pod, why);
  }
}

bool waits(Phase phase) { return phase == Phase::kUnknown || phase == Phase::kPending || phase == Phase::kInqueue; }

}  // namespace

void set_condition(Job& job, std::shared_ptr<const Condition> condition) {
  for (auto& known : job.status.conditions)
    if (known->type == condition->type) {
      known = std::move(condition);
      return;
    }
  job.status.conditions.push_back(std::move(condition));
}

TaskReason task_reason(Session& session, Job& job, PodId pod) {
  const auto& record = session.books().pod(pod);
  const auto* note = job.notes ? job.notes->find(pod) : nullptr;
  LastTransaction context{record.state, record.node, note != nullptr && note->evicted_others};
  if (note != nullptr && note->last) context = *note->last;
  const auto reason = reason_of(context.state);
  const auto possibly = [&](const char* once) {
    return std::make_shared<const std::string>("Pod " + session.books().pod_key(pod) + " can possibly be assigned to " +
                                               session.books().node(context.node).name + ", once " + once);
  };
  switch (context.state) {
    case PodState::kAllocated: return {reason, possibly("minAvailable is satisfied"), NodeId()};
    case PodState::kPipelined:
      return {reason, possibly("resource is released and minAvailable is satisfied"),
              context.evicted_others ? context.node : NodeId()};
    case PodState::kPending:
      return {reason, note != nullptr && note->errors ? note->errors->message(session.cluster().fits()) : nullptr, NodeId()};
    default: return {reason, nullptr, NodeId()};
  }
}

std::string fit_error(Session& session, Job& job) {
  const auto counts = session.counts(job);
  Parts parts;
  for (std::size_t s = 0; s < kPodStates; ++s)
    if (const auto state = static_cast<PodState>(s); counts.of(state) != 0)
      parts.emplace_back(std::to_string(counts.of(state)).append(" ").append(muster::name_of(state)));
  parts.emplace_back(std::to_string(job.min_available).append(" minAvailable"));
  std::string out;
  out.reserve(256);
  out = counts.is_ready() ? "pod group is ready, " : "pod group is not ready, ";
  append_sorted(out, parts);
  if (counts.of(PodState::kPending) != 0) {
    out += "; Pending: ";
    append_pending_reasons(out, session, job);
  }
  append_origin_reason(out, session, job);
  return out;
}

Phase phase_after(Session& session, const Job& job, bool unschedulable) {
  const auto counts = session.counts(job);
  if (counts.of(PodState::kRunning) > 0 && unschedulable) return Phase::kUnknown;
  const auto completed = counts.of(PodState::kFailed) + counts.of(PodState::kSucceeded);
  auto scheduled = counts.of(PodState::kRunning) + counts.of(PodState::kBound) + completed;
  if (counts.of(PodState::kReleasing) != 0)
    for (const auto pod : session.books().group(job.id).pods)
      scheduled += session.books().pod(pod).state == PodState::kReleasing && session.books().pod(pod).node;
  if (scheduled >= job.min_available) return scheduled == completed ? Phase::kCompleted : Phase::kRunning;
  return job.status.phase == Phase::kInqueue ? Phase::kInqueue : Phase::kPending;
}

const Text& fit_error_text(Session& session, Job& job) {
  auto& text = job.take_notes().fit_error;
  if (!text) text = std::make_shared<const std::string>(fit_error(session, job));
  return text;
}

namespace {

bool status_changed(const Job& job) {
  const auto& now = job.status;
  const auto& then = job.written;
  return job.never_written || now.phase != then.phase || now.running != then.running || now.succeeded != then.succeeded ||
         now.failed != then.failed ||
         !std::equal(now.conditions.begin(), now.conditions.end(), then.conditions.begin(), then.conditions.end(), same_condition);
}

void update_status(Session& session, Job& job) {
  const auto counts = session.counts(job);
  job.status.phase = phase_after(session, job, job.notes && job.notes->unschedulable);
  job.status.running = static_cast<std::int32_t>(counts.of(PodState::kRunning));
  job.status.failed = static_cast<std::int32_t>(counts.of(PodState::kFailed));
  job.status.succeeded = static_cast<std::int32_t>(counts.of(PodState::kSucceeded));
}

// A job that has just been placed counts as waiting until its pods are bound; that is nothing to warn of.
void write_waiting_event(Session& session, Job& job, PlainTexts& texts) {
  const bool every_time = session.behaviour().keeps(Quirk::kEventEveryCycle);
  const auto counts = session.counts(job);
  if (!every_time && counts.is_ready() && counts.of(PodState::kPending) + counts.of(PodState::kPipelined) == 0) return;
  auto text = texts.event(job);
  const bool news = !job.last_event || *job.last_event != *text;
  if (news || every_time) session.record_event(job, "Warning", "Unschedulable", text);
  job.last_event = std::move(text);
}

bool has_open_tasks(const Session& session, const Job& job) {
  const auto counts = session.counts(job);
  return counts.of(PodState::kPending) + counts.of(PodState::kAllocated) + counts.of(PodState::kPipelined) != 0;
}

void close_job(Session& session, Job& job, PlainTexts& texts) {
  const auto phase = job.written.phase;
  update_status(session, job);
  const bool changed = status_changed(job);
  if (changed) {
    session.writes().groups.push_back(job.id);
    job.written = job.status;
    job.never_written = false;
  }
  if (job.status.phase != phase) session.books().touch_group(job.id);
  if (!waits(job.status.phase)) {
    static const auto kReady = std::make_shared<const std::string>("pod group is ready");
    if (changed) session.record_event(job, "Normal", "Scheduled", kReady);
    job.last_event.reset();
  } else {
    write_waiting_event(session, job, texts);
  }
  if (has_open_tasks(session, job)) write_tasks(session, job, texts);
}

// A job that is stuck as it was in the cycle before: nothing of what was written then has changed.
void close_stuck_job(Session& session, Job& job) {
  if (session.behaviour().keeps(Quirk::kEventEveryCycle)) session.record_event(job, "Warning", "Unschedulable", job.last_event);
}

ResourceList as_list(const Amounts& amounts, const Books& books) {
  ResourceList list;
  list["cpu"] = Quantity::from_milli(amounts.get(kCpu));
  list["memory"] = Quantity::from_units(amounts.get(kMemory), Quantity::Format::kBinarySi);
  for (const auto& [id, amount] : amounts) {
    if (id == kCpu || id == kMemory || amount == 0) continue;
    list[books.resource_name(id)] = id == kPodCount ? Quantity::from_units(amount) : Quantity::from_milli(amount);
  }
  return list;
}

// Calls f for a queue and all its ancestors, the root last. The root itself counts twice, as the original does.
template <class F>
void for_each_in_line(const Cluster& cluster, QueueId queue, F f) {
  f(queue);
  const auto root = cluster.find_queue("root");
  if (!root) return;
  auto at = queue;
  for (std::size_t depth = 0; depth <= cluster.queue_count(); ++depth) {
    const auto& name = cluster.queue(at).parent;
    const auto parent = name.empty() ? root : cluster.find_queue(name);
    if (!parent) return;  // crashes the original; here such a queue counts for nobody else
    f(parent);
    if (parent == root) return;
    at = parent;
  }
}

// The devices that each queue's pods hold, shared claims once per queue.
std::vector<DeviceAmounts> devices_by_queue(const Cluster& cluster) {
  std::vector<DeviceAmounts> held(cluster.queue_count());
  std::set<std::pair<QueueId, std::string>> counted;
  for (const auto& [pod, claims] : cluster.devices().pods()) {
    const auto& record = cluster.books().pod(pod);
    if (!record.group || !kHoldingStates.contains(record.state) || !cluster.job(record.group).schedulable()) continue;
    const auto demand = device_demand(cluster, pod);
    for_each_in_line(cluster, cluster.job(record.group).queue, [&](QueueId queue) {
      for (const auto& [claim, amounts] : demand.claims)
        if (counted.emplace(queue, claim).second) add(held[queue.index()], amounts);
    });
  }
  return held;
}

// By queue, how much more pods count for by the devices that they hold than by what they asked for. Empty: nothing.
std::vector<Amounts> device_corrections(Cluster& cluster) {
  std::vector<Amounts> out;
  if (cluster.shared_devices() == nullptr) return out;
  auto& books = cluster.books();
  cluster.shared_devices()->for_each_queue_amount([&](PodId pod, const std::string& resource, std::int64_t amount) {
    const auto& record = books.pod(pod);
    if (!record.group || !kHoldingStates.contains(record.state) || !cluster.job_of(pod).schedulable()) return;
    out.resize(cluster.queue_count());
    const auto id = books.resource(resource);
    out[cluster.job_of(pod).queue.index()].add(id, amount - books.shape_of(pod).request.get(id));
  });
  return out;
}

}  // namespace

void close_jobs(Session& session) {
  PlainTexts texts(session);
  const auto& jobs = session.jobs_to_close();
  constexpr std::size_t kAhead = 4;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i + kAhead < jobs.size()) {
      fetch_ahead(session.cluster().job(jobs[i + kAhead]));
      fetch_ahead(session.books().group(jobs[i + kAhead]));
    }
    if (auto& job = session.cluster().job(jobs[i]); job.schedulable())
      job.still_stuck ? close_stuck_job(session, job) : close_job(session, job, texts);
  }
}

void close_queues(Session& session) {
  auto& cluster = session.cluster();
  cluster.refresh();
  std::vector<Amounts> allocated(cluster.queue_count());
  const auto by_devices = device_corrections(cluster);
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    auto held = cluster.queue(id).sums.allocated;
    if (!by_devices.empty()) held += by_devices[id.index()];
    for_each_in_line(cluster, id, [&](QueueId queue) { allocated[queue.index()] += held; });
  }
  const auto devices = cluster.devices().pods().empty() ? std::vector<DeviceAmounts>() : devices_by_queue(cluster);
  for (const auto id : IdRange<QueueId>(cluster.queue_count())) {
    auto& queue = cluster.queue(id);
    if (!queue.known) continue;
    auto list = as_list(allocated[id.index()], cluster.books());
    if (!devices.empty()) add_device_names(devices[id.index()], list);
    if (queue.allocated == list) continue;
    queue.allocated = std::move(list);
    session.writes().queues.push_back(id);
  }
}

}  // namespace muster::volcano
