#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/kinds.h"

namespace muster::sim {

// What a real server has and this one has not, with the reason: requests for it are answered 501. Discovery says nothing of it, so
// that clients that look there first, as kubectl does, do not ask.

// "customresourcedefinitions.apiextensions.k8s.io is not served: …", of any version. Nothing for what Kubernetes does not know.
std::optional<std::string> unserved_kind(std::string_view group, std::string_view plural);

// "pods/exec is not served: …".
std::optional<std::string> unserved_subresource(const Kind& kind, std::string_view subresource);

}  // namespace muster::sim
