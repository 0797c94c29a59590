#include "app/kai_report.h"

#include <algorithm>
#include <cmath>

#include "app/name_members.h"
#include "codec/kinds.h"

namespace muster {
namespace {

using kai::GpuKind;
using kai::Share;

std::string job_key(const kai::Job& job) { return job.ns + "/" + job.name; }

std::vector<std::string> names_of(const std::optional<DeviceAllocation>& allocation) {
  std::vector<std::string> names;
  if (!allocation) return names;
  for (const auto& device : allocation->devices) names.push_back(device.driver + "/" + device.pool + "/" + device.device);
  return names;
}

KaiCycle::Bind bind_of(const kai::Session& session, const kai::BindDetails& details, const std::string& node) {
  KaiCycle::Bind bind;
  bind.node = node;
  bind.type = details.type();
  bind.gpu_count = details.gpu_count();
  bind.gpu_portion = details.gpu_portion();
  if (details.gpu.shared())
    for (const auto group : details.groups) bind.gpu_groups.push_back(session.books().symbols().text(group));
  bind.numa = details.numa;
  if (details.devices)
    for (const auto& claim : details.devices->claims) bind.claims[claim.name] = names_of(claim.allocation);
  if (details.extended) bind.extended = names_of(details.extended->claim.allocation);
  return bind;
}

// GPUs that were opened are called new0, new1 and so on in the order of the pods' names; those known before come first.
void name_new_groups(std::map<std::string, KaiCycle::Bind>& binds) {
  std::map<std::string, std::size_t> numbers;
  for (auto& [pod, bind] : binds) {
    const auto rank = [&](const std::string& group) {
      if (!group.starts_with("new")) return std::pair(std::size_t{0}, group);
      const auto known = numbers.find(group);
      return std::pair(1 + (known == numbers.end() ? numbers.size() : known->second), std::string());
    };
    std::stable_sort(bind.gpu_groups.begin(), bind.gpu_groups.end(),
                     [&](const std::string& l, const std::string& r) { return rank(l) < rank(r); });
    for (auto& group : bind.gpu_groups)
      if (group.starts_with("new")) group = "new" + std::to_string(numbers.try_emplace(group, numbers.size()).first->second);
  }
}

void take_decisions(const kai::Session& session, KaiCycle& cycle) {
  const auto& books = session.books();
  for (const auto& decision : session.outbox()) {
    const auto pod = books.pod_key(decision.pod);
    if (decision.kind == Decision::Kind::kBind) {
      cycle.binds[pod] = books.node(decision.node).name;
      continue;
    }
    if (!cycle.evicted_by.contains(pod)) cycle.evicted.push_back(pod);
    const auto whom = decision.for_whom.group ? job_key(session.cluster().job(decision.for_whom.group)) : std::string();
    cycle.evicted_by[pod] = {std::string(decision.rule), whom, decision.node ? books.node(decision.node).name : std::string()};
  }
  std::sort(cycle.evicted.begin(), cycle.evicted.end());
  for (const auto& details : session.bind_details())
    if (details.gpu.shared() || details.gpu.kind == GpuKind::kMig || !details.numa.empty() || details.devices || details.extended) {
      const auto pod = books.pod_key(details.pod);
      cycle.bind_details[pod] = bind_of(session, details, cycle.binds[pod]);
    }
  name_new_groups(cycle.bind_details);
}

void take_jobs(const kai::Session& session, KaiCycle& cycle) {
  const auto& cluster = session.cluster();
  for (const auto id : cluster.all_jobs()) {
    const auto& job = cluster.job(id);
    if (!job.conditions.empty()) {
      std::vector<std::string> reasons;
      for (const auto& reason : job.conditions.back().reasons) reasons.push_back(reason.code);
      std::sort(reasons.begin(), reasons.end());
      cycle.unschedulable_reasons[job_key(job)] = std::move(reasons);
    }
    if (job.written.last_start) cycle.last_start_set.push_back(job_key(job));
    if (job.written.stale_since) cycle.stale_set.push_back(job_key(job));
  }
  std::sort(cycle.last_start_set.begin(), cycle.last_start_set.end());
  std::sort(cycle.stale_set.begin(), cycle.stale_set.end());
}

void write_bind_details(JsonWriter& json, const std::map<std::string, KaiCycle::Bind>& binds) {
  if (binds.empty()) return;
  json.key("bind_details").begin_object();
  for (const auto& [pod, bind] : binds) {
    json.key(pod).begin_object().member("node", bind.node);
    if (!bind.gpu_groups.empty()) write(json, "gpu_groups", bind.gpu_groups);
    json.member("type", bind.type);
    if (bind.gpu_count != 0) json.member("gpu_count", bind.gpu_count);
    json.member("gpu_portion", bind.gpu_portion);
    if (!bind.numa.empty()) {
      json.key("numa");
      write_numa_zones(json, bind.numa);
    }
    if (!bind.claims.empty()) {
      json.key("claims").begin_object();
      for (const auto& [claim, devices] : bind.claims) write(json, claim, devices);
      json.end_object();
    }
    if (!bind.extended.empty()) write(json, "extended_resource_devices", bind.extended);
    json.end_object();
  }
  json.end_object();
}

void write_evictors(JsonWriter& json, const std::map<std::string, KaiCycle::Evictor>& evictors) {
  if (evictors.empty()) return;
  json.key("evicted_by").begin_object();
  for (const auto& [pod, evictor] : evictors) {
    json.key(pod).begin_object().member("action", evictor.action);
    if (!evictor.preemptor.empty()) json.member("preemptor", evictor.preemptor);
    json.end_object();
  }
  json.end_object();
}

double rounded(double amount) { return std::round(amount * 1000) / 1000; }

void write_shares(JsonWriter& json, const std::map<std::string, kai::Quantities>& shares) {
  json.key("fair_share").begin_object();
  for (const auto& [queue, share] : shares)
    json.key(queue)
        .begin_object()
        .member("cpu", rounded(share[Share::kCpu]))
        .member("gpu", rounded(share[Share::kGpu]))
        .member("memory", rounded(share[Share::kMemory]))
        .end_object();
  json.end_object();
}

void write_state(JsonWriter& json, const KaiCycle& cycle) {
  write(json, "pipelined", cycle.pipelined);
  json.key("pods").begin_object();
  for (const auto& [pod, place] : cycle.pods) {
    json.key(pod).begin_object().member("status", place.status);
    if (!place.node.empty()) json.member("node", place.node);
    json.end_object();
  }
  json.end_object().key("unschedulable_reasons").begin_object();
  for (const auto& [job, reasons] : cycle.unschedulable_reasons) write(json, job, reasons);
  json.end_object();
  write(json, "last_start_set", cycle.last_start_set);
  write(json, "stale_set", cycle.stale_set);
}

void write_cycles(JsonWriter& json, const std::vector<KaiCycle>& cycles) {
  json.key("per_cycle").begin_array();
  for (const auto& cycle : cycles) {
    json.begin_object();
    write(json, "binds", cycle.binds);
    write(json, "evicted", cycle.evicted);
    write(json, "pipelined", cycle.pipelined);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void KaiRecorder::opened(kai::Session& session) {
  timing_.open = watch_.lap();
  const auto& queues = session.cluster().queues();
  const auto& shares = session.fair_shares();
  for (std::size_t i = 0; i < shares.size(); ++i) cycle_.fair_share[queues[QueueId(i)].name] = shares[i];
  watch_.lap();
}

void KaiRecorder::acted(kai::Session&, std::string_view action) { timing_.actions.emplace_back(action, watch_.lap()); }

void KaiRecorder::closed(kai::Session& session) {
  timing_.close = watch_.lap();
  timing_.work = session.work();
  refusal_ = session.refusal();
  outbox_ = session.outbox();
  take_decisions(session, cycle_);
  take_jobs(session, cycle_);
  const auto& cluster = session.cluster();
  cycle_.pods = pods_of(cluster);
  for (const auto id : cluster.listed_jobs())
    cluster.job(id).for_each_pod([&](PodId pod) { statuses_.emplace_back(pod, cluster.task(pod).status); });
  for (const auto& [pod, place] : cycle_.pods)
    if (place.status == kai::name_of(kai::Status::kPipelined)) cycle_.pipelined[pod] = place.node;
}

std::map<std::string, KaiCycle::PodPlace> pods_of(const kai::Cluster& cluster) {
  std::map<std::string, KaiCycle::PodPlace> pods;
  for (const auto id : cluster.listed_jobs())
    cluster.job(id).for_each_pod([&](PodId pod) {
      const auto& task = cluster.task(pod);
      const auto node = task.node ? cluster.books().node(task.node).name : std::string();
      pods[cluster.books().pod_key(pod)] = {std::string(kai::name_of(task.status)), node};
    });
  return pods;
}

std::string kai_outcome_json(std::optional<std::string_view> id, const std::vector<KaiCycle>& cycles,
                             const std::map<std::string, std::string>& final_pods, const CaseTiming* timing) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  if (id) json.member("id", *id);
  KaiCycle all;
  for (const auto& cycle : cycles) {
    for (const auto& [pod, node] : cycle.binds) all.binds[pod] = node;
    for (const auto& [pod, bind] : cycle.bind_details) all.bind_details[pod] = bind;
    for (const auto& [pod, evictor] : cycle.evicted_by) all.evicted_by[pod] = evictor;
    all.evicted.insert(all.evicted.end(), cycle.evicted.begin(), cycle.evicted.end());
  }
  std::sort(all.evicted.begin(), all.evicted.end());
  write(json, "binds", all.binds);
  write_bind_details(json, all.bind_details);
  write(json, "evicted", all.evicted);
  write_evictors(json, all.evicted_by);
  if (!cycles.empty()) {
    write_shares(json, cycles.front().fair_share);
    write_state(json, cycles.back());
  }
  if (cycles.size() > 1) {
    write_cycles(json, cycles);
    write(json, "final_pods", final_pods);
  }
  if (timing != nullptr) write_timing(json, *timing);
  json.end_object();
  return out;
}

}  // namespace muster
