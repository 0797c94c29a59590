#pragma once

#include <string>

#include "policy/kai/session.h"

namespace muster {

// "namespace/name"; a job of which there are only pods has their namespace.
std::string full_name(const kai::Session& session, const kai::Job& job);

}  // namespace muster
