#include "codec/cache_dump.h"

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/assert.h"
#include "codec/json_decoder.h"
#include "codec/json_syntax.h"
#include "codec/object_walk.h"
#include "codec/positions.h"

namespace muster {
namespace {

const KindReader& known_kind(std::string_view api_version, std::string_view kind) {
  const KindReader* reader = find_kind(api_version, kind);
  MUSTER_ASSERT(reader != nullptr);
  return *reader;
}

constexpr KindReader kFlatPodGroup = {
    "scheduling.volcano.sh/v1beta1", "PodGroup", true,
    [](JsonDecoder& json, JsonValue& value, Object& out) { return read_flat_pod_group(json, value, out.emplace<PodGroup>()); }};

// The beginning of a JSON text, token by token: enough to recognise it without reading all of it.
class Prefix {
 public:
  explicit Prefix(std::string_view text) : text_(text) {}

  bool skip(char c) { return skip_text(std::string_view(&c, 1)); }
  bool skip_text(std::string_view token) {
    at_ = skip_json_space(text_, at_);
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool skip_string() {
    at_ = skip_json_space(text_, at_);
    if (!text_.substr(at_).starts_with('"')) return false;
    const auto end = json_value_end(text_, at_, kMaxDepth);
    if (end) at_ = *end;
    return end.has_value();
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Turns the maps of a dump into objects. The same pod stands under its node and under its job; the first one counts.
class DumpReader {
 public:
  DumpReader(const Input& input, const ObjectSink& sink)
      : text_(input.text()),
        positions_(text_, input.name()),
        sink_(sink),
        filter_([this](Object&& object, const Location& where) { return take(std::move(object), where); }),
        walk_(json_, positions_, filter_, stats_) {}

  Result<ReadStats> read();

 private:
  // What the walk is in: a node, a HyperNode or a job.
  struct Entry {
    std::string name;
    bool is_node = false;
    std::int32_t priority = 0;
    std::string priority_class;
  };

  bool read_map(JsonValue& root);
  bool read_entry(std::string_view name, JsonValue& value);
  bool read_tasks(JsonValue& value);
  Result<void> take(Object&& object, const Location& where);
  Result<void> make_up_the_rest();

  std::string_view text_;
  TextPositions positions_;
  const ObjectSink& sink_;
  ObjectSink filter_;
  ReadStats stats_;
  JsonDecoder json_;
  ObjectWalk walk_;
  Entry entry_;
  std::set<std::string> pods_;
  std::set<std::string> queues_;
  std::map<std::string, std::int32_t> priority_classes_;
  std::uint64_t repeated_ = 0;
};

Result<ReadStats> DumpReader::read() {
  for (std::size_t at = skip_json_space(text_, 0); at < text_.size();) {
    const auto end = json_value_end(text_, at, kMaxDepth);
    if (!end) return fail(Error(end.error().message, positions_.at(end.error().offset)));
    const bool is_map = text_[at] == '{';  // an empty map may be written as null
    if (is_map && !json_.document(text_, at, *end, [&](JsonValue& root) { return read_map(root); }))
      return fail(json_.take_error(positions_));
    at = skip_json_space(text_, *end);
  }
  stats_.objects -= repeated_;
  if (auto made = make_up_the_rest(); !made) return fail(std::move(made.error()));
  return std::move(stats_);
}

bool DumpReader::read_map(JsonValue& root) {
  return json_.object(root, [&](std::string_view name, JsonValue& value) {
    return !json_.is_object(value) || read_entry(name, value);  // maps of numbers are of no use here
  });
}

// Nodes, HyperNodes and jobs are told apart by what they hold. Names of Kubernetes objects have no capitals, so the keys cannot
// be meant otherwise.
bool DumpReader::read_entry(std::string_view name, JsonValue& value) {
  entry_ = Entry();
  entry_.name = name;
  const bool ok = json_.object(value, [&](std::string_view key, JsonValue& field) {
    if (key == "Node") {
      entry_.is_node = true;
      return walk_.read_as(field, known_kind("v1", "Node"));
    }
    if (key == "HyperNode") return walk_.read_as(field, known_kind("topology.volcano.sh/v1alpha1", "HyperNode"));
    if (key == "PodGroup") return walk_.read_as(field, kFlatPodGroup);
    if (key == "Priority") return json_.integer(field, entry_.priority);
    if (key == "Tasks") return read_tasks(field);
    return true;
  });
  if (!entry_.priority_class.empty()) priority_classes_.emplace(entry_.priority_class, entry_.priority);
  return ok;
}

bool DumpReader::read_tasks(JsonValue& value) {
  return json_.object(value, [&](std::string_view, JsonValue& task) {
    return json_.object(task, [&](std::string_view key, JsonValue& field) {
      return key != "Pod" || walk_.read_as(field, known_kind("v1", "Pod"));
    });
  });
}

Result<void> DumpReader::take(Object&& object, const Location& where) {
  if (auto* group = std::get_if<PodGroup>(&object)) {
    queues_.insert(group->queue);
    entry_.priority_class = group->priority_class;
  }
  if (auto* pod = std::get_if<Pod>(&object)) {
    if (!pods_.insert(pod->meta.ns + "/" + pod->meta.name).second) {
      ++repeated_;
      return {};
    }
    // A pod whose binding is under way has its node in the cache only.
    if (entry_.is_node && pod->spec.node_name.empty()) pod->spec.node_name = entry_.name;
  }
  return sink_(std::move(object), where);
}

Result<void> DumpReader::make_up_the_rest() {
  const Location nowhere{positions_.at(0).file, 0, 0};
  for (const auto& name : queues_) {
    if (name.empty()) continue;
    Queue queue;
    queue.meta.name = name;
    queue.weight = 1;
    queue.state = "Open";
    ++stats_.objects;
    if (auto taken = sink_(std::move(queue), nowhere); !taken) return taken;
    stats_.notes.push_back("the snapshot holds no queues: " + name + " is taken to be open with weight 1");
  }
  for (const auto& [name, value] : priority_classes_) {
    PriorityClass priority;
    priority.meta.name = name;
    priority.value = value;
    ++stats_.objects;
    if (auto taken = sink_(std::move(priority), nowhere); !taken) return taken;
    stats_.notes.push_back("the snapshot holds no priority classes: " + name + " is " + std::to_string(value) +
                           ", as its jobs have it");
  }
  return {};
}

}  // namespace

bool is_cache_dump(const Input& input) {
  // The first document maps names to nodes, and "Name" is the first thing that a node has: {"n1":{"Name":"n1","Node":{
  Prefix prefix(input.text());
  return prefix.skip('{') && prefix.skip_string() && prefix.skip(':') && prefix.skip('{') && prefix.skip_text("\"Name\"");
}

Result<ReadStats> read_cache_dump(const Input& input, const ObjectSink& sink) { return DumpReader(input, sink).read(); }

}  // namespace muster
