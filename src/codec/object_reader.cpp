#include "codec/object_reader.h"

#include <array>

#include "codec/cache_dump.h"
#include "codec/json_decoder.h"
#include "codec/json_syntax.h"
#include "codec/kai_snapshot.h"
#include "codec/object_walk.h"
#include "codec/positions.h"
#include "codec/yaml_objects.h"

namespace muster {
namespace {

bool has_extension(std::string_view name, std::string_view extension) { return name.ends_with(extension); }

bool begins_container(std::string_view text, std::size_t offset) {
  return offset < text.size() && (text[offset] == '{' || text[offset] == '[');
}

// JSON is YAML too, but its own reader is far faster. A text that begins like JSON and does not go on like it may be YAML in flow
// style, unless its name says otherwise.
bool looks_like_json(const Input& input) {
  const std::string_view text = input.text();
  if (has_extension(input.name(), ".json") || has_extension(input.name(), ".jsonl")) return true;
  const std::size_t begin = skip_json_space(text, 0);
  if (!begins_container(text, begin)) return false;
  if (!has_extension(input.name(), ".yaml") && !has_extension(input.name(), ".yml")) return true;
  const auto end = json_value_end(text, begin, kMaxDepth);
  if (!end) return false;
  const std::size_t next = skip_json_space(text, *end);
  return next == text.size() || begins_container(text, next);
}

Result<ReadStats> read_json_objects(const Input& input, const ObjectSink& sink) {
  const std::string_view text = input.text();
  TextPositions positions(text, input.name());
  ReadStats stats;
  JsonDecoder json;
  ObjectWalk walk(json, positions, sink, stats);
  for (std::size_t at = skip_json_space(text, 0); at < text.size();) {
    const auto end = json_value_end(text, at, kMaxDepth);
    if (!end) return fail(Error(end.error().message, positions.at(end.error().offset)));
    if (!begins_container(text, at)) return fail(Error("must be an object or a list of objects", positions.at(at)));
    const bool ok = json.document(text, at, *end, [&](JsonValue& root) { return walk.read(root); });
    if (!ok) return fail(json.take_error(positions));
    at = skip_json_space(text, *end);
  }
  return stats;
}

// In the order of the variant's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Object>> kKindNames = {"Pod",
                                                                                  "Node",
                                                                                  "PodGroup",
                                                                                  "Queue",
                                                                                  "HyperNode",
                                                                                  "PriorityClass",
                                                                                  "ResourceQuota",
                                                                                  "PodDisruptionBudget",
                                                                                  "Namespace",
                                                                                  "StorageClass",
                                                                                  "PersistentVolume",
                                                                                  "PersistentVolumeClaim",
                                                                                  "CSINode",
                                                                                  "NodeShard",
                                                                                  "ResourceClaim",
                                                                                  "ResourceSlice",
                                                                                  "DeviceClass",
                                                                                  "Numatopology",
                                                                                  "ConfigMap",
                                                                                  "Queue",
                                                                                  "PodGroup",
                                                                                  "BindRequest",
                                                                                  "Topology",
                                                                                  "NodeResourceTopology",
                                                                                  "CSIDriver",
                                                                                  "CSIStorageCapacity"};

}  // namespace

void ReadStats::add(const ReadStats& other) {
  objects += other.objects;
  for (const auto& [kind, count] : other.skipped) skipped[kind] += count;
  for (const auto& [what, who] : other.unknown_fields) {
    auto& known = unknown_fields.try_emplace(what, Unknown{who.first, who.object, 0}).first->second;
    known.count += who.count;
  }
  notes.insert(notes.end(), other.notes.begin(), other.notes.end());
}

Result<ReadStats> read_objects(const Input& input, const ObjectSink& sink) {
  if (is_cache_dump(input)) return read_cache_dump(input, sink);
  if (is_kai_snapshot(input)) return read_kai_snapshot(input, sink);
  return looks_like_json(input) ? read_json_objects(input, sink) : read_yaml_objects(input, sink);
}

Result<ReadStats> read_objects_at(const std::string& path, const ObjectSink& sink) {
  const auto files = input_files(path);
  if (!files) return fail(files.error());
  ReadStats stats;
  for (const auto& file : *files) {
    const auto input = Input::read(file);
    if (!input) return fail(input.error());
    const auto read = read_objects(*input, sink);
    if (!read) return fail(read.error());
    stats.add(*read);
  }
  return stats;
}

Result<ReadStats> read_objects_text(std::string_view text, const std::string& file, const ObjectSink& sink) {
  const auto input = Input::of_text(text, file);
  if (!input) return fail(input.error());
  return read_objects(*input, sink);
}

std::string object_name(std::string_view kind, const ObjectMeta& meta) {
  std::string name(kind);
  if (meta.name.empty()) return name;
  name += ' ';
  if (!meta.ns.empty()) name.append(meta.ns).append("/");
  return name.append(meta.name);
}

std::string object_name(const Object& object) { return object_name(kKindNames[object.index()], meta_of(object)); }

const ObjectMeta& meta_of(const Object& object) {
  return std::visit([](const auto& o) -> const ObjectMeta& { return o.meta; }, object);
}

}  // namespace muster
