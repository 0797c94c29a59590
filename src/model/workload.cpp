#include "model/workload.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/lower_case.h"
#include "model/objects.h"

namespace muster {
namespace {

// What is put behind the name of a workload to name one that is made for it.
struct MadeFor {
  std::string_view kind;  // in lower case, as all that names are compared with
  std::string_view maker;
  std::string_view letters;  // of which the ending consists
  std::size_t shortest;
};

// Of a hash or drawn by lot: they spell no words.
constexpr std::string_view kWordless = "bcdfghjklmnpqrstvwxz2456789";

// The hash of a template, and minutes since 1970.
constexpr std::array<MadeFor, 2> kMadeFor = {{{"replicaset", "deployment", kWordless, 6}, {"job", "cronjob", "0123456789", 8}}};

constexpr std::size_t kLettersOfPods = 5;

// "web" of "web-5d4f8c9b6d" and at least so many of the letters.
std::optional<std::string_view> without_ending(std::string_view name, std::string_view letters, std::size_t shortest) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto ending = name.substr(dash + 1);
  if (ending.size() < shortest || ending.find_first_not_of(letters) != std::string_view::npos) return std::nullopt;
  return name.substr(0, dash);
}

void add_makers(const std::string& kind, std::string_view name, std::vector<WorkloadName>& out) {
  for (const auto& made : kMadeFor)
    if (const auto maker = kind == made.kind ? without_ending(name, made.letters, made.shortest) : std::nullopt)
      out.push_back({std::string(made.maker), std::string(*maker)});
}

// Each pod of a Deployment may have a PodGroup of its own, which the pod owns, as KAI's podgrouper makes them. A pod by itself may
// have the name of a ReplicaSet's; hardly ever of one with a hash.
void add_makers_of_pod(std::string_view name, std::vector<WorkloadName>& out) {
  const auto of_set = without_ending(name, kWordless, kLettersOfPods);
  if (!of_set) return;
  std::vector<WorkloadName> makers = {{"replicaset", std::string(*of_set)}};
  add_makers("replicaset", *of_set, makers);
  if (makers.size() > 1) out.insert(out.end(), makers.begin(), makers.end());
}

bool leaves_or_has_ended(const Pod& pod) {
  return pod.meta.deleted || pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace

std::string workload_of(const ObjectMeta& meta) {
  if (meta.owners.empty()) return {};
  const auto controller = std::ranges::find_if(meta.owners, &OwnerReference::controller);
  const auto& owner = controller == meta.owners.end() ? meta.owners.front() : *controller;
  return owner.kind + "/" + owner.name;
}

void JobWorkload::take_pod(const Pod& pod) {
  if (!of_pods.empty() && leaves_or_has_ended(pod)) return;
  if (auto owner = workload_of(pod.meta); !owner.empty()) of_pods = std::move(owner);
}

std::string_view name_in_workload(std::string_view workload) { return workload.substr(workload.find('/') + 1); }

std::vector<WorkloadName> workload_names(std::string_view workload) {
  if (workload.empty()) return {};
  std::vector<WorkloadName> out;
  const auto kind = lower_case(workload.substr(0, workload.find('/')));
  const auto name = name_in_workload(workload);
  out.push_back({kind, std::string(name)});
  if (kind == "pod")
    add_makers_of_pod(name, out);
  else
    add_makers(kind, name, out);
  return out;
}

std::vector<std::string> names_of_job(std::string_view job, std::string_view workload) {
  std::vector<std::string> out = {lower_case(job)};
  const auto in_namespace = lower_case(job.substr(0, job.find('/') + 1));
  for (const auto& [kind, name] : workload_names(lower_case(workload)))
    for (auto key : {in_namespace + name, kind + "/" + name, in_namespace + kind + "/" + name}) out.push_back(std::move(key));
  return out;
}

std::string with_workload(const std::string& job, std::string_view workload) {
  const auto name = std::string_view(job).substr(job.find('/') + 1);
  if (workload.empty() || name == name_in_workload(workload)) return job;
  return job + " (" + std::string(workload) + ")";
}

}  // namespace muster
