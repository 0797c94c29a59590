#pragma once

#include <string>
#include <string_view>

#include "sim/api_error.h"
#include "sim/kinds.h"

namespace muster::sim {

// What the path of a request is about.
struct ResourcePath {
  const Kind* kind = nullptr;
  std::string ns = {};  // empty for the whole cluster
  std::string name = {};
  std::string subresource = {};
  bool is_bindings = false;  // POST …/bindings, which names the pod in its body
};

// "/api/v1/namespaces/a/pods/b/status", "/apis/batch/v1/jobs". 501 for kinds of Kubernetes that are not served, 404 for all others.
Answered<ResourcePath> parse_resource_path(std::string_view path);

}  // namespace muster::sim
