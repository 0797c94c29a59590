#pragma once

#include <string>
#include <string_view>

namespace muster {

// YAML in block style with the same content as a JSON text, which must be right: one that was written here, or read.
std::string yaml_of_json(std::string_view json);

}  // namespace muster
