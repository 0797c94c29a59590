#include "app/volcano_report.h"

#include <algorithm>

#include "app/named_decision.h"

namespace muster {
namespace {

using volcano::Session;

// Jobs that the session works on.
template <class F>
void for_each_job(Session& session, F f) {
  for (const auto id : IdRange<GroupId>(session.cluster().job_count()))
    if (const auto& job = session.cluster().job(id); job.schedulable()) f(job, session.books().group(id));
}

std::string group_name(const Books& books, GroupId group) { return group ? books.group(group).name : std::string(); }

std::vector<std::string> names_of(const DeviceAllocation& allocation) {
  std::vector<std::string> names;
  for (const auto& device : allocation.devices)
    names.push_back(device.request + "=" + device.driver + "/" + device.pool + "/" + device.device);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Eviction named_decision(const Books& books, const Decision& decision) {
  const auto& record = books.pod(decision.pod);
  const auto node = decision.node ? decision.node : record.node;
  Eviction out;
  out.pod = books.pod_key(decision.pod);
  out.job = group_name(books, record.group);
  if (node) out.node = books.node(node).name;
  out.rule = decision.rule;
  out.for_job = group_name(books, decision.for_whom.group);
  if (decision.for_whom.pod) out.for_pod = books.pod_key(decision.for_whom.pod);
  return out;
}

std::string_view volcano_rule_text(std::string_view rule) {
  if (rule == "preempt" || rule == "gangpreempt")
    return "a job of the same queue needs the room, and the plugins let this pod go for it";
  if (rule == "reclaim" || rule == "gangreclaim")
    return "a job of another queue needs the room, and the plugins let this pod go for it";
  if (rule == "shuffle") return "a plugin asked for it to be moved";
  return "";
}

std::vector<std::string> warnings_of(const std::vector<VolcanoCycle>& cycles) {
  std::vector<std::string> all;
  for (const auto& cycle : cycles)
    for (const auto& warning : cycle.warnings)
      if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
  return all;
}

void VolcanoReporter::before_close(Session& session) {
  const auto& books = session.books();
  for_each_job(session, [&](const volcano::Job&, const GroupRecord& group) {
    auto& states = cycle_.task_status_nums[group.name];
    for (std::size_t s = 0; s < kPodStates; ++s)
      if (group.count[s] != 0) states[std::string(name_of(static_cast<PodState>(s)))] = group.count[s];
    for (const auto pod : group.pods) {
      const auto& record = books.pod(pod);
      if (record.state == PodState::kPipelined) cycle_.pipelined[books.pod_key(pod)] = books.node(record.node).name;
      if (record.state == PodState::kAllocated) cycle_.allocated_not_bound[books.pod_key(pod)] = books.node(record.node).name;
    }
  });
}

void VolcanoReporter::after_close(Session& session) {
  const auto& books = session.books();
  const auto& cluster = session.cluster();
  for (const auto& decision : session.outbox()) {
    const auto pod = books.pod_key(decision.pod);
    if (decision.kind == Decision::Kind::kBind) {
      cycle_.binds[pod] = books.node(decision.node).name;
    } else {
      cycle_.evicted.push_back(pod);
      cycle_.evict_reasons[pod] = decision.rule;
      cycle_.evictions.push_back(named_decision(books, decision));
    }
    if (decision.annotations) cycle_.bind_annotations[pod] = {decision.annotations->begin(), decision.annotations->end()};
  }
  std::sort(cycle_.evicted.begin(), cycle_.evicted.end());
  for_each_job(session, [&](const volcano::Job& job, const GroupRecord& group) {
    cycle_.podgroup_phase[group.name] = name_of(job.status.phase);
    for (const auto& condition : job.status.conditions)
      if (condition->type == job.gang_condition) cycle_.podgroup_conditions[group.name][condition->type] = *condition;
  });
  const auto& writes = session.writes();
  for (const auto& event : writes.events)
    cycle_.podgroup_events[books.group(event.job).name].push_back(std::string(event.type) + " " + std::string(event.reason) + ": " +
                                                                  *event.message);
  for (auto& [group, events] : cycle_.podgroup_events) std::sort(events.begin(), events.end());
  for (const auto& written : writes.pod_conditions)
    cycle_.pod_conditions[books.pod_key(written.pod)] = {std::string(written.reason), *written.message};
  cycle_.warnings = writes.warnings;
  for (const auto& [pod, node] : writes.nominated) cycle_.nominated[books.pod_key(pod)] = books.node(node).name;
  cycle_.has_claims = !cluster.devices().claims().empty();
  for (const auto& [key, entry] : cluster.devices().claims())
    if (entry.allocated()) cycle_.claim_devices[key] = names_of(*entry.claim.allocation);
  for (const auto id : writes.queues) cycle_.queue_allocated[cluster.queue(id).name] = *cluster.queue(id).allocated;
}

}  // namespace muster
