#include "sim/field_sets.h"

#include <algorithm>

#include "sim/list_keys.h"

namespace muster::sim {
namespace {

ListRule rule_for(ListKeys keys, std::string_view parent, std::string_view field) {
  return keys == ListKeys::kTyped ? list_rule(parent, field) : ListRule{};
}

bool all_have(const Tree::List& items, std::string_view key) {
  return std::all_of(items.begin(), items.end(), [&](const Tree& item) { return item.find(key) != nullptr; });
}

std::string key_step(std::string_view key, const Tree& item) {
  Tree out = Tree::map();
  out[key] = *item.find(key);
  return "k:" + out.text();
}

// Those that say which object it is, and those that the server writes.
bool is_nobodys(const FieldPath& path) {
  if (path.size() == 1) return path[0] == "f:apiVersion" || path[0] == "f:kind";
  if (path.size() != 2 || path[0] != "f:metadata") return false;
  static const std::set<std::string_view> kServers{"f:name",          "f:namespace",         "f:uid",        "f:resourceVersion",
                                                   "f:managedFields", "f:creationTimestamp", "f:generation", "f:selfLink",
                                                   "f:generateName"};
  return kServers.contains(path[1]);
}

class FieldCollector {
 public:
  FieldCollector(ListKeys keys, FieldSet& out) : keys_(keys), out_(out) {}

  void map(const Tree& value, std::string_view parent) {
    for (const auto& [key, member] : *value.as_map()) {
      path_.push_back("f:" + key);
      if (!is_nobodys(path_)) field(member, parent, key);
      path_.pop_back();
    }
  }

 private:
  void field(const Tree& value, std::string_view parent, std::string_view key) {
    if (value.is_map() && !value.as_map()->empty()) return map(value, key);
    const auto* items = value.as_list();
    const auto rule = rule_for(keys_, parent, key);
    if (items == nullptr || items->empty() || rule.merge == ListMerge::kAtomic ||
        (rule.merge == ListMerge::kByKey && !all_have(*items, rule.key))) {
      out_.insert(path_);
      return;
    }
    for (const auto& item : *items) {
      path_.push_back(rule.merge == ListMerge::kSet ? "v:" + item.text() : key_step(rule.key, item));
      if (rule.merge == ListMerge::kByKey) {
        map(item, key);
        path_.emplace_back(".");
      }
      out_.insert(path_);
      if (rule.merge == ListMerge::kByKey) path_.pop_back();
      path_.pop_back();
    }
  }

  ListKeys keys_;
  FieldSet& out_;
  FieldPath path_;
};

// Of an item: all others are names of fields. Steps come from what was stored, be it right or not.
bool is_item_step(std::string_view step) { return step.starts_with("k:") || step.starts_with("v:"); }

bool is_item(const Tree& item, std::string_view step) {
  if (!is_item_step(step)) return false;
  const auto wanted = Tree::parse(step.substr(2));
  if (!wanted) return false;
  if (step.starts_with("v:")) return item == *wanted;
  if (!wanted->is_map()) return false;
  return std::all_of(wanted->as_map()->begin(), wanted->as_map()->end(),
                     [&](const auto& one) { return item.find(one.key) != nullptr && *item.find(one.key) == one.value; });
}

Tree* step_into(Tree& from, std::string_view step) {
  if (step == ".") return &from;
  if (step.starts_with("f:")) return from.find(step.substr(2));
  auto* items = from.as_list();
  if (items == nullptr) return nullptr;
  const auto found = std::find_if(items->begin(), items->end(), [&](const Tree& item) { return is_item(item, step); });
  return found == items->end() ? nullptr : &*found;
}

void collect_v1(const Tree& tree, FieldPath& path, FieldSet& out) {
  if (!tree.is_map() || tree.as_map()->empty()) {
    if (!path.empty()) out.insert(path);
    return;
  }
  for (const auto& [step, below] : *tree.as_map()) {
    path.push_back(step);
    collect_v1(below, path, out);
    path.pop_back();
  }
}

void merge_into(Tree& document, const Tree& applied, std::string_view parent, std::string_view field, ListKeys keys) {
  if (applied.is_map()) {
    if (!document.is_map()) document = Tree::map();
    for (const auto& [key, value] : *applied.as_map())
      if (!value.is_null()) merge_into(document[key], value, field, key, keys);
    return;
  }
  const auto rule = rule_for(keys, parent, field);
  if (!applied.is_list() || !document.is_list() || rule.merge == ListMerge::kAtomic) {
    document = applied;
    return;
  }
  for (const auto& item : *applied.as_list()) {
    const auto* value = rule.merge == ListMerge::kByKey ? item.find(rule.key) : nullptr;
    auto& items = *document.as_list();
    if (value == nullptr) {
      if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
    } else if (auto* own = item_with(items, rule.key, *value)) {
      merge_into(*own, item, parent, field, keys);
    } else {
      items.push_back(item);
    }
  }
}

}  // namespace

FieldSet fields_set_by(const Tree& document, ListKeys keys) {
  FieldSet out;
  if (document.is_map()) FieldCollector(keys, out).map(document, "");
  return out;
}

const Tree* at_path(const Tree& document, const FieldPath& path) {
  auto* out = const_cast<Tree*>(&document);
  for (const auto& step : path) {
    out = step_into(*out, step);
    if (out == nullptr) return nullptr;
  }
  return out;
}

void erase_path(Tree& document, const FieldPath& path) {
  auto steps = path;
  if (!steps.empty() && steps.back() == ".") steps.pop_back();
  if (steps.empty()) return;
  auto* parent = const_cast<Tree*>(at_path(document, FieldPath(steps.begin(), steps.end() - 1)));
  if (parent == nullptr) return;
  const auto& last = steps.back();
  if (last.starts_with("f:"))
    parent->erase(std::string_view(last).substr(2));
  else if (auto* items = parent->as_list())
    std::erase_if(*items, [&](const Tree& item) { return is_item(item, last); });
}

std::string path_text(const FieldPath& path) {
  std::string out;
  for (const auto& step : path) {
    if (step == ".") continue;
    if (step.starts_with("f:")) {
      out += "." + step.substr(2);
      continue;
    }
    if (!is_item_step(step)) continue;
    const auto keys = Tree::parse(std::string_view(step).substr(2));
    out += '[';
    if (keys && keys->is_map())
      for (const auto& [key, value] : *keys->as_map()) out += (out.back() == '[' ? "" : ",") + key + "=" + value.text();
    else
      out += "=" + step.substr(2);
    out += ']';
  }
  return out;
}

void merge_fields(Tree& document, const Tree& applied, ListKeys keys) { merge_into(document, applied, "", "", keys); }

Tree fields_v1(const FieldSet& fields) {
  Tree out = Tree::map();
  for (const auto& path : fields) {
    auto* at = &out;
    for (const auto& step : path) at = &(*at)[step];
    if (at->is_null()) *at = Tree::map();
  }
  return out;
}

FieldSet read_fields_v1(const Tree& tree) {
  FieldSet out;
  FieldPath path;
  collect_v1(tree, path, out);
  return out;
}

}  // namespace muster::sim
