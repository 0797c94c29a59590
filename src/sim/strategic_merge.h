#pragma once

#include "sim/api_error.h"
#include "sim/tree.h"

namespace muster::sim {

// Kubernetes' strategic merge: a merge patch in which lists whose items have keys are merged item by item (list_keys.h), with the
// directives $patch (replace, delete, merge), $retainKeys, $deleteFromPrimitiveList and $setElementOrder. Fails on a directive that
// is none.
Answered<Tree> strategically_merged(Tree document, const Tree& patch);

}  // namespace muster::sim
