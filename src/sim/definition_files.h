#pragma once

#include <span>
#include <string_view>

namespace muster::sim {

// A CustomResourceDefinition in YAML: those of deploy/crds, and those of src/sim/definitions, of kinds that others install. The
// build puts them in.
struct DefinitionFile {
  std::string_view path;  // in the repository
  std::string_view text;
};

std::span<const DefinitionFile> definition_files();

}  // namespace muster::sim
