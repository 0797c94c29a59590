#pragma once

#include <string>
#include <vector>

#include "policy/volcano/cluster.h"

namespace muster {

// What of HyperNodes is legal and hardly meant, one sentence each: patterns that cannot be read, members that are not there, nodes
// that are in two HyperNodes of one tier, HyperNodes that contradict each other. The cluster must have settled.
void note_hyper_nodes(const volcano::Cluster& cluster, const std::vector<HyperNode>& objects, std::vector<std::string>& notes);

// "rack-1 and rack-2 both list node-group-3".
std::string conflict_text(const volcano::HyperTree& tree, const volcano::HyperTree::Conflict& conflict);

}  // namespace muster
