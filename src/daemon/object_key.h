#pragma once

#include <string>

#include "kube/object_decoder.h"
#include "model/meta.h"

namespace muster::daemon {

// namespace/name, by which objects of one kind are told apart and ordered.
inline std::string key_of(const ObjectMeta& meta) { return meta.ns + "/" + meta.name; }
inline std::string key_of(const kube::Identity& id) { return id.ns + "/" + id.name; }

}  // namespace muster::daemon
