#include "sim/rendering.h"

#include <fmt/format.h>

#include "base/split.h"
#include "codec/json_writer.h"
#include "sim/columns.h"
#include "sim/event_forms.h"

namespace muster::sim {
namespace {

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<Form> form_of_type(std::string_view entry) {
  std::string_view as;
  const auto parts = split(entry, ';');
  for (const auto part : parts)
    if (const auto parameter = without_spaces(part); parameter.starts_with("as=")) as = parameter.substr(3);
  const auto type = without_spaces(parts.front());
  if (type != "application/json" && type != "*/*" && type != "application/*") return std::nullopt;
  if (as.empty()) return Form::kWhole;
  if (as == "Table") return Form::kTable;
  if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") return Form::kMetadata;
  return std::nullopt;
}

void append_list_head(std::string& out, std::string_view kind, std::string_view api_version, const Rendering::Page& page) {
  out += fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{{"resourceVersion":"{}")", kind, api_version, page.revision);
  if (!page.next.empty()) {
    out += R"(,"continue":)";
    append_json_string(out, page.next);
    out += fmt::format(R"(,"remainingItemCount":{})", page.remaining);
  }
  out += '}';
}

}  // namespace

Answered<Form> form_from(std::string_view accept) {
  if (without_spaces(accept).empty()) return Form::kWhole;
  for (const auto entry : split(accept, ','))
    if (const auto form = form_of_type(without_spaces(entry))) return *form;
  ApiError error;
  error.code = 406;
  error.reason = "NotAcceptable";
  error.message = "only the following media types are accepted: application/json";
  return refuse(std::move(error));
}

void Rendering::append_whole(std::string& out, const Object& object) const {
  if (kind.form_of.empty())
    out += object.text;
  else
    event_from_core(object.tree()).append_to(out);
}

void Rendering::append_metadata(std::string& out, const Object& object) const {
  const auto tree = object.tree();
  out += R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)";
  tree.find("metadata")->append_to(out);
  out += '}';
}

void Rendering::append_row(std::string& out, const Object& object) const {
  const auto tree = object.tree();
  out += R"({"cells":[)";
  bool first = true;
  for (const auto& column : columns_of(kind)) {
    if (!first) out += ',';
    first = false;
    column.value(tree, now).append_to(out);
  }
  out += R"(],"object":)";
  if (rows_have_objects)
    append_whole(out, object);
  else
    append_metadata(out, object);
  out += '}';
}

std::string Rendering::table(std::span<const ObjectPtr> objects, const Page& page) const {
  std::string out;
  append_list_head(out, "Table", "meta.k8s.io/v1", page);
  out += R"(,"columnDefinitions":[)";
  bool first = true;
  for (const auto& column : columns_of(kind)) {
    out += fmt::format(R"({}{{"name":"{}","type":"{}","format":"{}","description":"","priority":{}}})", first ? "" : ",",
                       column.name, column.type, column.name == "Name" ? "name" : "", column.priority);
    first = false;
  }
  out += R"(],"rows":[)";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) out += ',';
    append_row(out, *objects[i]);
  }
  return out + "]}";
}

std::string Rendering::object(const Object& object) const {
  std::string out;
  switch (form) {
    case Form::kWhole: append_whole(out, object); break;
    case Form::kMetadata: append_metadata(out, object); break;
    case Form::kTable: {
      const ObjectPtr one(&object, [](const Object*) {});
      out = table({&one, 1}, {.revision = object.revision});
      break;
    }
  }
  return out;
}

std::string Rendering::list(std::span<const ObjectPtr> objects, const Page& page) const {
  if (form == Form::kTable) return table(objects, page);
  std::string out;
  if (form == Form::kMetadata)
    append_list_head(out, "PartialObjectMetadataList", "meta.k8s.io/v1", page);
  else
    append_list_head(out, std::string(kind.kind) + "List", kind.api_version(), page);
  out += R"(,"items":[)";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) out += ',';
    if (form == Form::kMetadata)
      append_metadata(out, *objects[i]);
    else
      append_whole(out, *objects[i]);
  }
  return out + "]}";
}

}  // namespace muster::sim
