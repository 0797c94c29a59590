#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/meta.h"

namespace muster {

// What somebody submitted, of which a controller made pods and their PodGroup. People know it by its own name; the PodGroup's is
// often made of a uid.

// "Job/train": who controls an object, or else its first owner. Empty: nobody owns it.
std::string workload_of(const ObjectMeta& meta);

// "train" of "Job/train".
std::string_view name_in_workload(std::string_view workload);

// A name of a workload, and the kind that has it, in lower case: people type it so.
struct WorkloadName {
  std::string kind;
  std::string name;
};
// Its own, and that of the Deployment or CronJob by which a ReplicaSet or a Job was made, as its name tells. None of an empty text.
std::vector<WorkloadName> workload_names(std::string_view workload);

// All that people may call a job "mine/podgroup-7f3e": that name, and those of what it was made for, "mine/train", "job/train" and
// "mine/job/train". In lower case, as the API server has names, so that what was typed is found in any case.
std::vector<std::string> names_of_job(std::string_view job, std::string_view workload);

// "mine/podgroup-7f3e (Job/train)": a job with what it was made for, where that has another name.
std::string with_workload(const std::string& job, std::string_view workload);

}  // namespace muster
