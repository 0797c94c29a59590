#pragma once

#include "codec/input.h"
#include "codec/object_reader.h"

namespace muster {

// read_objects() for YAML: each document becomes JSON for the one decoder of objects, with a map back to the lines of the file.
Result<ReadStats> read_yaml_objects(const Input& input, const ObjectSink& sink);

}  // namespace muster
