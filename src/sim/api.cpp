#include "sim/api.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/split.h"
#include "sim/api_answers.h"
#include "sim/bodies.h"
#include "sim/discovery.h"
#include "sim/unserved.h"

namespace muster::sim {
namespace {

using server::Method;
using server::Request;
using server::Response;

// Where a list goes on: the revision of its first page, and the last object of the one before.
std::string continue_token(std::uint64_t revision, const Key& last) {
  return fmt::format("{}:{}/{}", revision, last.ns, last.name);
}

struct Continuation {
  std::uint64_t revision = 0;
  Key after;
};

std::optional<Continuation> read_token(std::string_view token) {
  const auto colon = token.find(':');
  const auto slash = token.find('/', colon == std::string_view::npos ? 0 : colon);
  if (colon == std::string_view::npos || slash == std::string_view::npos) return std::nullopt;
  const auto revision = parse_integer(token.substr(0, colon));
  if (!revision || *revision < 0) return std::nullopt;
  return Continuation{static_cast<std::uint64_t>(*revision),
                      {std::string(token.substr(colon + 1, slash - colon - 1)), std::string(token.substr(slash + 1))}};
}

Answered<std::optional<std::uint64_t>> revision_parameter(const Request& request) {
  const auto text = request.parameter("resourceVersion").value_or("");
  if (text.empty()) return std::optional<std::uint64_t>();
  const auto value = parse_integer(text);
  if (!value || *value < 0) return refuse(bad_request(fmt::format("resourceVersion: Invalid value: \"{}\"", text)));
  return std::optional(static_cast<std::uint64_t>(*value));
}

ApiError too_new(std::uint64_t asked, std::uint64_t now) {
  ApiError out;
  out.code = 504;
  out.reason = "Timeout";
  out.message = fmt::format("Timeout: Too large resource version: {}, current: {}", asked, now);
  out.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  out.retry_after = 1;
  return out;
}

ApiError page_expired() {
  return expired(
      "The provided continue parameter is too old to display a consistent list result. You must start a new list without the "
      "continue "
      "parameter.");
}

// What a list of a kind is taken from: the objects as they are, or as they were.
struct Listed {
  Store::Objects copy;  // of the past
  const Store::Objects* objects = nullptr;
  std::uint64_t revision = 0;
  Key after = {};  // only what follows
};

Answered<Listed> listed(const Request& request, const Kind& kind, const Store& store) {
  Listed out{{}, &store.objects(kind), store.revision(), {}};
  std::optional<std::uint64_t> at;
  if (const auto token = request.parameter("continue").value_or(""); !token.empty()) {
    auto where = read_token(token);
    if (!where) return refuse(bad_request("continue key is not valid"));
    if (where->revision > store.revision()) return refuse(page_expired());
    at = where->revision;
    out.after = std::move(where->after);
  } else {
    const auto wanted = revision_parameter(request);
    if (!wanted) return refuse(wanted.error());
    if (*wanted && **wanted > store.revision()) return refuse(too_new(**wanted, store.revision()));
    if (*wanted && request.parameter("resourceVersionMatch").value_or("") == "Exact") at = **wanted;
  }
  if (!at || *at == store.revision()) return out;
  auto past = store.objects_at(kind, *at);
  if (!past)
    return refuse(out.after.name.empty() ? expired("The resourceVersion for the provided list is too old.") : page_expired());
  out.copy = std::move(*past);
  out.objects = nullptr;
  out.revision = *at;
  return out;
}

std::vector<ObjectPtr> selected(const Listed& from, const Selection& selection) {
  std::vector<ObjectPtr> out;
  const auto& objects = from.objects == nullptr ? from.copy : *from.objects;
  auto at = selection.ns().empty() ? objects.begin() : objects.lower_bound({selection.ns(), ""});
  if (!from.after.name.empty()) at = objects.upper_bound(std::max(from.after, Key{selection.ns(), ""}));
  for (; at != objects.end(); ++at) {
    if (!selection.ns().empty() && at->first.ns != selection.ns()) break;
    if (selection.matches(*at->second)) out.push_back(at->second);
  }
  return out;
}

}  // namespace

server::Answer Api::answer(const Request& request) {
  const auto accept = request.headers.find("Accept").value_or("");
  if (request.method == Method::kGet || request.method == Method::kHead) {
    if (request.path == "/healthz" || request.path == "/livez" || request.path == "/readyz") return Response{.body = "ok"};
    if (auto found = discovery(request.path, accept)) return Response{200, found->content_type, std::move(found->body), {}};
    if (request.path == "/openapi/v2") {
      auto document = openapi_v2();
      return Response{200, std::move(document.content_type), std::move(document.body), {}};
    }
    if (auto document = openapi(request.path)) return server::json_response(std::move(*document));
  }
  const auto path = parse_resource_path(request.path);
  if (!path) return error_answer(path.error());
  auto reply = resource(request, *path);
  return reply ? std::move(*reply) : server::Answer(error_answer(reply.error()));
}

Api::Reply Api::resource(const Request& request, const ResourcePath& path) {
  if (path.is_bindings) return request.method == Method::kPost ? bind(request, path) : refuse(wrong_method(request, path));
  if (!path.subresource.empty()) return subresource(request, path);
  return path.name.empty() ? collection(request, path) : named(request, path);
}

Api::Reply Api::collection(const Request& request, const ResourcePath& path) {
  switch (request.method) {
    case Method::kGet:
    case Method::kHead: return is_true(request, "watch") ? watch(request, path) : list(request, path);
    case Method::kPost:
      if (path.kind->namespaced && path.ns.empty()) return refuse(wrong_method(request, path));
      return create(request, path);
    case Method::kDelete:
      if (path.kind->namespaced && path.ns.empty()) return refuse(wrong_method(request, path));
      return remove_all(request, path);
    default: return refuse(wrong_method(request, path));
  }
}

Api::Reply Api::named(const Request& request, const ResourcePath& path) {
  switch (request.method) {
    case Method::kGet:
    case Method::kHead: return is_true(request, "watch") ? watch(request, path) : get(request, path);
    case Method::kPut: return replace(request, path, Part::kAll);
    case Method::kPatch: return patch(request, path, Part::kAll);
    case Method::kDelete: return remove(request, path);
    default: return refuse(wrong_method(request, path));
  }
}

Api::Reply Api::subresource(const Request& request, const ResourcePath& path) {
  const auto& has = path.kind->subresources;
  const bool reads = request.method == Method::kGet || request.method == Method::kHead;
  const bool posts = request.method == Method::kPost;
  if (path.subresource == "status" && has.status) {
    if (reads) return get(request, path);
    if (request.method == Method::kPut) return replace(request, path, Part::kStatus);
    if (request.method == Method::kPatch) return patch(request, path, Part::kStatus);
    return refuse(wrong_method(request, path));
  }
  if (path.subresource == "scale" && has.scale) return scale(request, path);
  if (path.subresource == "binding" && has.binding) return posts ? bind(request, path) : refuse(wrong_method(request, path));
  if (path.subresource == "eviction" && has.binding) return posts ? evict(request, path) : refuse(wrong_method(request, path));
  if (path.subresource == "finalize" && path.kind->kind == "Namespace") return finalize(request, path);
  if (auto why = unserved_subresource(*path.kind, path.subresource)) return refuse(not_implemented(std::move(*why)));
  // As a real server says it of custom resources, whether there is such an object or not.
  return refuse(path.kind->is_custom ? not_found(path.kind->subject(path.name)) : not_served());
}

Answered<Selection> Api::selection(const Request& request, const ResourcePath& path) const {
  std::string fields(request.parameter("fieldSelector").value_or(""));
  if (!path.name.empty()) fields += (fields.empty() ? "" : ",") + ("metadata.name=" + path.name);
  return Selection::parse(stored_kind(*path.kind), path.ns, request.parameter("labelSelector").value_or(""), fields);
}

Api::Reply Api::list(const Request& request, const ResourcePath& path) {
  const auto form = form_from(request.headers.find("Accept").value_or(""));
  if (!form) return refuse(form.error());
  const auto wanted = selection(request, path);
  if (!wanted) return refuse(wanted.error());
  const auto from = listed(request, stored_kind(*path.kind), registry_.store());
  if (!from) return refuse(from.error());
  auto objects = selected(*from, *wanted);
  const auto limit = parse_integer(request.parameter("limit").value_or("")).value_or(0);
  Rendering::Page page{.revision = from->revision};
  if (limit > 0 && objects.size() > static_cast<std::size_t>(limit)) {
    page.remaining = objects.size() - static_cast<std::size_t>(limit);
    objects.resize(static_cast<std::size_t>(limit));
    page.next = continue_token(from->revision, objects.back()->key);
  }
  const Rendering rendering{*path.kind, *form, registry_.outside().now(),
                            request.parameter("includeObject").value_or("") == "Object"};
  return server::json_response(rendering.list(objects, page));
}

Api::Reply Api::watch(const Request& request, const ResourcePath& path) {
  const auto form = form_from(request.headers.find("Accept").value_or(""));
  if (!form) return refuse(form.error());
  auto wanted = selection(request, path);
  if (!wanted) return refuse(wanted.error());
  const auto revision = revision_parameter(request);
  if (!revision) return refuse(revision.error());
  WatchRequest out{path.kind, std::move(*wanted), *form};
  out.rows_have_objects = request.parameter("includeObject").value_or("") == "Object";
  out.bookmarks = is_true(request, "allowWatchBookmarks");
  out.timeout_seconds = parse_integer(request.parameter("timeoutSeconds").value_or(""));
  const bool initial = is_true(request, "sendInitialEvents");
  const auto match = request.parameter("resourceVersionMatch").value_or("");
  if (initial && (match != "NotOlderThan" || !out.bookmarks))
    return refuse(invalid({"meta.k8s.io", "listoptions", "ListOptions", ""},
                          {forbidden_field("resourceVersionMatch",
                                           "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, "
                                           "and allowWatchBookmarks")}));
  if (!initial && !match.empty())
    return refuse(invalid({"meta.k8s.io", "listoptions", "ListOptions", ""},
                          {forbidden_field("resourceVersionMatch",
                                           "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")}));
  const bool from_now = !initial && request.parameter("sendInitialEvents").has_value();
  if (initial)
    out.ends_initial_events = true;
  else if (from_now)
    out.from = registry_.store().revision();
  else if (*revision && **revision != 0)
    out.from = **revision;
  return server::Answer(watches_.open(std::move(out)));
}

Api::Reply Api::get(const Request& request, const ResourcePath& path) {
  const auto found = registry_.get(stored_kind(*path.kind), {path.ns, path.name});
  if (!found) return refuse(found.error());
  return shown(request, *path.kind, *found, 200);
}

Api::Reply Api::shown(const Request& request, const Kind& kind, const ObjectPtr& object, int status) const {
  const auto form = form_from(request.headers.find("Accept").value_or(""));
  if (!form) return refuse(form.error());
  const Rendering rendering{kind, *form, registry_.outside().now(), request.parameter("includeObject").value_or("") == "Object"};
  return server::json_response(rendering.object(*object), status);
}

}  // namespace muster::sim
