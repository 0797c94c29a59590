#pragma once

// One reader per kind of API object. Each follows JsonDecoder's convention.

#include <string_view>

#include "codec/json_decoder.h"
#include "codec/json_writer.h"
#include "model/objects.h"

namespace muster {

bool read_kind(JsonDecoder& json, JsonValue& value, Pod& out);

bool read_kind(JsonDecoder& json, JsonValue& value, Node& out);
bool read_kind(JsonDecoder& json, JsonValue& value, Namespace& out);
bool read_kind(JsonDecoder& json, JsonValue& value, ResourceQuota& out);
bool read_kind(JsonDecoder& json, JsonValue& value, PriorityClass& out);
bool read_kind(JsonDecoder& json, JsonValue& value, PodDisruptionBudget& out);
bool read_kind(JsonDecoder& json, JsonValue& value, ConfigMap& out);

bool read_kind(JsonDecoder& json, JsonValue& value, PersistentVolume& out);
bool read_kind(JsonDecoder& json, JsonValue& value, PersistentVolumeClaim& out);
bool read_kind(JsonDecoder& json, JsonValue& value, StorageClass& out);
bool read_kind(JsonDecoder& json, JsonValue& value, CsiNode& out);
bool read_kind(JsonDecoder& json, JsonValue& value, CsiDriver& out);
bool read_kind(JsonDecoder& json, JsonValue& value, CsiStorageCapacity& out);

bool read_kind(JsonDecoder& json, JsonValue& value, ResourceClaim& out);
bool read_kind(JsonDecoder& json, JsonValue& value, ResourceSlice& out);
bool read_kind(JsonDecoder& json, JsonValue& value, DeviceClass& out);

bool read_kind(JsonDecoder& json, JsonValue& value, PodGroup& out);
bool read_kind(JsonDecoder& json, JsonValue& value, Queue& out);
bool read_kind(JsonDecoder& json, JsonValue& value, HyperNode& out);
bool read_kind(JsonDecoder& json, JsonValue& value, NodeShard& out);
bool read_kind(JsonDecoder& json, JsonValue& value, Numatopology& out);

bool read_kind(JsonDecoder& json, JsonValue& value, KaiQueue& out);
bool read_kind(JsonDecoder& json, JsonValue& value, KaiPodGroup& out);
bool read_kind(JsonDecoder& json, JsonValue& value, BindRequest& out);
bool read_kind(JsonDecoder& json, JsonValue& value, KaiTopology& out);
bool read_kind(JsonDecoder& json, JsonValue& value, NodeResourceTopology& out);

// The devices that a claim was given, wherever that is written.
bool read_device_allocation(JsonDecoder& json, JsonValue& value, DeviceAllocation& out);

// Shares of NUMA zones as a BindRequest has them, and as the text of an annotation; nothing where that is not such a list.
bool read_numa_zones(JsonDecoder& json, JsonValue& value, std::vector<NumaZoneShare>& out);
std::vector<NumaZoneShare> numa_zones_of(std::string_view annotation);
// As they are read.
void write_numa_zones(JsonWriter& json, const std::vector<NumaZoneShare>& zones);

// A PodGroup as Volcano's scheduler keeps it in memory: its metadata beside spec and status instead of in a field of its own.
bool read_flat_pod_group(JsonDecoder& json, JsonValue& value, PodGroup& out);

struct KindReader {
  std::string_view api_version;
  std::string_view kind;
  bool namespaced;
  bool (*read)(JsonDecoder& json, JsonValue& value, Object& out);
};

// The reader of a kind, or nullptr for kinds that muster does not read.
const KindReader* find_kind(std::string_view api_version, std::string_view kind);

// Whose custom resources count: what belongs to the other scheduler was hardly meant.
enum class Api { kVolcano, kKai };

// The kind that one which muster does not read was probably meant to be: mistyped, or of another version or group. nullptr: none.
const KindReader* near_kind(std::string_view api_version, std::string_view kind, Api api);

}  // namespace muster
