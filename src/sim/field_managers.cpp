#include "sim/field_managers.h"

#include <algorithm>
#include <fmt/format.h>

namespace muster::sim {
namespace {

struct Manager {
  std::string name;
  std::string operation;  // "Apply" or "Update"
  std::string api_version;
  std::string time;
  FieldSet fields;
};
using Managers = std::vector<Manager>;

Managers managers_of(const Tree& object) {
  Managers out;
  const auto* entries = object.at("metadata.managedFields");
  if (entries == nullptr || !entries->is_list()) return out;
  for (const auto& entry : *entries->as_list()) {
    const auto* fields = entry.find("fieldsV1");
    out.push_back({std::string(entry.text_at("manager")), std::string(entry.text_at("operation")),
                   std::string(entry.text_at("apiVersion")), std::string(entry.text_at("time")),
                   fields == nullptr ? FieldSet{} : read_fields_v1(*fields)});
  }
  return out;
}

void write_managers(Tree& object, const Managers& managers) {
  Tree entries = Tree::list();
  for (const auto& manager : managers) {
    if (manager.fields.empty()) continue;
    Tree entry = Tree::map();
    entry["manager"] = Tree(manager.name);
    entry["operation"] = Tree(manager.operation);
    entry["apiVersion"] = Tree(manager.api_version);
    entry["time"] = Tree(manager.time);
    entry["fieldsType"] = Tree("FieldsV1");
    entry["fieldsV1"] = fields_v1(manager.fields);
    entries.push_back(std::move(entry));
  }
  if (entries.as_list()->empty())
    object.erase_at("metadata.managedFields");
  else
    object.make("metadata.managedFields") = std::move(entries);
}

Manager& manager_named(Managers& managers, const std::string& name, std::string_view operation) {
  const auto found = std::find_if(managers.begin(), managers.end(),
                                  [&](const Manager& one) { return one.name == name && one.operation == operation; });
  return found != managers.end() ? *found : managers.emplace_back(Manager{name, std::string(operation), {}, {}, {}});
}

// "x", "y" using v1 at 2026-01-01T00:00:00Z.
std::string manager_text(const Manager& manager) {
  if (manager.operation == "Apply") return fmt::format("\"{}\"", manager.name);
  return fmt::format("\"{}\" using {} at {}", manager.name, manager.api_version, manager.time);
}

ApiError conflicting(const Kind& kind, const Tree& live, const std::vector<std::pair<const Manager*, FieldPath>>& conflicts) {
  ApiError out;
  out.code = 409;
  out.reason = "Conflict";
  out.group = kind.group;
  out.kind = kind.plural;
  out.name = live.text_at("metadata.name");
  const bool several = conflicts.size() > 1;
  out.message = fmt::format("Apply failed with {} conflict{}:", conflicts.size(), several ? "s" : "");
  const Manager* last = nullptr;
  for (const auto& [manager, path] : conflicts) {
    const auto who = manager_text(*manager);
    if (!several)
      out.message += fmt::format(" conflict with {}: {}", who, path_text(path));
    else
      out.message += (manager == last ? "" : fmt::format("{}conflicts with {}:", last == nullptr ? " " : "\n", who)) + "\n- " +
                     path_text(path);
    last = manager;
    out.causes.push_back({"FieldManagerConflict", "conflict with " + who, path_text(path)});
  }
  return out;
}

// Whether a manager has this field, or something in it.
bool has_any_below(const FieldSet& fields, const FieldPath& path) {
  auto prefix = path;
  if (!prefix.empty() && prefix.back() == ".") prefix.pop_back();
  const auto next = fields.lower_bound(prefix);
  return next != fields.end() && next->size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), next->begin());
}

void remove_abandoned(Tree& live, const FieldSet& before, const FieldSet& now, const Managers& others) {
  for (const auto& path : before) {
    const bool is_used = has_any_below(now, path) || std::any_of(others.begin(), others.end(), [&](const Manager& other) {
                           return has_any_below(other.fields, path);
                         });
    if (!is_used) erase_path(live, path);
  }
}

}  // namespace

Answered<Tree> applied_onto(const Kind& kind, Tree live, const Tree& applied, const ApplyRequest& request) {
  const auto keys = kind.is_custom ? ListKeys::kNone : ListKeys::kTyped;
  const auto wanted = fields_set_by(applied, keys);
  auto managers = managers_of(live);
  const auto before = manager_named(managers, request.manager, "Apply").fields;

  std::vector<std::pair<const Manager*, FieldPath>> conflicts;
  for (auto& other : managers) {
    if (other.name == request.manager && other.operation == "Apply") continue;
    for (const auto& path : wanted) {
      if (!other.fields.contains(path) || path.back() == ".") continue;
      const auto* now = at_path(live, path);
      const auto* value = at_path(applied, path);
      if (now != nullptr && value != nullptr && *now == *value) continue;
      if (request.force)
        other.fields.erase(path);
      else
        conflicts.emplace_back(&other, path);
    }
  }
  if (!conflicts.empty()) return refuse(conflicting(kind, live, conflicts));

  const auto before_all = live;
  Managers others = managers;
  std::erase_if(others, [&](const Manager& one) { return one.name == request.manager && one.operation == "Apply"; });
  remove_abandoned(live, before, wanted, others);
  auto content = applied;
  content.erase_at("metadata.managedFields");
  merge_fields(live, content, keys);

  auto& own = manager_named(managers, request.manager, "Apply");
  own.fields = wanted;
  own.api_version = kind.api_version();
  if (own.time.empty() || before != wanted || !(live == before_all)) own.time = request.now;
  write_managers(live, managers);
  return live;
}

void note_update(const Kind& kind, const Tree& before, Tree& after, const std::string& manager, const std::string& now) {
  auto managers = managers_of(before);
  if (std::none_of(managers.begin(), managers.end(), [](const Manager& one) { return one.operation == "Apply"; })) return;
  const auto fields = fields_set_by(after, kind.is_custom ? ListKeys::kNone : ListKeys::kTyped);
  FieldSet changed;
  for (const auto& path : fields) {
    const auto* old = at_path(before, path);
    if (path.back() == "." ? old == nullptr : old == nullptr || !(*old == *at_path(after, path))) changed.insert(path);
  }
  for (auto& one : managers)
    std::erase_if(one.fields, [&](const FieldPath& path) { return changed.contains(path) || at_path(after, path) == nullptr; });
  if (!changed.empty()) {
    auto& own = manager_named(managers, manager, "Update");
    own.fields.insert(changed.begin(), changed.end());
    own.api_version = kind.api_version();
    own.time = now;
  }
  write_managers(after, managers);
}

}  // namespace muster::sim
