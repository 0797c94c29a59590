#include "grouping/object.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/split.h"

namespace muster::grouping {
namespace {

bool is_true(const Json* value) { return value != nullptr && value->kind == Json::Kind::kBool && value->raw == "true"; }

std::vector<OwnerReference> owners_of(const Json& root) {
  std::vector<OwnerReference> out;
  const auto* list = json_at(&root, "metadata.ownerReferences");
  if (list == nullptr) return out;
  for (const auto& one : list->items) {
    OwnerReference owner;
    owner.kind = ObjectKind::of(text_at(&one, "apiVersion"), text_at(&one, "kind"));
    owner.name = text_at(&one, "name");
    owner.uid = text_at(&one, "uid");
    owner.is_controller = is_true(one.find("controller"));
    owner.blocks_deletion = is_true(one.find("blockOwnerDeletion"));
    out.push_back(std::move(owner));
  }
  return out;
}

}  // namespace

ObjectKind ObjectKind::of(std::string_view api_version, std::string_view kind) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", std::string(api_version), std::string(kind)};
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1)), std::string(kind)};
}

std::optional<Object> Object::read(std::string text, ObjectKind kind) {
  auto content = std::make_shared<Content>();
  content->text = std::move(text);
  auto root = read_json(content->text, kObjectDepth);
  if (!root || root->kind != Json::Kind::kMap) return std::nullopt;
  content->root = std::move(*root);
  Object out;
  out.kind = std::move(kind);
  const auto* metadata = content->root.find("metadata");
  out.ns = muster::text_at(metadata, "namespace");
  out.name = muster::text_at(metadata, "name");
  out.uid = muster::text_at(metadata, "uid");
  out.is_deleting = !muster::text_at(metadata, "deletionTimestamp").empty();
  out.labels = json_texts(json_at(metadata, "labels"));
  out.annotations = json_texts(json_at(metadata, "annotations"));
  out.owners = owners_of(content->root);
  out.content_ = std::move(content);
  return out;
}

std::optional<std::string> Object::label(std::string_view key) const { return text_of(labels, key); }
std::optional<std::string> Object::annotation(std::string_view key) const { return text_of(annotations, key); }
const Json* Object::at(std::string_view path) const { return json_at(&content_->root, path); }
std::string Object::text_at(std::string_view path) const { return json_text_at(&content_->root, path); }
std::optional<std::int64_t> Object::integer_at(std::string_view path) const { return json_integer_at(&content_->root, path); }
OwnerReference Object::reference() const { return {kind, name, uid}; }

const Json* json_at(const Json* from, std::string_view path) {
  for (const auto step : split(path, '.')) {
    from = from == nullptr ? nullptr : from->find(step);
    if (from != nullptr && from->kind == Json::Kind::kNull) from = nullptr;
  }
  return from;
}

std::string json_text_at(const Json* from, std::string_view path) {
  const auto* found = json_at(from, path);
  return found == nullptr ? std::string() : found->text;
}

std::optional<std::int64_t> json_integer_at(const Json* from, std::string_view path) {
  const auto* found = json_at(from, path);
  return found == nullptr ? std::nullopt : found->as_int();
}

Texts json_texts(const Json* map) {
  Texts out;
  if (map == nullptr) return out;
  for (const auto& [key, value] : map->members)
    if (value.kind == Json::Kind::kString) out[key] = value.text;
  return out;
}

bool json_equal(const Json& a, const Json& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Json::Kind::kNull: return true;
    case Json::Kind::kBool:
    case Json::Kind::kNumber: return a.raw == b.raw;
    case Json::Kind::kString: return a.text == b.text;
    case Json::Kind::kList: return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), json_equal);
    case Json::Kind::kMap: break;
  }
  if (a.members.size() != b.members.size()) return false;
  return std::all_of(a.members.begin(), a.members.end(), [&](const auto& one) {
    const auto* other = b.find(one.key);
    return other != nullptr && json_equal(one.value, *other);
  });
}

std::optional<std::string> text_of(const Texts& texts, std::string_view key) {
  const auto found = texts.find(key);
  return found == texts.end() ? std::nullopt : std::optional(found->second);
}

std::string texts_json(const Texts& texts) {
  std::string out = "{";
  for (const auto& [key, value] : texts)
    out += fmt::format("{}{}:{}", out.size() > 1 ? "," : "", json_string(key), json_string(value));
  return out + "}";
}

std::string references_json(const std::vector<OwnerReference>& owners) {
  std::string out = "[";
  for (const auto& owner : owners) {
    out += fmt::format(R"({}{{"apiVersion":{},"kind":{},"name":{},"uid":{})", out.size() > 1 ? "," : "",
                       json_string(owner.kind.api_version()), json_string(owner.kind.kind), json_string(owner.name),
                       json_string(owner.uid));
    if (owner.is_controller) out += R"(,"controller":true)";
    if (owner.blocks_deletion) out += R"(,"blockOwnerDeletion":true)";
    out += "}";
  }
  return out + "]";
}

}  // namespace muster::grouping
