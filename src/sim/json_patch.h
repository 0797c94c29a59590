#pragma once

#include "sim/api_error.h"
#include "sim/tree.h"

namespace muster::sim {

// RFC 6902: a list of operations, all of which must succeed. A failed "test" and a path that is not there make the patch invalid
// (422), a document that is no patch is a bad request.
Answered<Tree> json_patched(Tree document, const Tree& patch);

// RFC 7386: null removes, maps merge, everything else replaces.
Tree merge_patched(Tree document, const Tree& patch);

}  // namespace muster::sim
