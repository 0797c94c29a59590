#include "codec/unread_kinds.h"

#include "codec/json_syntax.h"
#include "codec/json_writer.h"
#include "codec/kinds.h"
#include "codec/yaml_documents.h"
#include "codec/yaml_scalar.h"

namespace muster {
namespace {

struct PlainJson {
  JsonWriter& json;

  void write(const Value& value) const { std::visit(*this, value.data()); }
  void operator()(std::monostate) const { json.null(); }
  void operator()(bool data) const { json.value(data); }
  void operator()(std::int64_t data) const { json.value(data); }
  void operator()(const std::string& data) const { json.value(data); }
  void operator()(double data) const { json.value(data); }
  void operator()(const Value::List& data) const {
    json.begin_array();
    for (const auto& item : data) write(item);
    json.end_array();
  }
  void operator()(const Value::Map& data) const {
    json.begin_object();
    for (const auto& [key, item] : data) {
      json.key(scalar_text(key));
      write(item);
    }
    json.end_object();
  }
};

struct InheritedType {
  std::string api_version;
  std::string kind;
};

// Objects, Lists and lists, as ObjectWalk goes through them.
void take_unread(const Value& value, const InheritedType& inherited, std::vector<UnreadObject>& out) {
  constexpr std::string_view kList = "List";
  if (const auto* items = value.as_list()) {
    for (const auto& item : *items) take_unread(item, inherited, out);
    return;
  }
  auto type = inherited;
  const auto take = [&](std::string_view field, std::string& to) {
    const auto* found = value.find(field);
    if (found != nullptr && found->as_string() != nullptr) to = *found->as_string();
  };
  take("apiVersion", type.api_version);
  take("kind", type.kind);
  if (type.kind.ends_with(kList)) {
    type.kind.resize(type.kind.size() - kList.size());
    if (type.kind.empty()) type = {};
    if (const auto* items = value.find("items")) take_unread(*items, type, out);
    return;
  }
  if (value.as_map() == nullptr || find_kind(type.api_version, type.kind) != nullptr) return;
  auto& object = out.emplace_back(UnreadObject{std::move(type.api_version), std::move(type.kind), {}});
  JsonWriter json(object.json);
  PlainJson{json}.write(value);
}

Result<void> take_documents(std::string_view text, const std::string& name, std::vector<UnreadObject>& out) {
  YamlDocuments documents(text, name);
  while (true) {
    const auto document = documents.next();
    if (!document) return fail(document.error());
    if (!*document) return {};
    take_unread(**document, {}, out);
  }
}

// Where each of the JSON values ends that a text consists of; nothing: it is no such text.
std::vector<std::string_view> json_values(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = skip_json_space(text, 0); at < text.size();) {
    const auto end = json_value_end(text, at, kMaxDepth);
    if (!end) return {};
    out.push_back(text.substr(at, *end - at));
    at = skip_json_space(text, *end);
  }
  return out;
}

}  // namespace

// JSON is YAML too, but for values that stand one after the other.
Result<std::vector<UnreadObject>> read_unread_kinds(const Input& input) {
  std::vector<UnreadObject> out;
  auto texts = json_values(input.text());
  if (texts.empty()) texts.push_back(input.text());
  for (const auto text : texts)
    if (auto taken = take_documents(text, input.name(), out); !taken) return fail(std::move(taken.error()));
  return out;
}

}  // namespace muster
