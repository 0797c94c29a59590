#include "sim/bodies.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/split.h"
#include "codec/yaml_value.h"
#include "sim/protobuf.h"

namespace muster::sim {
namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// JSON has no numbers without end: a value that is kept would not be read again.
bool has_only_numbers_of_json(const Value& value) {
  if (const auto* number = value.as_double()) return std::isfinite(*number);
  if (const auto* items = value.as_list()) return std::all_of(items->begin(), items->end(), has_only_numbers_of_json);
  const auto* members = value.as_map();
  return members == nullptr || std::all_of(members->begin(), members->end(), [](const auto& one) {
           return has_only_numbers_of_json(one.first) && has_only_numbers_of_json(one.second);
         });
}

Tree tree_of(const Value& value) {
  if (const auto* flag = value.as_bool()) return Tree(*flag);
  if (const auto* number = value.as_int()) return Tree(*number);
  if (const auto* number = value.as_double()) return Tree(Tree::Number{fmt::format("{}", *number)});
  if (const auto* text = value.as_string()) return Tree(*text);
  if (const auto* items = value.as_list()) {
    Tree out = Tree::list();
    for (const auto& item : *items) out.push_back(tree_of(item));
    return out;
  }
  if (const auto* members = value.as_map()) {
    Tree out = Tree::map();
    for (const auto& [key, content] : *members) out[tree_of(key).scalar_text()] = tree_of(content);
    return out;
  }
  return {};
}

Answered<std::optional<std::int64_t>> integer_parameter(const server::Request& request, std::string_view name) {
  const auto text = request.parameter(name);
  if (!text || text->empty()) return std::optional<std::int64_t>();
  const auto value = parse_integer(*text);
  if (!value) return refuse(bad_request(fmt::format("{}: \"{}\" is no integer", name, *text)));
  return value;
}

ApiError unknown_format(std::string_view accepted) {
  return unsupported_media(
      fmt::format("the body of the request was in an unknown format - accepted media types include: {}", accepted));
}

bool is_dry_run(const Tree* list) {
  return list != nullptr && list->is_list() &&
         std::any_of(list->as_list()->begin(), list->as_list()->end(), [](const Tree& one) { return one.scalar_text() == "All"; });
}

}  // namespace

std::string media_type(const server::Request& request) {
  std::string out(split(request.headers.find("Content-Type").value_or(""), ';').front());
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

Answered<Tree> json_body(std::string_view body) {
  auto out = Tree::parse(body);
  if (!out) return refuse(bad_request("the body is no JSON: " + out.error()));
  return std::move(*out);
}

Answered<Tree> yaml_body(std::string_view body) {
  if (body.find_first_not_of(" \t\r\n") != std::string_view::npos && body[body.find_first_not_of(" \t\r\n")] == '{')
    if (auto json = Tree::parse(body)) return std::move(*json);
  auto out = read_yaml_value(body, "");
  if (!out) return refuse(bad_request("the body is no YAML: " + out.error().text()));
  if (!has_only_numbers_of_json(*out)) return refuse(bad_request("the body has a number that JSON does not know: .inf or .nan"));
  return tree_of(*out);
}

Answered<Tree> body_of(const server::Request& request) {
  const auto type = media_type(request);
  if (type.empty() || type == "application/json") return json_body(request.body);
  if (type == "application/yaml") return yaml_body(request.body);
  if (type == kProtobuf) return protobuf_body(request.body);
  return refuse(unknown_format("application/json, application/yaml, application/vnd.kubernetes.protobuf"));
}

Answered<Tree> object_of(const server::Request& request, const Kind& kind) {
  if (kind.is_custom && media_type(request) == kProtobuf) return refuse(unknown_format("application/json, application/yaml"));
  return body_of(request);
}

bool is_true(const server::Request& request, std::string_view parameter) {
  const auto value = request.parameter(parameter).value_or("");
  return value == "true" || value == "1" || value == "True";
}

Answered<DeleteOptions> delete_options(const Tree& tree, const server::Request& request) {
  DeleteOptions out;
  const auto grace = integer_parameter(request, "gracePeriodSeconds");
  if (!grace) return refuse(grace.error());
  out.grace_seconds = tree.integer_at("gracePeriodSeconds");
  if (*grace) out.grace_seconds = *grace;
  out.uid = tree.text_at("preconditions.uid");
  out.resource_version = tree.text_at("preconditions.resourceVersion");
  auto propagation = tree.text_at("propagationPolicy");
  if (const auto asked = request.parameter("propagationPolicy")) propagation = *asked;
  const bool orphans = tree.true_at("orphanDependents") || is_true(request, "orphanDependents");
  if (propagation == "Foreground")
    out.propagation = Propagation::kForeground;
  else if (propagation == "Orphan" || orphans)
    out.propagation = Propagation::kOrphan;
  else if (!propagation.empty() && propagation != "Background")
    return refuse(
        invalid({"meta.k8s.io", "deleteoptions", "DeleteOptions", ""},
                {{"FieldValueNotSupported",
                  fmt::format("Unsupported value: \"{}\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                              propagation),
                  "propagationPolicy"}}));
  out.dry_run = is_dry_run(tree.find("dryRun")) || request.parameter("dryRun").value_or("") == "All";
  return out;
}

Answered<DeleteOptions> delete_options(const server::Request& request) {
  if (request.body.empty()) return delete_options(Tree::map(), request);
  auto tree = body_of(request);
  if (!tree) return refuse(tree.error());
  return delete_options(*tree, request);
}

WriteOptions write_options(const server::Request& request) {
  WriteOptions out;
  const auto agent = request.headers.find("User-Agent").value_or("unknown");
  out.manager = request.parameter("fieldManager").value_or(agent.substr(0, agent.find('/')));
  out.dry_run = request.parameter("dryRun").value_or("") == "All";
  return out;
}

}  // namespace muster::sim
