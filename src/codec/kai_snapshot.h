#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Under which key a snapshot has objects of which kind.
struct KaiSnapshotList {
  std::string_view key;
  std::string_view api_version;
  std::string_view kind;
};
std::span<const KaiSnapshotList> kai_snapshot_lists();

// What a snapshot is made of. The flags are all that a snapshot has, with their values.
struct KaiSnapshotContent {
  KaiSnapshotSettings settings;
  std::map<std::string, std::vector<std::string>, std::less<>> lists;  // by key: objects as JSON
  std::string server_version;                                          // as the API server tells it, JSON; empty: it is not known
};
// The file snapshot.json of the archive.
std::string kai_snapshot_text(const KaiSnapshotContent& content);

}  // namespace muster
