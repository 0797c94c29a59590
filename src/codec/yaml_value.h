#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/value.h"

namespace muster {

// Reads one YAML document into a tree of values that remember their line and column. Plain scalars are typed as the YAML 1.1
// reader that Kubernetes tools use does it: y/yes/on/true and their opposites are booleans, 0x1F, 0o17, 017, 0b101 and 1_000
// are integers, .inf and .nan are floats, ~ and null are null; quoted scalars are always strings. Aliases and merge keys (<<) are
// expanded within a bound.
//
// An empty text is null. Errors, with line and column: bad syntax, duplicate keys, unknown anchors, an alias inside what it
// names, too much expansion, too deep nesting, more than one document.
Result<Value> read_yaml_value(std::string_view text, const std::string& file);

}  // namespace muster
