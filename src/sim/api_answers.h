#pragma once

#include "server/message.h"
#include "sim/api_error.h"
#include "sim/paths.h"

namespace muster::sim {

server::Response error_answer(const ApiError& error);
ApiError wrong_method(const server::Request& request, const ResourcePath& path);

}  // namespace muster::sim
