#include "sim/field_validation.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/nearest_name.h"
#include "model/json.h"
#include "sim/list_keys.h"
#include "sim/protobuf_messages.h"
#include "sim/schema_fields.h"

namespace muster::sim {
namespace {

constexpr std::size_t kMostWarned = 4096;
constexpr std::size_t kLongestWarning = 256;

const WireField* field_named(const WireMessage& message, std::string_view name) {
  for (const auto& field : message.fields) {
    if (field.shape == WireShape::kInline) {
      if (const auto* inner = field_named(*field.message, name)) return inner;
    } else if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

void consider_fields(const WireMessage& message, NearestName& nearest) {
  for (const auto& field : message.fields)
    if (field.shape == WireShape::kInline)
      consider_fields(*field.message, nearest);
    else
      nearest.consider(field.name);
}

// Objects say which kind they are, also those that are a part of another one: the claims of a StatefulSet.
bool names_its_kind(const WireMessage& message, std::string_view field) {
  if (field != "apiVersion" && field != "kind") return false;
  return std::any_of(kinds().begin(), kinds().end(), [&](const Kind& kind) { return kind.kind == message.name; });
}

// How items of lists are called.
enum class ItemNames { kNumbers, kKeys };

// "[0]", or "[name=\"a\"]" of a list that is merged by it.
std::string item_name(ItemNames names, const ListRule& rule, const Tree& item, std::size_t number) {
  const auto keys = names == ItemNames::kKeys ? keys_of(item, rule.keys) : std::nullopt;
  if (!keys) return fmt::format("[{}]", number);
  std::string out;
  for (const auto& [key, value] : *keys->as_map()) out += (out.empty() ? "[" : ",") + key + "=" + value.text();
  return out + "]";
}

class UnknownFields {
 public:
  UnknownFields(ItemNames names, std::vector<UnknownField>& out, std::string_view path = {})
      : names_(names), out_(out), path_(path) {}

  // `holder` is the field that the object stands in.
  void in(const WireMessage& message, const Tree& object, std::string_view holder = {}) {
    if (message.form != WireForm::kObject || !object.is_map()) return;
    for (const auto& [name, value] : *object.as_map()) {
      if (out_.size() == kMostUnknown || bytes_ > kMostUnknownBytes) return;
      const auto length = path_.size();
      path_.append(path_.empty() ? "" : ".").append(name);
      if (const auto* field = field_named(message, name))
        in_field(*field, value, holder);
      else if (!names_its_kind(message, name))
        add(message, name);
      path_.resize(length);
    }
  }

  // In all templates of pods in it, wherever they are.
  void in_templates(const WireMessage& pod_template, const Tree& tree) {
    const auto length = path_.size();
    const auto* containers = tree.at("spec.containers");
    if (containers != nullptr && containers->is_list()) {
      in(pod_template, tree);
    } else if (const auto* members = tree.as_map()) {
      for (const auto& [name, value] : *members) {
        path_.append(path_.empty() ? "" : ".").append(name);
        in_templates(pod_template, value);
        path_.resize(length);
      }
    } else if (const auto* items = tree.as_list()) {
      for (std::size_t i = 0; i < items->size(); ++i) {
        path_ += fmt::format("[{}]", i);
        in_templates(pod_template, (*items)[i]);
        path_.resize(length);
      }
    }
  }

 private:
  void add(const WireMessage& message, std::string_view name) {
    NearestName nearest(name);
    consider_fields(message, nearest);
    out_.push_back({path_, nearest.found()});
    bytes_ += path_.size();
  }

  void in_field(const WireField& field, const Tree& value, std::string_view holder) {
    if (field.value != WireValue::kMessage) return;
    const auto length = path_.size();
    if (field.shape == WireShape::kOne) return in(*field.message, value, field.name);
    if (field.shape == WireShape::kList && value.is_list())
      for (std::size_t i = 0; i < value.as_list()->size(); ++i) {
        const auto& item = (*value.as_list())[i];
        path_ += item_name(names_, applied_list(holder, field.name), item, i);
        in(*field.message, item, field.name);
        path_.resize(length);
      }
    if (field.shape == WireShape::kMap && value.is_map())
      for (const auto& [key, item] : *value.as_map()) {
        path_.append(".").append(key);
        in(*field.message, item, key);
        path_.resize(length);
      }
  }

  ItemNames names_;
  std::vector<UnknownField>& out_;
  std::string path_;
  std::size_t bytes_ = 0;
};

// What is around every object, of a custom resource as well.
const WireMessage& metadata_message() {
  static const auto* const kMessage = field_named(*find_message("v1", "ConfigMap"), "metadata")->message;
  return *kMessage;
}

const WireMessage& template_message() {
  static const auto* const kMessage =
      field_named(*field_named(*find_message("apps/v1", "Deployment"), "spec")->message, "template")->message;
  return *kMessage;
}

void add_unknown_metadata(const Tree& object, ItemNames names, std::vector<UnknownField>& out) {
  if (const auto* metadata = object.find("metadata")) UnknownFields(names, out, "metadata").in(metadata_message(), *metadata);
}

// Of a custom resource, what its definition does not say of it.
std::vector<UnknownField> unknown_by_types(const Kind& kind, const Tree& object, ItemNames names) {
  std::vector<UnknownField> out;
  if (kind.is_custom) {
    add_unknown_metadata(object, names, out);
    return out;
  }
  if (const auto* message = find_message(kind.api_version(), kind.kind)) UnknownFields(names, out).in(*message, object);
  return out;
}

std::vector<UnknownField> unknown_in(const Kind& kind, const Tree& object) {
  auto out = unknown_by_types(kind, object, ItemNames::kNumbers);
  if (const auto* schema = schema_of(kind))
    for (auto& field : fields_not_in(*schema, object)) out.push_back(std::move(field));
  return out;
}

std::string unknown_text(const std::string& field) { return fmt::format("unknown field \"{}\"", field); }

std::string_view brief_warning(std::string_view text) {
  if (text.size() <= kLongestWarning) return text;
  auto length = kLongestWarning;
  while ((static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;  // not within a character
  return text.substr(0, length);
}

// What ends a header ends no header here.
std::string quoted_for_header(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return out + '"';
}

}  // namespace

Answered<FieldValidation> field_validation(const server::Request& request) {
  const auto asked = request.parameter("fieldValidation").value_or("");
  if (asked.empty() || asked == "Warn") return FieldValidation::kWarn;
  if (asked == "Ignore") return FieldValidation::kIgnore;
  if (asked == "Strict") return FieldValidation::kStrict;
  const bool creates = request.method == server::Method::kPost;
  const bool patches = request.method == server::Method::kPatch;
  const std::string_view options = creates ? "CreateOptions" : patches ? "PatchOptions" : "UpdateOptions";
  return refuse(
      invalid({"meta.k8s.io", "", options, ""},
              {{"FieldValueNotSupported",
                fmt::format("Unsupported value: {}: supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"", json_string(asked)),
                "fieldValidation"}}));
}

std::vector<std::string> unknown_fields(const Kind& kind, const Tree& object) {
  std::vector<std::string> out;
  for (auto& field : unknown_in(kind, object)) out.push_back(std::move(field.path));
  return out;
}

std::vector<UnknownField> mistyped_fields(const Kind* kind, const Tree& object) {
  std::vector<UnknownField> out;
  if (kind != nullptr)
    out = unknown_in(*kind, object);
  else
    add_unknown_metadata(object, ItemNames::kNumbers, out);
  if (kind != nullptr && !kind->is_custom) return out;
  std::vector<UnknownField> in_templates;
  UnknownFields(ItemNames::kNumbers, in_templates).in_templates(template_message(), object);
  std::ranges::move(in_templates, std::back_inserter(out));
  return out;
}

std::optional<std::string> untyped(const Kind& kind, const Tree& object) {
  const auto unknown = unknown_by_types(kind, object, ItemNames::kKeys);
  if (!unknown.empty()) return "." + unknown.front().path + ": field not declared in schema";
  const auto* schema = schema_of(kind);
  return schema == nullptr ? std::nullopt : untyped_field(*schema, object);
}

std::string strict_error(const std::vector<std::string>& unknown) {
  std::string out = "strict decoding error: ";
  for (const auto& field : unknown) out += (&field == &unknown.front() ? "" : ", ") + unknown_text(field);
  return out;
}

void add_unknown_warnings(server::Response& response, const std::vector<std::string>& unknown) {
  std::vector<std::string> texts;
  for (const auto& field : unknown) texts.push_back(unknown_text(field));
  add_warnings(response, texts);
}

void add_warnings(server::Response& response, const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const auto& text : texts) {
    bytes += brief_warning(text).size();
    if (bytes > kMostWarned) return;
    response.headers.add("Warning", "299 - " + quoted_for_header(brief_warning(text)));
  }
}

std::string go_text(const Tree& tree) {
  if (tree.is_null()) return "<nil>";
  std::vector<std::string> parts;
  if (const auto* members = tree.as_map()) {
    for (const auto& [key, value] : *members) parts.push_back(key + ":" + go_text(value));
    std::sort(parts.begin(), parts.end());
    return fmt::format("map[{}]", fmt::join(parts, " "));
  }
  if (const auto* items = tree.as_list()) {
    for (const auto& item : *items) parts.push_back(go_text(item));
    return fmt::format("[{}]", fmt::join(parts, " "));
  }
  return tree.scalar_text();
}

}  // namespace muster::sim
