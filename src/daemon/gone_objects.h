#pragma once

#include "kube/object_decoder.h"
#include "kube/resource_kinds.h"
#include "model/gone_object.h"

namespace muster::daemon {

// A deleted object of a kind that is followed.
GoneObject gone_object(const kube::ResourceKind& kind, const kube::Identity& id);

}  // namespace muster::daemon
