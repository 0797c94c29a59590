#include "sim/strategic_merge.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/list_keys.h"

namespace muster::sim {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetain = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrder = "$setElementOrder/";

// Remembers the first thing that is wrong and goes on; the result is then thrown away.
class StrategicMerger {
 public:
  std::string wrong;

  Tree maps(Tree document, const Tree& patch, std::string_view parent) {
    const auto directive = patch.text_at(kDirective);
    if (directive == "replace" || directive == "delete") {
      Tree out = directive == "replace" ? patch : Tree::map();
      out.erase(kDirective);
      return out;
    }
    if (!directive.empty() && directive != "merge") wrong = fmt::format("unknown $patch: {}", directive);
    if (!document.is_map()) document = Tree::map();
    retain(document, patch.find(kRetain));
    for (const auto& [key, value] : *patch.as_map()) member(document, key, value, parent);
    for (const auto& [key, value] : *patch.as_map())
      if (key.starts_with(kOrder)) reorder(document, key.substr(kOrder.size()), value, parent);
    return document;
  }

 private:
  static void retain(Tree& document, const Tree* keys) {
    if (keys == nullptr || !keys->is_list()) return;
    std::erase_if(*document.as_map(), [&](const auto& one) {
      return std::find(keys->as_list()->begin(), keys->as_list()->end(), Tree(one.key)) == keys->as_list()->end();
    });
  }

  void member(Tree& document, const std::string& key, const Tree& value, std::string_view parent) {
    if (key == kDirective || key == kRetain || key.starts_with(kOrder)) return;
    if (key.starts_with(kDeleteFrom)) return delete_from(document, key.substr(kDeleteFrom.size()), value);
    if (value.is_null()) return document.erase(key);
    if (value.is_map()) {
      document[key] = maps(std::exchange(document[key], Tree()), value, key);
      return;
    }
    const auto rule = patched_list(parent, key);
    if (value.is_list() && rule.merge != ListMerge::kAtomic)
      document[key] = lists(std::exchange(document[key], Tree()), *value.as_list(), key, rule);
    else
      document[key] = value;
  }

  static void delete_from(Tree& document, const std::string& key, const Tree& values) {
    auto* items = document.find(key) == nullptr ? nullptr : document.find(key)->as_list();
    if (items == nullptr || !values.is_list()) return;
    std::erase_if(*items, [&](const Tree& item) {
      return std::find(values.as_list()->begin(), values.as_list()->end(), item) != values.as_list()->end();
    });
  }

  Tree lists(Tree document, const Tree::List& patch, std::string_view field, const ListRule& rule) {
    if (!document.is_list()) document = Tree::list();
    const bool replaces =
        std::any_of(patch.begin(), patch.end(), [](const Tree& item) { return item.text_at(kDirective) == "replace"; });
    if (replaces) document = Tree::list();
    for (const auto& item : patch) {
      if (rule.merge == ListMerge::kSet)
        into_set(document, item);
      else
        into_list(document, item, field, rule.keys.front().name);
    }
    return document;
  }

  static void into_set(Tree& document, const Tree& item) {
    auto& items = *document.as_list();
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
  }

  void into_list(Tree& document, const Tree& item, std::string_view field, std::string_view key) {
    auto& items = *document.as_list();
    const auto directive = item.text_at(kDirective);
    if (directive == "replace") return;  // was said to the list
    const auto* value = item.find(key);
    if (value == nullptr) {
      wrong = fmt::format("map: {} does not contain declared merge key: {}", item.text(), key);
      return;
    }
    auto* own = item_with(items, key, *value);
    if (directive == "delete") {
      std::erase_if(items, [&](const Tree& one) { return one.find(key) != nullptr && *one.find(key) == *value; });
    } else if (own != nullptr) {
      *own = maps(std::move(*own), item, field);
    } else {
      items.push_back(maps(Tree::map(), item, field));
    }
  }

  // What is named comes in the order named, on the places that it has together; the rest stays where it is.
  static void reorder(Tree& document, const std::string& field, const Tree& order, std::string_view parent) {
    auto* found = document.find(field);
    auto* items = found == nullptr ? nullptr : found->as_list();
    if (items == nullptr || !order.is_list()) return;
    const auto rule = patched_list(parent, field);
    const auto rank = [&](const Tree& item) {
      const auto same = [&](const Tree& one) {
        if (rule.merge != ListMerge::kByKey) return one == item;
        const auto wanted = keys_of(one, rule.keys);
        return wanted && wanted == keys_of(item, rule.keys);
      };
      return static_cast<std::size_t>(std::find_if(order.as_list()->begin(), order.as_list()->end(), same) -
                                      order.as_list()->begin());
    };
    std::vector<std::size_t> places;
    std::vector<std::pair<std::size_t, Tree>> named;
    for (std::size_t i = 0; i < items->size(); ++i)
      if (const auto position = rank((*items)[i]); position < order.as_list()->size()) {
        places.push_back(i);
        named.emplace_back(position, std::move((*items)[i]));
      }
    std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < places.size(); ++i) (*items)[places[i]] = std::move(named[i].second);
  }
};

}  // namespace

Answered<Tree> strategically_merged(Tree document, const Tree& patch) {
  if (!patch.is_map()) return refuse(bad_request("error decoding patch: a strategic merge patch is an object"));
  StrategicMerger merger;
  auto out = merger.maps(std::move(document), patch, "");
  if (!merger.wrong.empty()) return refuse(bad_request(merger.wrong));
  return out;
}

}  // namespace muster::sim
