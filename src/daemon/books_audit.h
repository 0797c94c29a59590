#pragma once

#include <string>

#include "engine/books.h"
#include "model/objects.h"

namespace muster::daemon {

// What the books have otherwise than an object that was read anew and was told in just this version, in words; empty: nothing. They
// look at what both dialects keep as the object has it.
std::string difference_of(const Books& books, NodeId id, const Node& node);
// Nobody has assumed anything of the pod.
std::string difference_of(const Books& books, PodId id, const Pod& pod);

}  // namespace muster::daemon
