#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "model/json.h"
#include "sim/api.h"
#include "sim/api_answers.h"
#include "sim/bodies.h"
#include "sim/event_forms.h"
#include "sim/field_managers.h"
#include "sim/field_validation.h"
#include "sim/json_patch.h"
#include "sim/strategic_merge.h"
#include "sim/subresources.h"
#include "sim/unheeded.h"

namespace muster::sim {
namespace {

using server::Method;
using server::Request;

// A body must be of the kind that its path names.
Answered<void> check_kind(const Kind& kind, const Tree& object) {
  if (!object.is_map()) return refuse(bad_request("the body must be an object"));
  const auto version = object.text_at("apiVersion");
  const auto name = object.text_at("kind");
  if (name.empty()) return refuse(bad_request("Object 'Kind' is missing in the body of the request"));
  if (name != kind.kind || (!version.empty() && version != kind.api_version()))
    return refuse(bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {} in version \"{}\"", name, version,
                                          kind.kind, kind.api_version())));
  return {};
}

// From the form in which a kind was asked for to the one in which it is stored, and back.
Tree stored_form(const Kind& kind, Tree object) {
  return kind.form_of.empty() ? std::move(object) : event_to_core(std::move(object));
}
Tree asked_form(const Kind& kind, Tree object) {
  return kind.form_of.empty() ? std::move(object) : event_from_core(std::move(object));
}

Answered<Tree> patched(const std::string& type, Tree document, std::string_view body) {
  const auto patch = json_body(body);
  if (!patch) return refuse(patch.error());
  if (type == "application/json-patch+json") return json_patched(std::move(document), *patch);
  if (!patch->is_map()) return refuse(bad_request("error decoding patch: a merge patch is an object"));
  if (type == "application/merge-patch+json") return merge_patched(std::move(document), *patch);
  return strategically_merged(std::move(document), *patch);
}

std::string patch_types(const Kind& kind) {
  return fmt::format("application/json-patch+json, application/merge-patch+json, {}application/apply-patch+yaml",
                     kind.is_custom ? "" : "application/strategic-merge-patch+json, ");
}

bool is_patch_type(const Kind& kind, const std::string& type) {
  return type == "application/json-patch+json" || type == "application/merge-patch+json" ||
         (type == "application/strategic-merge-patch+json" && !kind.is_custom);
}

// The unknown fields of a body, of which the answer warns; refused where the request is strict.
Answered<std::vector<std::string>> checked_fields(const Request& request, const Kind& kind, const Tree& object) {
  const auto validation = field_validation(request);
  if (!validation) return refuse(validation.error());
  if (*validation == FieldValidation::kIgnore) return std::vector<std::string>();
  auto unknown = unknown_fields(kind, object);
  if (*validation == FieldValidation::kStrict && !unknown.empty())
    return refuse(bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind.kind, kind.version, kind.kind,
                                          strict_error(unknown))));
  return unknown;
}

// Those that a patch adds. What was there before is not its fault.
std::vector<std::string> added_fields(const Kind& kind, const Object& before, const Tree& after) {
  auto out = unknown_fields(kind, after);
  if (out.empty()) return out;
  const auto known = unknown_fields(kind, asked_form(kind, before.tree()));
  const std::set<std::string> there(known.begin(), known.end());
  std::erase_if(out, [&](const std::string& field) { return there.contains(field); });
  return out;
}

// As a real server says it: of a strategic merge it shows the patch, of the others what they make.
ApiError wrong_patch(const std::string& type, std::string_view body, const Tree& after, const std::vector<std::string>& unknown) {
  auto shown = after.text();
  if (type == "application/strategic-merge-patch+json")
    if (const auto patch = json_body(body)) shown = go_text(*patch);
  return invalid({"", "", "", ""}, {invalid_field("patch", json_string(shown), strict_error(unknown))});
}

// An apply knows no unknown fields, whatever the request says of validation.
ApiError untyped_patch(const Kind& kind, const Key& key, std::string_view why) {
  ApiError out;
  out.reason = "";
  out.message = fmt::format("failed to create typed patch object ({}/{}; {}, Kind={}): {}", key.ns, key.name, kind.api_version(),
                            kind.kind, why);
  return out;
}

// What an apply of the status says of the rest does not count.
Tree status_only(const Tree& applied) {
  Tree out = Tree::map();
  for (const std::string_view field : {"apiVersion", "kind", "status"})
    if (const auto* own = applied.find(field)) out[field] = *own;
  for (const std::string_view field : {"name", "namespace", "resourceVersion", "uid"})
    if (const auto* own = applied.at(fmt::format("metadata.{}", field))) out["metadata"][field] = *own;
  return out;
}

// A status that is written by itself is nothing that an apply of the rest owns.
Tree without_status(const Kind& kind, Tree applied) {
  if (kind.subresources.status) applied.erase("status");
  return applied;
}

}  // namespace

Api::Reply Api::written(const Request& request, const ResourcePath& path, const ObjectPtr& object, int status,
                        const std::vector<std::string>& unknown) const {
  const auto& kind = *path.kind;
  auto reply = shown(request, kind, object, status);
  auto* response = reply ? std::get_if<server::Response>(&*reply) : nullptr;
  if (response == nullptr) return reply;
  add_unknown_warnings(*response, unknown);
  if (warnings_ == UnheededWarnings::kYes && path.subresource.empty() && has_unheeded(kind))
    add_warnings(*response, unheeded(kind, object->tree()));
  return reply;
}

Api::Reply Api::create(const Request& request, const ResourcePath& path) {
  auto body = object_of(request, *path.kind);
  if (!body) return refuse(body.error());
  if (body->is_map() && body->text_at("kind").empty()) (*body)["kind"] = Tree(path.kind->kind);
  if (auto good = check_kind(*path.kind, *body); !good) return refuse(good.error());
  const auto unknown = checked_fields(request, *path.kind, *body);
  if (!unknown) return refuse(unknown.error());
  if (!path.kind->form_of.empty())
    if (auto good = check_new_event(*body); !good) return refuse(good.error());
  (*body)["apiVersion"] = Tree(path.kind->api_version());
  const auto& kind = stored_kind(*path.kind);
  const auto done = registry_.create(kind, path.ns, stored_form(*path.kind, std::move(*body)), write_options(request));
  if (!done) return refuse(done.error());
  return written(request, path, *done, 201, *unknown);
}

Api::Reply Api::replace(const Request& request, const ResourcePath& path, Part part) {
  auto body = object_of(request, *path.kind);
  if (!body) return refuse(body.error());
  if (auto good = check_kind(*path.kind, *body); !good) return refuse(good.error());
  const auto unknown = checked_fields(request, *path.kind, *body);
  if (!unknown) return refuse(unknown.error());
  const auto done = registry_.replace(stored_kind(*path.kind), {path.ns, path.name}, stored_form(*path.kind, std::move(*body)),
                                      part, write_options(request));
  if (!done) return refuse(done.error());
  return written(request, path, *done, 200, *unknown);
}

Api::Reply Api::patch(const Request& request, const ResourcePath& path, Part part) {
  const auto type = media_type(request);
  if (type == "application/apply-patch+yaml") return apply(request, path, part);
  if (!is_patch_type(*path.kind, type))
    return refuse(unsupported_media(fmt::format(
        "the body of the request was in an unknown format - accepted media types include: {}", patch_types(*path.kind))));
  const auto validation = field_validation(request);
  if (!validation) return refuse(validation.error());
  const auto& kind = stored_kind(*path.kind);
  const Key key{path.ns, path.name};
  const auto before = registry_.get(kind, key);
  if (!before) return refuse(before.error());
  std::vector<std::string> unknown;
  const auto done = registry_.change(
      kind, key, part,
      [&](Tree now) -> Answered<Tree> {
        auto out = patched(type, asked_form(*path.kind, std::move(now)), request.body);
        if (!out) return out;
        if (*validation != FieldValidation::kIgnore) unknown = added_fields(*path.kind, **before, *out);
        if (*validation == FieldValidation::kStrict && !unknown.empty())
          return refuse(wrong_patch(type, request.body, *out, unknown));
        return stored_form(*path.kind, std::move(*out));
      },
      write_options(request));
  if (!done) return refuse(done.error());
  return written(request, path, *done, 200, unknown);
}

Api::Reply Api::apply(const Request& request, const ResourcePath& path, Part part) {
  auto body = yaml_body(request.body);
  if (!body) return refuse(body.error());
  if (auto good = check_kind(*path.kind, *body); !good) return refuse(good.error());
  if (request.parameter("fieldManager").value_or("").empty())
    return refuse(invalid({"meta.k8s.io", "patchoptions", "PatchOptions", ""},
                          {required_field("fieldManager", "is required for apply patch")}));
  if (!path.kind->form_of.empty()) return refuse(unsupported_media("events are not applied here: create them"));
  if (const auto name = body->text_at("metadata.name"); !name.empty() && name != path.name)
    return refuse(bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, path.name)));
  (*body)["metadata"]["name"] = Tree(path.name);
  const Key key{path.ns, path.name};
  if (const auto why = untyped(*path.kind, *body)) return refuse(untyped_patch(*path.kind, key, *why));
  auto options = write_options(request);
  options.is_apply = true;
  const FieldWriter writer{options.manager, registry_.outside().time_text(), part == Part::kStatus ? "status" : ""};
  const auto on_conflict = is_true(request, "force") ? OnConflict::kTakeOver : OnConflict::kRefuse;
  if (!registry_.store().find(*path.kind, key) && part == Part::kAll) {
    auto made = applied_onto(*path.kind, Tree::map(), without_status(*path.kind, *body), writer, on_conflict);
    if (!made) return refuse(made.error());
    // What becomes of it is decided as for any new object.
    if (const auto* status = body->find("status")) (*made)["status"] = *status;
    const auto done = registry_.create(*path.kind, path.ns, std::move(*made), options);
    if (!done) return refuse(done.error());
    return written(request, path, *done, 201, {});
  }
  const auto applied = part == Part::kStatus ? status_only(*body) : without_status(*path.kind, std::move(*body));
  const auto done = registry_.change(
      *path.kind, key, part, [&](Tree now) { return applied_onto(*path.kind, std::move(now), applied, writer, on_conflict); },
      options);
  if (!done) return refuse(done.error());
  return written(request, path, *done, 200, {});
}

Api::Reply Api::remove(const Request& request, const ResourcePath& path) {
  const auto options = delete_options(request);
  if (!options) return refuse(options.error());
  const auto done = registry_.remove(stored_kind(*path.kind), {path.ns, path.name}, *options);
  if (!done) return refuse(done.error());
  if (!done->gone || path.kind->kind == "Pod") return shown(request, *path.kind, done->object, 200);
  return server::json_response(success_status(path.kind->subject(path.name), done->object->uid).text());
}

Api::Reply Api::remove_all(const Request& request, const ResourcePath& path) {
  const auto options = delete_options(request);
  if (!options) return refuse(options.error());
  const auto wanted = selection(request, path);
  if (!wanted) return refuse(wanted.error());
  const auto& kind = stored_kind(*path.kind);
  std::vector<ObjectPtr> chosen;
  for (const auto& [key, object] : registry_.store().objects(kind))
    if (wanted->matches(*object)) chosen.push_back(object);
  std::vector<ObjectPtr> removed;
  for (const auto& object : chosen) {
    const auto done = registry_.remove(kind, object->key, *options);
    if (!done && done.error().code == 404) continue;
    if (!done) return refuse(done.error());
    removed.push_back(done->object);
  }
  const Rendering rendering{*path.kind, Form::kWhole, registry_.outside().now()};
  return server::json_response(rendering.list(removed, {.revision = registry_.store().revision()}));
}

Api::Reply Api::bind(const Request& request, const ResourcePath& path) {
  const auto body = body_of(request);
  if (!body) return refuse(body.error());
  Key pod{path.ns, path.name};
  if (path.is_bindings) pod.name = body->text_at("metadata.name");
  const auto done = bind_pod(registry_, pod, *body, write_options(request).dry_run);
  if (!done) return refuse(done.error());
  return server::json_response(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})", 201);
}

Api::Reply Api::evict(const Request& request, const ResourcePath& path) {
  const auto body = body_of(request);
  if (!body) return refuse(body.error());
  const auto* given = body->find("deleteOptions");
  const auto options = delete_options(given == nullptr ? Tree::map() : *given, request);
  if (!options) return refuse(options.error());
  const auto done = evict_pod(registry_, {path.ns, path.name}, *body, *options);
  if (!done) return refuse(done.error());
  return server::json_response(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})", 201);
}

Api::Reply Api::scale(const Request& request, const ResourcePath& path) {
  const Key key{path.ns, path.name};
  if (request.method == Method::kGet || request.method == Method::kHead) {
    const auto found = registry_.get(*path.kind, key);
    if (!found) return refuse(found.error());
    return server::json_response(scale_of((*found)->tree()).text());
  }
  if (request.method != Method::kPut && request.method != Method::kPatch) return refuse(wrong_method(request, path));
  const auto type = media_type(request);
  if (request.method == Method::kPatch && !is_patch_type(*path.kind, type))
    return refuse(unsupported_media(
        "a scale takes application/json-patch+json, application/merge-patch+json and application/strategic-merge-patch+json"));
  auto options = write_options(request);
  options.subresource = "scale";
  const auto done = registry_.change(
      *path.kind, key, Part::kAll,
      [&](Tree now) -> Answered<Tree> {
        auto wanted = request.method == Method::kPut ? body_of(request) : patched(type, scale_of(now), request.body);
        if (!wanted) return refuse(wanted.error());
        return with_scale(std::move(now), *wanted);
      },
      options);
  if (!done) return refuse(done.error());
  return server::json_response(scale_of((*done)->tree()).text());
}

// Namespaces are emptied and removed by the cluster itself; a client that says it has done its part is believed.
Api::Reply Api::finalize(const Request& request, const ResourcePath& path) {
  if (request.method != Method::kPut) return refuse(wrong_method(request, path));
  return get(request, path);
}

}  // namespace muster::sim
