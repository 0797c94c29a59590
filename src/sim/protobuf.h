#pragma once

#include <string_view>

#include "sim/api_error.h"

namespace muster::sim {

// A body in application/vnd.kubernetes.protobuf as the object that it would be in JSON. A bad request is what is broken, has a
// field twice or one that protobuf_table.cpp does not have, or is of a kind that has no message there.
Answered<Tree> protobuf_body(std::string_view body);

}  // namespace muster::sim
