#include "sim/field_sets.h"

#include <optional>

#include "sim/list_keys.h"

namespace muster::sim {
namespace {

thread_local std::uint64_t looked_at = 0;

ListRule rule_for(ListKeys keys, std::string_view parent, std::string_view field) {
  return keys == ListKeys::kTyped ? applied_list(parent, field) : ListRule{};
}

// The step to an item of a list that is merged; nothing where it lacks the key.
std::optional<std::string> item_step(const ListRule& rule, const Tree& item) {
  if (rule.merge == ListMerge::kSet) return "v:" + item.text();
  const auto keys = keys_of(item, rule.keys);
  if (!keys) return std::nullopt;
  return "k:" + keys->text();
}

bool is_merged(const ListRule& rule, const Tree::List& items) {
  if (rule.merge == ListMerge::kByKey)
    return std::all_of(items.begin(), items.end(), [&](const Tree& item) { return item.find(rule.keys.front().name) != nullptr; });
  return rule.merge == ListMerge::kSet;
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
  FieldCollector(ListKeys keys, Fields& out) : keys_(keys), out_(out) {}

  void map(const Tree& value, std::string_view parent) {
    for (const auto& [key, member] : *value.as_map()) {
      ++looked_at;
      if (member.is_null()) continue;
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
    if (items == nullptr || items->empty() || !is_merged(rule, *items)) {
      out_.emplace(path_, &value);
      return;
    }
    for (const auto& item : *items) {
      ++looked_at;
      path_.push_back(*item_step(rule, item));
      if (rule.merge == ListMerge::kByKey) {
        map(item, key);
        path_.emplace_back(".");
      }
      out_.emplace(path_, &item);
      if (rule.merge == ListMerge::kByKey) path_.pop_back();
      path_.pop_back();
    }
  }

  ListKeys keys_;
  Fields& out_;
  FieldPath path_;
};

class FieldEraser {
 public:
  FieldEraser(ListKeys keys, const FieldSet& gone) : keys_(keys), gone_(gone) {}

  void map(Tree& value, std::string_view parent) {
    Tree::Map kept;
    for (auto& member : *value.as_map()) {
      ++looked_at;
      path_.push_back("f:" + member.key);
      if (!gone_.contains(path_)) {
        if (has_any_below(gone_, path_)) inside(member.value, parent, member.key);
        kept.push_back(std::move(member));
      }
      path_.pop_back();
    }
    *value.as_map() = std::move(kept);
  }

 private:
  void inside(Tree& value, std::string_view parent, std::string_view key) {
    if (value.is_map()) return map(value, key);
    if (const auto rule = rule_for(keys_, parent, key); value.is_list() && rule.merge != ListMerge::kAtomic)
      list(*value.as_list(), rule, key);
  }

  void list(Tree::List& items, const ListRule& rule, std::string_view field) {
    Tree::List kept;
    for (auto& item : items) {
      ++looked_at;
      auto step = item_step(rule, item);
      if (!step) {
        kept.push_back(std::move(item));
        continue;
      }
      path_.push_back(std::move(*step));
      if (!is_gone_item(rule)) {
        if (item.is_map() && has_any_below(gone_, path_)) map(item, field);
        kept.push_back(std::move(item));
      }
      path_.pop_back();
    }
    items = std::move(kept);
  }

  bool is_gone_item(const ListRule& rule) {
    if (rule.merge == ListMerge::kSet) return gone_.contains(path_);
    path_.emplace_back(".");
    const bool out = gone_.contains(path_);
    path_.pop_back();
    return out;
  }

  ListKeys keys_;
  const FieldSet& gone_;
  FieldPath path_;
};

class FieldMerger {
 public:
  explicit FieldMerger(ListKeys keys) : keys_(keys) {}

  void value(Tree& document, const Tree& applied, std::string_view parent, std::string_view field) {
    if (applied.is_map()) return map(document, *applied.as_map(), field);
    const auto rule = rule_for(keys_, parent, field);
    if (applied.is_list() && document.is_list() && is_merged(rule, *applied.as_list()))
      list(*document.as_list(), *applied.as_list(), rule, field);
    else
      document = applied;
  }

 private:
  void map(Tree& document, const Tree::Map& applied, std::string_view field) {
    if (!document.is_map()) document = Tree::map();
    auto& members = *document.as_map();
    members.reserve(members.size() + applied.size());  // so that the names in `places` stay where they are
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < members.size(); ++i) places.emplace(members[i].key, i);
    looked_at += members.size() + applied.size();
    for (const auto& [key, given] : applied) {
      if (given.is_null()) continue;
      const auto [place, is_new] = places.try_emplace(key, members.size());
      if (is_new) members.push_back({key, Tree()});
      value(members[place->second].value, given, field, key);
    }
  }

  void list(Tree::List& items, const Tree::List& applied, const ListRule& rule, std::string_view field) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (auto step = item_step(rule, items[i])) places.emplace(std::move(*step), i);
    looked_at += items.size() + applied.size();
    for (const auto& item : applied) {
      const auto [place, is_new] = places.try_emplace(*item_step(rule, item), items.size());
      if (is_new)
        items.push_back(item);
      else if (rule.merge == ListMerge::kByKey)
        map(items[place->second], *item.as_map(), field);
    }
  }

  ListKeys keys_;
};

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

// Paths that begin alike follow each other.
Tree tree_below(FieldSet::const_iterator begin, FieldSet::const_iterator end, std::size_t depth) {
  Tree out = Tree::map();
  while (begin != end) {
    if (begin->size() == depth) {
      ++begin;  // the field itself, of which there are parts as well
      continue;
    }
    const auto& step = (*begin)[depth];
    const auto next = std::find_if(begin, end, [&](const FieldPath& path) { return path[depth] != step; });
    out.as_map()->push_back({step, tree_below(begin, next, depth + 1)});
    begin = next;
  }
  return out;
}

}  // namespace

std::uint64_t fields_looked_at() { return looked_at; }

Fields fields_of(const Tree& document, ListKeys keys) {
  Fields out;
  if (document.is_map()) FieldCollector(keys, out).map(document, "");
  return out;
}

void erase_fields(Tree& document, const FieldSet& gone, ListKeys keys) {
  if (document.is_map() && !gone.empty()) FieldEraser(keys, gone).map(document, "");
}

void merge_fields(Tree& document, const Tree& applied, ListKeys keys) { FieldMerger(keys).value(document, applied, "", ""); }

std::string path_text(const FieldPath& path) {
  std::string out;
  for (const auto& step : path) {
    if (step.starts_with("f:")) out += "." + step.substr(2);
    // Of an item. Steps come from what was stored, be it right or not.
    if (!step.starts_with("k:") && !step.starts_with("v:")) continue;
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

Tree fields_v1(const FieldSet& fields) { return tree_below(fields.begin(), fields.end(), 0); }

FieldSet read_fields_v1(const Tree& tree) {
  FieldSet out;
  FieldPath path;
  collect_v1(tree, path, out);
  return out;
}

}  // namespace muster::sim
