#pragma once

#include <map>
#include <string>

#include "codec/input.h"
#include "codec/object_reader.h"

namespace muster {

// What the plugin `snapshot` of KAI's scheduler gives out at /get-snapshot: a zip archive, which an Input unpacks, of one JSON
// object with the objects that the scheduler sees, its configuration and its flags. What queues used in the past is not in it.
bool is_kai_snapshot(const Input& input);
Result<ReadStats> read_kai_snapshot(const Input& input, const ObjectSink& sink);

// How the scheduler was set up that a snapshot is of.
struct KaiSnapshotSettings {
  std::string config;                        // its configuration, as JSON; empty: it has none
  std::map<std::string, std::string> flags;  // by name, as on its command line
};
Result<KaiSnapshotSettings> read_kai_snapshot_settings(const Input& input);

}  // namespace muster
