#include "codec/kai_snapshot.h"

#include <algorithm>
#include <array>

#include "codec/json_decoder.h"
#include "codec/json_syntax.h"
#include "codec/json_writer.h"
#include "codec/kinds.h"
#include "codec/object_walk.h"
#include "codec/positions.h"
#include "model/time.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kParts = {"config", "schedulerParams", "rawObjects", "discovery"};

constexpr KaiSnapshotList kLists[] = {
    {"pods", "v1", "Pod"},
    {"nodes", "v1", "Node"},
    {"queues", "scheduling.run.ai/v2", "Queue"},
    {"podGroups", "scheduling.run.ai/v2alpha2", "PodGroup"},
    {"bindRequests", "scheduling.run.ai/v1alpha2", "BindRequest"},
    {"priorityClasses", "scheduling.k8s.io/v1", "PriorityClass"},
    {"configMaps", "v1", "ConfigMap"},
    {"persistentVolumes", "v1", "PersistentVolume"},
    {"persistentVolumeClaims", "v1", "PersistentVolumeClaim"},
    {"csiStorageCapacities", "storage.k8s.io/v1", "CSIStorageCapacity"},
    {"storageClasses", "storage.k8s.io/v1", "StorageClass"},
    {"csiDrivers", "storage.k8s.io/v1", "CSIDriver"},
    {"resourceClaims", "resource.k8s.io/v1", "ResourceClaim"},
    {"resourceSlices", "resource.k8s.io/v1", "ResourceSlice"},
    {"deviceClasses", "resource.k8s.io/v1", "DeviceClass"},
    {"topologies", "kai.scheduler/v1alpha1", "Topology"},
    {"nodeResourceTopologies", "topology.node.k8s.io/v1alpha2", "NodeResourceTopology"},
};

// Parameters of the original that change no decision.
constexpr std::array<std::string_view, 4> kOtherParams = {"numOfStatusRecordingWorkers", "schedulePeriod", "detailedFitErrors",
                                                          "updatePodEvictionCondition"};
constexpr std::array<std::string_view, 4> kPlainParams = {"schedulerName", "queueLabelKey", "partitionParams",
                                                          "maxNumberConsolidationPreemptees"};

// The original leaves out what is false, zero or empty, so these count where nothing is written.
constexpr std::pair<std::string_view, std::string_view> kSwitches[] = {
    {"restrictSchedulingNodes", "restrict-node-scheduling"},      {"scheduleCSIStorage", "schedule-csi-storage"},
    {"useSchedulingSignatures", "use-scheduling-signatures"},     {"fullHierarchyFairness", "full-hierarchy-fairness"},
    {"allowConsolidatingReclaim", "allow-consolidating-reclaim"},
};
constexpr std::pair<std::string_view, std::string_view> kDurations[] = {
    {"globalDefaultStalenessGracePeriod", "default-staleness-grace-period"},
    {"stuckInReleasingThreshold", "stuck-in-releasing-threshold"},
};

using Flags = std::map<std::string, std::string>;

bool read_pool(JsonDecoder& json, JsonValue& value, Flags& flags) {
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "NodePoolLabelKey") return json.string(field, flags["nodepool-label-key"]);
    if (key == "NodePoolLabelValue") return json.string(field, flags["partition-label-value"]);
    return true;
  });
}

bool read_params(JsonDecoder& json, JsonValue& value, Flags& flags) {
  for (const auto& [key, flag] : kSwitches) flags[std::string(flag)] = "false";
  for (const auto& [key, flag] : kDurations) flags[std::string(flag)] = "0s";
  flags["max-consolidation-preemptees"] = "0";
  return json.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "schedulerName") return json.string(field, flags["scheduler-name"]);
    if (key == "queueLabelKey") return json.string(field, flags["queue-label-key"]);
    if (key == "partitionParams") return read_pool(json, field, flags);
    if (key == "maxNumberConsolidationPreemptees") return json.scalar_text(field, flags["max-consolidation-preemptees"]);
    for (const auto& [name, flag] : kSwitches)
      if (key == name) return json.scalar_text(field, flags[std::string(flag)]);
    for (const auto& [name, flag] : kDurations) {
      if (key != name) continue;
      std::int64_t nanoseconds = 0;
      if (!json.integer(field, nanoseconds)) return false;
      flags[std::string(flag)] = std::to_string(nanoseconds) + "ns";
      return true;
    }
    return true;
  });
}

std::vector<std::string_view> list_names() {
  std::vector<std::string_view> names;
  for (const auto& list : kLists) names.push_back(list.key);
  return names;
}

std::vector<std::string_view> param_names() {
  std::vector<std::string_view> names(kOtherParams.begin(), kOtherParams.end());
  names.insert(names.end(), kPlainParams.begin(), kPlainParams.end());
  for (const auto& [name, flag] : kSwitches) names.push_back(name);
  for (const auto& [name, flag] : kDurations) names.push_back(name);
  return names;
}

// Walks the one document; on_part(key, value) gets its parts.
template <class F>
Result<void> walk(const Input& input, JsonDecoder& json, Positions& positions, F&& on_part) {
  const auto text = input.text();
  const auto begin = skip_json_space(text, 0);
  const auto end = json_value_end(text, begin, kMaxDepth);
  if (!end) return fail(Error(end.error().message, positions.at(end.error().offset)));
  const auto rest = skip_json_space(text, *end);
  if (rest != text.size()) return fail(Error("nothing may follow a snapshot", positions.at(rest)));
  if (!json.document(text, begin, *end, [&](JsonValue& root) { return json.object(root, on_part); }))
    return fail(json.take_error(positions));
  return {};
}

void write_snapshot_params(JsonWriter& json, const Flags& flags) {
  const auto text = [&](std::string_view flag) {
    const auto found = flags.find(std::string(flag));
    return found == flags.end() ? std::string() : found->second;
  };
  json.key("schedulerParams").begin_object().member("schedulerName", text("scheduler-name"));
  json.key("partitionParams").begin_object().member("NodePoolLabelKey", text("nodepool-label-key"));
  json.member("NodePoolLabelValue", text("partition-label-value")).end_object();
  json.member("queueLabelKey", text("queue-label-key"));
  json.key("maxNumberConsolidationPreemptees")
      .raw(text("max-consolidation-preemptees").empty() ? "0" : text("max-consolidation-preemptees"));
  for (const auto& [key, flag] : kSwitches) json.member(key, text(flag) == "true");
  for (const auto& [key, flag] : kDurations) json.member(key, parse_go_duration(text(flag)).value_or(0));
  json.end_object();
}

}  // namespace

std::span<const KaiSnapshotList> kai_snapshot_lists() { return kLists; }

std::string kai_snapshot_text(const KaiSnapshotContent& content) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  if (!content.settings.config.empty()) json.key("config").raw(content.settings.config);
  write_snapshot_params(json, content.settings.flags);
  json.key("rawObjects").begin_object();
  for (const auto& list : kLists) {
    json.key(list.key).begin_array();
    if (const auto found = content.lists.find(list.key); found != content.lists.end())
      for (const auto& object : found->second) json.raw(object);
    json.end_array();
  }
  json.end_object().key("discovery").begin_object();
  if (!content.server_version.empty()) json.key("serverVersion").raw(content.server_version);
  json.end_object().end_object();
  return out;
}

bool is_kai_snapshot(const Input& input) {
  const auto text = input.text();
  const auto brace = skip_json_space(text, 0);
  if (brace >= text.size() || text[brace] != '{') return false;
  const auto key = skip_json_space(text, brace + 1);
  return std::ranges::any_of(kParts, [&](std::string_view part) {
    return text.substr(std::min(key, text.size())).starts_with("\"" + std::string(part) + "\"");
  });
}

Result<ReadStats> read_kai_snapshot(const Input& input, const ObjectSink& sink) {
  TextPositions positions(input.text(), input.name());
  JsonDecoder json;
  ReadStats stats;
  ObjectWalk objects(json, positions, sink, stats);
  const auto note = [&](JsonValue& field, std::string_view path, std::string_view key, std::span<const std::string_view> known) {
    json.unknown(field, path, key, known);
    objects.note_unknown_fields("snapshot", "the snapshot");
    return true;
  };
  const auto read_list = [&](std::string_view key, JsonValue& list) {
    const auto* known = std::ranges::find(kLists, key, &KaiSnapshotList::key);
    if (known == std::end(kLists)) return note(list, "rawObjects", key, list_names());
    const auto* reader = find_kind(known->api_version, known->kind);
    return json.array(list, [&](JsonValue& item) { return objects.read_as(item, *reader); });
  };
  const auto done = walk(input, json, positions, [&](std::string_view key, JsonValue& part) {
    if (key == "rawObjects") return json.object(part, read_list);
    if (key == "schedulerParams")
      return json.object(part, [&](std::string_view name, JsonValue& field) {
        const auto known = param_names();
        return std::ranges::find(known, name) != known.end() || note(field, "schedulerParams", name, known);
      });
    return std::ranges::find(kParts, key) != kParts.end() || note(part, "", key, kParts);
  });
  if (!done) return fail(done.error());
  return stats;
}

Result<KaiSnapshotSettings> read_kai_snapshot_settings(const Input& input) {
  TextPositions positions(input.text(), input.name());
  JsonDecoder json;
  KaiSnapshotSettings settings;
  const auto done = walk(input, json, positions, [&](std::string_view key, JsonValue& part) {
    if (key == "config") {
      const auto rest = json.rest(part);
      if (const auto end = json_value_end(rest, 0, kMaxDepth)) settings.config = rest.substr(0, *end);
    }
    return key != "schedulerParams" || read_params(json, part, settings.flags);
  });
  if (!done) return fail(done.error());
  return settings;
}

}  // namespace muster
