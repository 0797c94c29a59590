#include "sim/conditions.h"

#include <algorithm>

#include "sim/list_keys.h"

namespace muster::sim {

const Tree* status_condition(const Tree& object, std::string_view type) {
  const auto* conditions = object.at("status.conditions");
  if (conditions == nullptr || !conditions->is_list()) return nullptr;
  const auto& items = *conditions->as_list();
  const auto found = std::find_if(items.begin(), items.end(), [&](const Tree& one) { return one.text_at("type") == type; });
  return found == items.end() ? nullptr : &*found;
}

bool has_true_condition(const Tree& object, std::string_view type) {
  const auto* condition = status_condition(object, type);
  return condition != nullptr && condition->text_at("status") == "True";
}

Tree& put_condition(Tree& object, std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
                    const std::string& now) {
  auto& conditions = object["status"]["conditions"];
  if (!conditions.is_list()) conditions = Tree::list();
  auto* condition = item_with(*conditions.as_list(), "type", Tree(type));
  if (condition == nullptr) {
    conditions.push_back(Tree::map());
    condition = &conditions.as_list()->back();
    (*condition)["type"] = Tree(type);
  }
  if (condition->text_at("status") != status) (*condition)["lastTransitionTime"] = Tree(now);
  (*condition)["status"] = Tree(status);
  for (const auto& [field, text] : {std::pair("reason", reason), std::pair("message", message)})
    if (text.empty())
      condition->erase(field);
    else
      (*condition)[field] = Tree(text);
  return *condition;
}

}  // namespace muster::sim
