#include "sim/api_error.h"

#include <fmt/format.h>

namespace muster::sim {
namespace {

Tree empty_status(std::string_view outcome) {
  Tree out = Tree::map();
  out["kind"] = Tree("Status");
  out["apiVersion"] = Tree("v1");
  out["metadata"] = Tree::map();
  out["status"] = Tree(outcome);
  return out;
}

ApiError about_object(int code, std::string reason, const Subject& about, std::string message) {
  ApiError out;
  out.code = code;
  out.reason = std::move(reason);
  out.message = std::move(message);
  out.group = about.group;
  out.kind = about.plural;
  out.name = about.name;
  return out;
}

ApiError plain_error(int code, std::string reason, std::string message) {
  ApiError out;
  out.code = code;
  out.reason = std::move(reason);
  out.message = std::move(message);
  return out;
}

std::string with_group(std::string_view name, std::string_view group) {
  return group.empty() ? std::string(name) : fmt::format("{}.{}", name, group);
}

}  // namespace

Tree ApiError::status() const {
  Tree out = empty_status("Failure");
  out["message"] = Tree(message);
  if (!reason.empty()) out["reason"] = Tree(reason);
  Tree details = Tree::map();
  if (!name.empty()) details["name"] = Tree(name);
  if (!group.empty()) details["group"] = Tree(group);
  if (!kind.empty()) details["kind"] = Tree(kind);
  if (!uid.empty()) details["uid"] = Tree(uid);
  for (const auto& cause : causes) {
    Tree one = Tree::map();
    one["reason"] = Tree(cause.reason);
    one["message"] = Tree(cause.message);
    if (!cause.field.empty()) one["field"] = Tree(cause.field);
    details["causes"].push_back(std::move(one));
  }
  if (retry_after) details["retryAfterSeconds"] = Tree(std::int64_t{*retry_after});
  if (!details.as_map()->empty()) out["details"] = std::move(details);
  out["code"] = Tree(std::int64_t{code});
  return out;
}

std::string Subject::text() const { return fmt::format("{} \"{}\"", with_group(plural, group), name); }

ApiError not_found(const Subject& about) { return about_object(404, "NotFound", about, about.text() + " not found"); }

ApiError already_exists(const Subject& about) {
  return about_object(409, "AlreadyExists", about, about.text() + " already exists");
}

ApiError conflict(const Subject& about, std::string_view why) {
  return about_object(409, "Conflict", about, fmt::format("Operation cannot be fulfilled on {}: {}", about.text(), why));
}

ApiError stale(const Subject& about) {
  return conflict(about, "the object has been modified; please apply your changes to the latest version and try again");
}

ApiError invalid(const Subject& about, std::vector<Cause> causes) {
  std::string list;
  for (const auto& cause : causes) list.append(list.empty() ? "" : ", ").append(cause.field + ": " + cause.message);
  if (causes.size() > 1) list = "[" + list + "]";
  auto out = about_object(422, "Invalid", about,
                          fmt::format("{} \"{}\" is invalid: {}", with_group(about.kind, about.group), about.name, list));
  out.kind = about.kind;
  out.causes = std::move(causes);
  return out;
}

ApiError bad_request(std::string message) { return plain_error(400, "BadRequest", std::move(message)); }

ApiError too_large(std::size_t most) {
  return plain_error(413, "RequestEntityTooLarge", fmt::format("Request entity too large: limit is {}", most));
}

ApiError not_served() { return plain_error(404, "NotFound", "the server could not find the requested resource"); }

ApiError forbidden(const Subject& about, std::string_view why) {
  return about_object(403, "Forbidden", about, fmt::format("{} is forbidden: {}", about.text(), why));
}

ApiError not_allowed(std::string message) { return plain_error(405, "MethodNotAllowed", std::move(message)); }
ApiError not_implemented(std::string message) { return plain_error(501, "NotImplemented", std::move(message)); }
ApiError unsupported_media(std::string message) { return plain_error(415, "UnsupportedMediaType", std::move(message)); }
ApiError expired(std::string message) { return plain_error(410, "Expired", std::move(message)); }
ApiError internal(std::string message) { return plain_error(500, "InternalError", "Internal error occurred: " + message); }

Cause required_field(std::string field, std::string_view detail) {
  return {"FieldValueRequired", detail.empty() ? "Required value" : fmt::format("Required value: {}", detail), std::move(field)};
}

Cause invalid_field(std::string field, std::string_view value, std::string_view detail) {
  return {"FieldValueInvalid", fmt::format("Invalid value: {}: {}", value, detail), std::move(field)};
}

Cause forbidden_field(std::string field, std::string_view detail) {
  return {"FieldValueForbidden", fmt::format("Forbidden: {}", detail), std::move(field)};
}

Tree success_status(const Subject& about, std::string_view uid) {
  Tree out = empty_status("Success");
  auto& details = out["details"];
  details["name"] = Tree(about.name);
  if (!about.group.empty()) details["group"] = Tree(about.group);
  details["kind"] = Tree(about.plural);
  details["uid"] = Tree(uid);
  return out;
}

}  // namespace muster::sim
