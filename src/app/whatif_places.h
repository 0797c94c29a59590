#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/config_dialect.h"
#include "app/fits_if.h"
#include "model/objects.h"

namespace muster {

// What of a job's PodGroup, of either dialect, may be changed to make it fit, and to what: among the objects of a question, in a
// cluster of these objects. A job is named "namespace/name"; of one whose PodGroup is not part of the question nothing can be
// changed.

// Levels of the topology that are wider than the one that the job has to be within, from the nearest to none at all, which is "".
std::vector<FitsIf::Part> wider_levels(const std::vector<Object>& cluster, const std::vector<Object>& question,
                                       const std::string& job);
void allow_level(std::vector<Object>& question, const std::string& job, const FitsIf::Part& level);

// Queues that could take the job, and the one that it names: first what was probably meant by one that does not exist, or those
// below one that takes no jobs, then by name.
struct OtherQueues {
  std::string own;
  std::vector<std::string> names;
};
OtherQueues other_queues(const std::vector<Object>& cluster, const std::vector<Object>& question, const std::string& job);
void set_queue(std::vector<Object>& question, const std::string& job, const std::string& queue);

// The most of a resource that a node of the cluster has; nothing: none has any.
std::optional<Quantity> most_on_a_node(const std::vector<Object>& cluster, const std::string& resource);

// spec.minMember; 0: there is none that could be lowered.
std::int32_t minimum_of(const std::vector<Object>& question, const std::string& job);
// With spec.minResources, if there are any, in proportion, and with the minimums of roles where these matter and would be more
// together.
std::vector<FitsIf::Part> set_minimum(std::vector<Object>& question, const std::string& job, std::int32_t minimum);

// What such parts say of a role; nothing: something else.
struct RoleMinimum {
  std::string role;
  std::int32_t less = 0;  // by so many
};
std::optional<RoleMinimum> role_in(const FitsIf::Part& part);

// A job of the cluster that has pods on nodes.
struct RunningJob {
  std::string name;
  std::size_t pods = 0;           // on nodes
  std::set<std::string> objects;  // all that it is made of, as object_name() calls them
};
std::vector<RunningJob> running_jobs(const std::vector<Object>& cluster, Dialect dialect);

}  // namespace muster
