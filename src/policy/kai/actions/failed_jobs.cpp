#include "policy/kai/actions/failed_jobs.h"

#include <algorithm>

namespace muster::kai {
namespace {

void append(std::string& key, const KaiTopologyConstraint& constraint) {
  key.append(constraint.topology).append(1, '\1').append(constraint.required_level).append(1, '\1');
  key.append(constraint.preferred_level).append(1, '\2');
}

// What a pod demands of a node besides resources.
std::string constraints_of(const Session& session, PodId pod) {
  const auto& books = session.books();
  const auto& shape = books.shape_of(pod);
  PodShape bare;
  bare.node_selector = shape.node_selector;
  bare.node_required = shape.node_required;
  bare.node_preferred = shape.node_preferred;
  bare.tolerations = shape.tolerations;
  bare.host_ports = shape.host_ports;
  bare.claims = shape.claims;
  auto key = bare.key();
  if (const auto terms = books.pod(pod).terms) key.append(books.terms(terms).key());
  const auto& task = session.cluster().task(pod);
  return key.append(1, '\3').append(task.priority_class).append(1, '\3').append(std::to_string(books.pod(pod).priority));
}

std::string constraints_of(const Session& session, const Job& job) {
  std::vector<std::string> parts;
  for (const auto id : job.groups.pod_sets()) {
    const auto& part = job.part(id);
    std::string key;
    if (part.active_allocated != part.pods.size()) {
      for (auto at = id; at; at = job.part(at).parent) append(key, job.part(at).constraint);
      std::vector<std::string> pods;
      for (const auto pod : part.pods)
        if (!kActiveAllocated.contains(session.cluster().task(pod).status)) pods.push_back(constraints_of(session, pod));
      std::sort(pods.begin(), pods.end());
      for (const auto& pod : pods) key.append(pod).append(1, '\4');
    }
    parts.push_back(std::move(key));
  }
  std::sort(parts.begin(), parts.end());
  std::string key;
  for (const auto& part : parts) key.append(part).append(1, '\5');
  return key;
}

// Whether one task asks for no more than another, in every respect.
bool asks_no_more(const Session& session, PodId left, PodId right) {
  const auto& l = session.books().shape_of(left).request;
  const auto& r = session.books().shape_of(right).request;
  for (const auto& [resource, amount] : l)
    if (amount > r.get(resource)) return false;
  const auto& l_gpu = session.cluster().task(left).gpu;
  const auto& r_gpu = session.cluster().task(right).gpu;
  return l_gpu.on_node() <= r_gpu.on_node() && l_gpu.memory <= r_gpu.memory;
}

std::vector<PodId> waiting_tasks(const Session& session, const Job& job) {
  std::vector<PodId> tasks;
  job.for_each_pod([&](PodId pod) {
    if (session.cluster().task(pod).status == Status::kPending) tasks.push_back(pod);
  });
  // A plain order that agrees with asks_no_more() where that decides.
  const auto weight = [&](PodId pod) {
    const auto& request = session.books().shape_of(pod).request;
    const auto& gpu = session.cluster().task(pod).gpu;
    return std::tuple(gpu.on_node(), gpu.memory, request.get(kCpu), request.get(kMemory));
  };
  std::stable_sort(tasks.begin(), tasks.end(), [&](PodId l, PodId r) { return weight(l) < weight(r); });
  return tasks;
}

}  // namespace

bool FailedJobs::is_worth_trying(const Session& session, const Job& job) const {
  const auto found = smallest_.find(constraints_of(session, job));
  if (found == smallest_.end()) return true;
  const auto tasks = waiting_tasks(session, job);
  const auto& failed = found->second;
  if (tasks.empty() || failed.empty()) return false;
  if (failed.size() > tasks.size()) return true;
  for (std::size_t i = 0; i < failed.size(); ++i)
    if (asks_no_more(session, tasks[i], failed[i]) && !asks_no_more(session, failed[i], tasks[i])) return true;
  return false;
}

void FailedJobs::remember(const Session& session, const Job& job) {
  auto tasks = waiting_tasks(session, job);
  const auto [known, fresh] = smallest_.try_emplace(constraints_of(session, job), tasks);
  if (fresh || tasks.empty() || known->second.empty() || tasks.size() > known->second.size()) return;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!asks_no_more(session, tasks[i], known->second[i])) return;
  known->second = std::move(tasks);
}

}  // namespace muster::kai
