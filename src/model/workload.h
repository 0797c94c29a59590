#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/meta.h"

namespace muster {

struct Pod;

// What somebody submitted, of which a controller made pods and their PodGroup. People know it by its own name; the PodGroup's is
// often made of a uid.

// "Job/train": who controls an object, or else its first owner. Empty: nobody owns it.
std::string workload_of(const ObjectMeta& meta);

// What a job was made for, as its objects tell: its PodGroup may come and go, and pods are replaced by those of a newer workload.
struct JobWorkload {
  std::string of_group;  // who owns its PodGroup
  std::string of_pods;   // who owns the pod that was seen last, of those that have an owner and neither leave nor have ended

  const std::string& text() const { return of_group.empty() ? of_pods : of_group; }
  // Whenever a pod comes or changes. One that leaves or has ended tells only where no other has: it may be of a workload that is
  // gone, and changes once more when its successor's pods are there.
  void take_pod(const Pod& pod);
};

// "train" of "Job/train".
std::string_view name_in_workload(std::string_view workload);

// A name of a workload, and the kind that has it, in lower case: people type it so.
struct WorkloadName {
  std::string kind;
  std::string name;
};
// Its own, and those of what made a ReplicaSet, a Job or the pod of a Deployment, as its name tells. None of an empty text.
std::vector<WorkloadName> workload_names(std::string_view workload);

// All that people may call a job "mine/podgroup-7f3e": that name, and those of what it was made for, "mine/train", "job/train" and
// "mine/job/train". In lower case, as the API server has names, so that what was typed is found in any case.
std::vector<std::string> names_of_job(std::string_view job, std::string_view workload);

// "mine/podgroup-7f3e (Job/train)": a job with what it was made for, where that has another name.
std::string with_workload(const std::string& job, std::string_view workload);

}  // namespace muster
