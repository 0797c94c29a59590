#include "policy/kai/status_text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::kai {
namespace {

// Each once, with how often it was said.
std::vector<std::pair<std::string, int>> counted(const std::vector<JobFitError>& errors) {
  std::vector<std::pair<std::string, int>> messages;
  for (const auto& error : errors) {
    const auto known = std::ranges::find(messages, error.message, &std::pair<std::string, int>::first);
    if (known == messages.end())
      messages.emplace_back(error.message, 1);
    else
      ++known->second;
  }
  return messages;
}

// Who moves from pool to pool is told which one it was.
std::string where(const Job& job) { return job.backoff == 1 ? "Node-Pool '" + pool_name(job) + "': " : std::string(); }

}  // namespace

std::string pool_name(const Job& job) { return job.node_pool.empty() ? "default" : job.node_pool; }

std::string unschedulable_text(const Job& job) {
  auto out = where(job);
  if (job.errors.empty()) return out + "no action of the configuration has tried to place it";
  out += job.errors.size() == 1 ? std::string(name_of(job.errors.front().reason)) : std::string("no room was found");
  std::string separator = ": ";
  for (const auto& [message, times] : counted(job.errors)) {
    out += separator + (times > 1 ? std::to_string(times) + " " : std::string()) + message;
    separator = ". \n";
  }
  return out;
}

std::string not_ready_text(const Job& job) {
  auto out = where(job) + "it waits for pods of its own";
  std::string separator = ": ";
  for (const auto id : job.groups.pod_sets()) {
    const auto& part = job.part(id);
    if (part.pods_ready()) continue;
    out += separator + (part.name == SubGroups::kDefault ? "" : "subgroup " + part.name + ": ") + std::to_string(part.minimum) +
           " required, " + std::to_string(part.alive) + " there, " + std::to_string(part.in(Status::kGated)) + " of them gated";
    separator = "; ";
  }
  return out;
}

}  // namespace muster::kai
