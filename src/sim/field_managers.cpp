#include "sim/field_managers.h"

#include <algorithm>
#include <fmt/format.h>

namespace muster::sim {
namespace {

struct Manager {
  std::string name;
  std::string operation;  // "Apply" or "Update"
  std::string subresource;
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
                   std::string(entry.text_at("subresource")), std::string(entry.text_at("apiVersion")),
                   std::string(entry.text_at("time")), fields == nullptr ? FieldSet{} : read_fields_v1(*fields)});
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
    if (!manager.subresource.empty()) entry["subresource"] = Tree(manager.subresource);
    entries.push_back(std::move(entry));
  }
  if (entries.as_list()->empty())
    object.erase_at("metadata.managedFields");
  else
    object.make("metadata.managedFields") = std::move(entries);
}

// One that applies is the same in every version of the API.
bool is_same(const Manager& a, const Manager& b) {
  return a.name == b.name && a.operation == b.operation && a.subresource == b.subresource &&
         (a.operation == "Apply" || a.api_version == b.api_version);
}

Manager& own_entry(Managers& managers, const Manager& self) {
  const auto found = std::ranges::find_if(managers, [&](const Manager& one) { return is_same(one, self); });
  return found != managers.end() ? *found : managers.emplace_back(self);
}

// "x", "y" with subresource "status" using v1 at 2026-01-01T00:00:00Z.
std::string manager_text(const Manager& manager) {
  auto out = fmt::format("\"{}\"", manager.name);
  if (!manager.subresource.empty()) out += fmt::format(" with subresource \"{}\"", manager.subresource);
  if (manager.operation != "Apply") out += fmt::format(" using {} at {}", manager.api_version, manager.time);
  return out;
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

FieldSet paths_of(const Fields& fields) {
  FieldSet out;
  for (const auto& [path, value] : fields) out.insert(out.end(), path);
  return out;
}

// What takes nothing away from what it is merged with.
bool is_empty(const Tree& value) {
  return (value.is_map() && value.as_map()->empty()) || (value.is_list() && value.as_list()->empty());
}

// What a manager no longer says goes, unless it says a part of it, or another one has it.
void remove_abandoned(Tree& live, const FieldSet& before, const FieldSet& now, const Managers& others, ListKeys keys) {
  auto used = now;
  for (const auto& other : others) used.insert(other.fields.begin(), other.fields.end());
  FieldSet gone;
  for (const auto& path : before)
    if (!has_any_below(used, path)) gone.insert(gone.end(), path);
  erase_fields(live, gone, keys);
}

}  // namespace

Answered<Tree> applied_onto(const Kind& kind, Tree live, const Tree& applied, const FieldWriter& writer, OnConflict on_conflict) {
  const auto keys = kind.is_custom ? ListKeys::kNone : ListKeys::kTyped;
  const auto wanted = fields_of(applied, keys);
  const auto there = fields_of(live, keys);
  auto managers = managers_of(live);
  const Manager self{writer.manager, "Apply", writer.subresource, kind.api_version(), {}, {}};
  const auto is_own = [&](const Manager& one) { return is_same(one, self); };
  const auto before = own_entry(managers, self).fields;

  std::vector<std::pair<const Manager*, FieldPath>> conflicts;
  for (auto& other : managers) {
    if (is_own(other)) continue;
    std::erase_if(other.fields, [&](const FieldPath& path) {
      const auto given = path.back() == "." ? wanted.end() : wanted.find(path);
      if (given == wanted.end()) return false;
      const auto now = there.find(path);
      if (now != there.end() && *now->second == *given->second) return false;
      // Of a list that is replaced as a whole there is nothing below: an empty one is another value.
      if (now == there.end() && is_empty(*given->second) && has_any_below(there, path)) return false;
      if (on_conflict == OnConflict::kRefuse) conflicts.emplace_back(&other, path);
      return on_conflict == OnConflict::kTakeOver;
    });
  }
  if (!conflicts.empty()) return refuse(conflicting(kind, live, conflicts));

  const auto before_all = live;
  auto others = managers;
  std::erase_if(others, is_own);
  const auto fields = paths_of(wanted);
  remove_abandoned(live, before, fields, others, keys);
  auto content = applied;
  content.erase_at("metadata.managedFields");
  merge_fields(live, content, keys);

  auto& own = own_entry(managers, self);
  own.api_version = kind.api_version();
  if (own.time.empty() || before != fields || !(live == before_all)) own.time = writer.now;
  own.fields = fields;
  write_managers(live, managers);
  return live;
}

void note_update(const Kind& kind, const Tree& before, Tree& after, const FieldWriter& writer) {
  auto managers = managers_of(before);
  if (std::none_of(managers.begin(), managers.end(), [](const Manager& one) { return one.operation == "Apply"; })) return;
  const auto keys = kind.is_custom ? ListKeys::kNone : ListKeys::kTyped;
  const auto old = fields_of(before, keys);
  const auto there = fields_of(after, keys);
  FieldSet changed;
  for (const auto& [path, value] : there) {
    const auto known = old.find(path);
    if (known == old.end() || (path.back() != "." && !(*known->second == *value))) changed.insert(changed.end(), path);
  }
  for (auto& one : managers)
    std::erase_if(one.fields, [&](const FieldPath& path) { return changed.contains(path) || !has_any_below(there, path); });
  if (!changed.empty()) {
    auto& own = own_entry(managers, {writer.manager, "Update", writer.subresource, kind.api_version(), {}, {}});
    own.fields.insert(changed.begin(), changed.end());
    own.time = writer.now;
  }
  write_managers(after, managers);
}

}  // namespace muster::sim
