#include "codec/object_walk.h"

#include "base/assert.h"
#include "codec/json_syntax.h"
#include "model/quoted.h"

namespace muster {
namespace {

ObjectMeta& meta_of(Object& object) {
  return std::visit([](auto& o) -> ObjectMeta& { return o.meta; }, object);
}

// What the object at the beginning of a text is called, from a second look at it: the error may stand before its name, or in it.
std::string name_in(std::string_view text, std::string_view kind) {
  ObjectMeta meta;
  JsonDecoder json;
  const auto end = json_value_end(text, 0, kMaxDepth);
  MUSTER_ASSERT(end.has_value());
  json.document(text, 0, *end, [&](JsonValue& value) {
    return json.object(value, [&](std::string_view key, JsonValue& field) {
      if (key != "metadata" || !json.is_object(field)) return true;
      return json.object(field, [&](std::string_view inner, JsonValue& name) {
        if (inner == "name" && json.is_string(name)) return json.string(name, meta.name);
        if (inner == "namespace" && json.is_string(name)) return json.string(name, meta.ns);
        return true;
      });
    });
  });
  meta.name = shortened(meta.name);
  meta.ns = shortened(meta.ns);
  return object_name(kind, meta);
}

}  // namespace

bool ObjectWalk::read(JsonValue& value, TypeMeta inherited) {
  if (json_.is_array(value)) return json_.array(value, [&](JsonValue& item) { return read(item, inherited); });
  std::string api_version(inherited.api_version);
  std::string kind(inherited.kind);
  bool has_api_version = false;
  bool has_kind = false;
  const bool ok = json_.peek(value, [&](std::string_view key, JsonValue& field) {
    if (key == "kind" && json_.is_string(field)) has_kind = json_.string(field, kind);
    if (key == "apiVersion" && json_.is_string(field)) has_api_version = json_.string(field, api_version);
    return !(has_kind && has_api_version);
  });
  if (!ok) return false;
  if (kind.empty()) return json_.wrong(value, "has no kind, so it is not a Kubernetes object");
  if (api_version.empty()) return json_.wrong(value, "is a " + shortened(kind) + " without apiVersion");
  const TypeMeta type{api_version, kind};
  return kind.ends_with("List") ? read_list(value, type) : read_object(value, type);
}

// The items of a typed list, as the API itself returns it, do not repeat their kind.
bool ObjectWalk::read_list(JsonValue& value, TypeMeta type) {
  TypeMeta inherited = type;
  inherited.kind.remove_suffix(std::string_view("List").size());
  if (inherited.kind.empty()) inherited = {};
  return json_.object(value, [&](std::string_view key, JsonValue& field) {
    if (key != "items") return true;
    return json_.array(field, [&](JsonValue& item) { return read(item, inherited); });
  });
}

bool ObjectWalk::read_object(JsonValue& value, TypeMeta type) {
  const KindReader* reader = find_kind(type.api_version, type.kind);
  if (reader == nullptr) {
    ++stats_.skipped[std::string(type.api_version) + " " + std::string(type.kind)];
    return true;
  }
  return read_as(value, *reader);
}

bool ObjectWalk::read_as(JsonValue& value, const KindReader& reader) {
  Object object;
  if (!reader.read(json_, value, object)) return json_.failed_in(name_in(json_.rest(value), reader.kind));
  ObjectMeta& meta = meta_of(object);
  if (meta.name.empty()) {
    json_.missing(value, "metadata.name");
    return json_.failed_in(std::string(reader.kind));
  }
  if (reader.namespaced && meta.ns.empty()) meta.ns = "default";
  if (!json_.has_unknown()) return deliver(value, std::move(object));
  const auto name = object_name(object);
  const bool taken = deliver(value, std::move(object));
  note_unknown_fields(reader.kind, name);
  return taken;
}

// After the object itself was asked for its place: places are found fastest in the order of the text.
void ObjectWalk::note_unknown_fields(std::string_view kind, const std::string& object) {
  constexpr std::size_t kMost = 256;  // different ones
  for (const auto& field : json_.take_unknown()) {
    auto what = field.field + " is no field of a " + std::string(kind) + " and is passed over";
    if (!field.suggestion.empty()) what += "; did you mean " + quoted(field.suggestion) + "?";
    if (stats_.unknown_fields.size() >= kMost && !stats_.unknown_fields.contains(what)) continue;
    auto& known = stats_.unknown_fields[std::move(what)];
    if (known.count++ == 0) known = {positions_.at(field.offset), object, 1};
  }
}

bool ObjectWalk::deliver(JsonValue& value, Object&& object) {
  ++stats_.objects;
  auto taken = sink_(std::move(object), positions_.at(json_.offset(value)));
  return taken || json_.failed(std::move(taken.error()));
}

}  // namespace muster
