#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/node_obstacles.h"

namespace muster {

// What the pods of a node hold of something: together by job, and one by one where they have none. `held` says how much a pod has,
// nothing where it leaves and that counts as free later, and `name_of` what a job is called.
Holders holders_on(const Books& books, NodeId node, const std::function<double(PodId)>& held,
                   const std::function<std::string(GroupId)>& name_of);

// "4 of nvidia.com/gpu"
std::string amount_of(const std::string& resource, double amount);

// "product/serve holds 4 of nvidia.com/gpu"
std::string holders_text(const std::string& resource, const Holders& holders);

// "free 4 more of nvidia.com/gpu on gpu-2, the closest node (product/serve holds 4 of nvidia.com/gpu)", where the node is not named
// elsewhere. What the job itself holds there is not to be freed.
std::string freeing_text(const ClosestNode& closest, const std::string& own_job, bool names_node = true);

}  // namespace muster
