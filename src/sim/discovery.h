#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::sim {

// What clients ask first: which groups, versions and kinds there are, in the old form (one answer per group and version) and in the
// aggregated one, when the Accept header asks for it. Also /version.
struct DiscoveryAnswer {
  std::string body;
  std::string content_type = "application/json";
};
// Nothing when the path is none of discovery's.
std::optional<DiscoveryAnswer> discovery(std::string_view path, std::string_view accept);

// OpenAPI v3, as far as kubectl needs it to apply and to create: which kinds there are, that they can be patched, and that the
// server checks fields itself. Without the fields of the kinds: `kubectl explain` finds none.
std::optional<std::string> openapi(std::string_view path);

// OpenAPI v2, which kubectl asks for when it reads a `kind: List`: a document without definitions, in the only form that it takes.
DiscoveryAnswer openapi_v2();

}  // namespace muster::sim
