#include "sim/registry.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/json.h"
#include "sim/admission.h"
#include "sim/custom_admission.h"
#include "sim/field_managers.h"
#include "sim/fields.h"
#include "sim/finalizers.h"
#include "sim/life_annotations.h"
#include "sim/pod_admission.h"

namespace muster::sim {
namespace {

// Written by the server alone; a write keeps what there is.
constexpr std::string_view kServersMetadata[] = {"name",       "namespace",         "uid",
                                                 "generation", "creationTimestamp", "deletionTimestamp",
                                                 "selfLink",   "managedFields",     "deletionGracePeriodSeconds"};

void keep(const Tree& before, Tree& after, std::string_view field) {
  if (const auto* own = before.find(field))
    after[field] = *own;
  else
    after.erase(field);
}

const Tree& metadata_of(const Tree& object) {
  static const Tree kEmpty = Tree::map();
  const auto* found = object.find("metadata");
  return found == nullptr ? kEmpty : *found;
}

Tree managed_fields_of(const Tree& object) {
  const auto* found = metadata_of(object).find("managedFields");
  return found == nullptr ? Tree() : *found;
}

// Whether anything but metadata and status differs. A custom resource whose status is written with the rest has none of its own.
bool differs_in_spec(const Kind& kind, const Tree& before, const Tree& after) {
  auto old = before;
  auto now = after;
  for (auto* one : {&old, &now}) {
    one->erase("metadata");
    if (!kind.is_custom || kind.subresources.status) one->erase("status");
  }
  return !(old == now);
}

// What a write of one part leaves of the rest.
void keep_other_part(const Kind& kind, const Tree& before, Tree& after, Part part) {
  if (part == Part::kServer) return;
  if (part == Part::kAll) {
    if (kind.subresources.status) keep(before, after, "status");
    return;
  }
  Tree out = before;
  keep(after, out, "status");
  if (!kind.is_custom)
    for (const std::string_view field : {"labels", "annotations", "finalizers"}) keep(metadata_of(after), out["metadata"], field);
  after = std::move(out);
}

Cause name_cause(std::string_view name, bool label) {
  return invalid_field(
      "metadata.name", fmt::format("\"{}\"", name),
      label
          ? "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an "
            "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
          : "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end "
            "with "
            "an alphanumeric character (e.g. 'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

bool names_another(const Tree& wanted, const Object& before) {
  const auto uid = wanted.text_at("metadata.uid");
  return !uid.empty() && uid != before.uid;
}

bool names_version(const Tree& wanted, const Tree& before) {
  const auto version = wanted.text_at("metadata.resourceVersion");
  return version.empty() || version == before.text_at("metadata.resourceVersion");
}

bool is_namespace(const Kind& kind) { return kind.group.empty() && kind.kind == "Namespace"; }

bool is_named_by_label(const Kind& kind) { return is_namespace(kind) || (kind.group.empty() && kind.kind == "Service"); }

bool is_name_for(const Kind& kind, std::string_view name) {
  if (kind.group == "rbac.authorization.k8s.io") return !name.empty() && name.find_first_of("/%") == std::string_view::npos;
  return is_named_by_label(kind) ? is_label_name(name) : is_object_name(name);
}

bool is_immortal(std::string_view ns) { return ns == "default" || ns == "kube-system" || ns == "kube-public"; }

// Maps of texts, as the API's types have them: anything else would be refused when it is read.
Answered<void> check_texts(const Tree& object) {
  for (const std::string_view field : {"metadata.labels", "metadata.annotations"}) {
    auto* found = object.at(field);
    if (found == nullptr || found->is_null()) continue;
    const bool good = found->is_map() && std::all_of(found->as_map()->begin(), found->as_map()->end(),
                                                     [](const auto& one) { return one.value.as_string() != nullptr; });
    if (!good) return refuse(bad_request(fmt::format("{} must be a map of strings", field)));
  }
  return {};
}

Answered<void> check_life(const Kind& kind, const Tree& before, const Tree& after) {
  auto wrong = wrong_life_annotations(kind, before, after);
  if (!wrong.empty()) return refuse(invalid(kind.subject(after.text_at("metadata.name")), std::move(wrong)));
  return {};
}

// What is kept must be read again, with what the file and lists put around it, and memory has an end. Patches make more of an
// object than a request may hold.
Answered<void> check_size(const Kind& kind, const Object& object) {
  constexpr std::size_t kLargestObject = std::size_t{3} << 20;  // as the largest body of a request
  if (object.levels > kMostLevels)
    return refuse(
        invalid(kind.subject(object.key.name),
                {{"FieldValueInvalid", fmt::format("Invalid value: nested deeper than {} levels", kMostLevels), "object"}}));
  if (object.text.size() > kLargestObject) return refuse(too_large(kLargestObject));
  return {};
}

}  // namespace

Answered<ObjectPtr> Registry::get(const Kind& kind, const Key& key) const {
  auto found = store_.find(kind, key);
  if (!found) return refuse(not_found(kind.subject(key.name)));
  return found;
}

// --- creating ---------------------------------------------------------------------------------------------------------

Answered<void> Registry::check_new(const Kind& kind, const std::string& ns, Tree& object) const {
  auto& metadata = object["metadata"];
  if (!metadata.is_map()) metadata = Tree::map();
  if (const auto named = metadata.text_at("namespace"); !named.empty() && named != ns)
    return refuse(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  if (!metadata.text_at("resourceVersion").empty())
    return refuse(bad_request("resourceVersion should not be set on objects to be created"));
  if (auto good = check_texts(object); !good) return good;
  if (kind.namespaced) {
    const auto home = store_.find(kind_named("", "namespaces"), {"", ns});
    if (!home) return refuse(not_found(kind_named("", "namespaces").subject(ns)));
    if (home->is_deleting)
      return refuse(forbidden(kind.subject(metadata.text_at("name")),
                              fmt::format("unable to create new content in namespace {} because it is being terminated", ns)));
    metadata["namespace"] = Tree(ns);
  } else {
    metadata.erase("namespace");
  }
  if (metadata.text_at("name").empty() && !metadata.text_at("generateName").empty()) {
    std::string name;
    do {
      name = std::string(metadata.text_at("generateName")) + outside_.name_suffix();
    } while (store_.find(kind, {kind.namespaced ? ns : "", name}));
    metadata["name"] = Tree(name);
  }
  const auto name = metadata.text_at("name");
  if (name.empty()) return refuse(invalid(kind.subject(""), {required_field("metadata.name", "name or generateName is required")}));
  if (!is_name_for(kind, name)) return refuse(invalid(kind.subject(name), {name_cause(name, is_named_by_label(kind))}));
  if (store_.find(kind, {kind.namespaced ? ns : "", std::string(name)})) return refuse(already_exists(kind.subject(name)));
  return check_life(kind, {}, object);
}

Answered<ObjectPtr> Registry::create(const Kind& kind, const std::string& ns, Tree object, const WriteOptions& options) {
  if (auto good = check_new(kind, ns, object); !good) return refuse(good.error());
  auto& metadata = object["metadata"];
  for (const std::string_view field :
       {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion", "generation"})
    metadata.erase(field);
  if (!options.is_apply) metadata.erase("managedFields");  // who owns what is the server's to say
  metadata["uid"] = Tree(outside_.uuid());
  metadata["creationTimestamp"] = Tree(outside_.time_text());
  if (has_generations(kind)) metadata["generation"] = Tree(std::int64_t{1});
  if (is_namespace(kind)) {
    object["spec"]["finalizers"] = Tree::list();
    object["spec"]["finalizers"].push_back(Tree("kubernetes"));
  }
  if (auto good = admit_new(kind, object, store_); !good) return refuse(good.error());
  if (kind.kind == "Pod" && !usual_scheduler_.empty() && object.text_at("spec.schedulerName") == kDefaultScheduler)
    object["spec"]["schedulerName"] = Tree(usual_scheduler_);
  return put(kind, std::move(object), options.dry_run);
}

Answered<ObjectPtr> Registry::put(const Kind& kind, Tree tree, bool dry_run) {
  const auto object = dry_run ? make_object(kind, tree, store_.revision()) : store_.draft(kind, std::move(tree));
  if (auto good = check_size(kind, *object); !good) return refuse(good.error());
  if (dry_run) return object;
  auto done = store_.put(kind, object);
  if (!done) return refuse(internal(done.error().message));
  return std::move(*done);
}

// --- changing ---------------------------------------------------------------------------------------------------------

Answered<ObjectPtr> Registry::replace(const Kind& kind, const Key& key, Tree object, Part part, const WriteOptions& options) {
  const auto before = get(kind, key);
  if (!before) return before;
  if (const auto name = object.text_at("metadata.name"); name != key.name)
    return refuse(bad_request(
        name.empty() ? "name must be provided"
                     : fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, key.name)));
  if (const auto ns = object.text_at("metadata.namespace"); !ns.empty() && ns != key.ns)
    return refuse(bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  const bool must_name_version = kind.is_custom || kind.kind == "Lease" || kind.kind == "PriorityClass";
  if (must_name_version && object.text_at("metadata.resourceVersion").empty())
    return refuse(
        invalid(kind.subject(key.name), {invalid_field("metadata.resourceVersion", "0", "must be specified for an update")}));
  return write(kind, *before, std::move(object), part, options);
}

Answered<ObjectPtr> Registry::change(const Kind& kind, const Key& key, Part part, const Changer& changer,
                                     const WriteOptions& options) {
  const auto before = get(kind, key);
  if (!before) return before;
  auto after = changer((*before)->tree());
  if (!after) return refuse(after.error());
  if (!after->is_map()) return refuse(bad_request("the patch makes something that is no object"));
  if (after->text_at("metadata.name") != key.name || after->text_at("metadata.namespace") != key.ns)
    return refuse(bad_request("the patch must not change the name or the namespace of the object"));
  // The uid of what is replaced is a precondition, that of a patch a field that cannot be changed.
  if (!options.is_apply && names_another(*after, **before) && names_version(*after, (*before)->tree()))
    return refuse(invalid(kind.subject(key.name),
                          {invalid_field("metadata.uid", json_string(after->text_at("metadata.uid")), "field is immutable")}));
  return write(kind, *before, std::move(*after), part, options);
}

Answered<ObjectPtr> Registry::write(const Kind& kind, const ObjectPtr& before, Tree after, Part part, const WriteOptions& options) {
  const auto subject = kind.subject(before->key.name);
  const auto old = before->tree();
  if (!names_version(after, old)) return refuse(stale(subject));
  if (names_another(after, *before))
    return refuse(conflict(subject, fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                                                after.text_at("metadata.uid"), before->uid)));
  if (auto good = check_texts(after); !good) return refuse(good.error());
  if (auto good = check_life(kind, old, after); !good) return refuse(good.error());
  // Before the other part is kept: what an apply has written about who owns what lies in the metadata.
  const auto managed = managed_fields_of(after);
  keep_other_part(kind, old, after, part);
  for (const auto field : kServersMetadata) keep(metadata_of(old), after["metadata"], field);
  after["metadata"]["resourceVersion"] = Tree(old.text_at("metadata.resourceVersion"));
  after["apiVersion"] = Tree(kind.api_version());
  after["kind"] = Tree(kind.kind);
  if (part == Part::kAll) {
    if (auto good = admit_change(kind, old, after); !good) return refuse(good.error());
  }
  if (part == Part::kStatus && kind.is_custom) {
    if (auto good = admit_custom_status(kind, old, after); !good) return refuse(good.error());
  }
  if (kind.kind == "Pod") repeat_pod_address(after);
  if (part != Part::kStatus) {
    if (has_generations(kind) && differs_in_spec(kind, old, after))
      after["metadata"]["generation"] = Tree(old.integer_at("metadata.generation").value_or(0) + 1);
  }
  const auto subresource = part == Part::kStatus ? "status" : options.subresource;
  if (!options.is_apply)
    note_update(kind, old, after, {options.manager, outside_.time_text(), std::string(subresource)});
  else if (managed.is_null())
    after["metadata"].erase("managedFields");  // nobody owns anything any more
  else
    after["metadata"]["managedFields"] = managed;
  // A namespace goes when it is empty as well, of which garbage collection knows.
  if (before->is_deleting && !has_finalizers(after) && old.integer_at("metadata.deletionGracePeriodSeconds").value_or(0) == 0 &&
      has_finalizers(old) && !is_namespace(kind)) {
    auto gone = erase(kind, before, options.dry_run);
    if (!gone) return refuse(gone.error());
    return gone->object;
  }
  if (after == old) return before;
  return put(kind, std::move(after), options.dry_run);
}

// --- deleting ---------------------------------------------------------------------------------------------------------

std::int64_t Registry::grace_of(const Kind& kind, const Tree& object, const DeleteOptions& options) const {
  if (kind.kind != "Pod") return 0;
  const auto phase = object.text_at("status.phase");
  if (object.text_at("spec.nodeName").empty() || phase == "Succeeded" || phase == "Failed") return 0;
  const auto grace = options.grace_seconds.value_or(object.integer_at("spec.terminationGracePeriodSeconds").value_or(30));
  return grace < 0 ? 1 : bounded(grace);
}

Answered<Deleted> Registry::erase(const Kind& kind, const ObjectPtr& object, bool dry_run) {
  if (dry_run) return Deleted{object, true};
  auto done = store_.remove(kind, object->key);
  if (!done) return refuse(internal(done.error().message));
  return Deleted{std::move(*done), true};
}

Answered<Deleted> Registry::remove(const Kind& kind, const Key& key, const DeleteOptions& options) {
  const auto found = get(kind, key);
  if (!found) return refuse(found.error());
  const auto& object = *found;
  auto tree = object->tree();
  if (!options.uid.empty() && options.uid != object->uid)
    return refuse(
        conflict(kind.subject(key.name),
                 fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", options.uid, object->uid)));
  if (!options.resource_version.empty() && options.resource_version != tree.text_at("metadata.resourceVersion"))
    return refuse(
        conflict(kind.subject(key.name),
                 fmt::format("Precondition failed: ResourceVersion in precondition: {}, ResourceVersion in object meta: {}",
                             options.resource_version, tree.text_at("metadata.resourceVersion"))));
  const auto grace = grace_of(kind, tree, options);
  if (is_namespace(kind) && is_immortal(key.name))
    return refuse(forbidden(kind.subject(key.name), "this namespace may not be deleted"));
  if (options.propagation != Propagation::kBackground)
    add_finalizer(tree, options.propagation == Propagation::kForeground ? kForegroundFinalizer : kOrphanFinalizer);
  if (!has_finalizers(tree) && grace == 0 && !is_namespace(kind)) return erase(kind, object, options.dry_run);
  const auto granted = tree.integer_at("metadata.deletionGracePeriodSeconds");
  if (object->is_deleting && (granted.value_or(0) <= grace)) return Deleted{object, false};
  tree["metadata"]["deletionTimestamp"] = Tree(Timestamp{outside_.now().seconds + grace, 0}.rfc3339());
  tree["metadata"]["deletionGracePeriodSeconds"] = Tree(grace);
  if (has_generations(kind)) tree["metadata"]["generation"] = Tree(tree.integer_at("metadata.generation").value_or(0) + 1);
  if (is_namespace(kind)) tree["status"]["phase"] = Tree("Terminating");
  auto written = put(kind, std::move(tree), options.dry_run);
  if (!written) return refuse(written.error());
  return Deleted{*written, false};
}

}  // namespace muster::sim
