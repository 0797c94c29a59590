#include "app/config_dialect.h"

#include "model/name_list.h"
#include "policy/kai/settings_table.h"
#include "policy/volcano/settings_table.h"

namespace muster {
namespace {

struct KnownTo {
  bool volcano = false;
  bool kai = false;
};

// What speaks for each of the two.
struct Signs {
  bool volcano = false;
  bool kai = false;

  void note(KnownTo name) {
    volcano = volcano || (name.volcano && !name.kai);
    kai = kai || (name.kai && !name.volcano);
  }
};

void note_key(std::string_view key, Signs& signs) {
  signs.note({.volcano = key == "configurations" || key == "metrics",
              .kai = key == "queueDepthPerAction" || key == "usageDBConfig" || key == "scenarioSearchBudgets"});
}

void note_plugin(const Value& plugin, Signs& signs) {
  const auto* name = plugin.find("name");
  const auto* text = name == nullptr ? nullptr : name->as_string();
  if (text != nullptr) signs.note({.volcano = volcano::find_plugin(*text) != nullptr, .kai = kai::find_plugin(*text) != nullptr});
}

void note_tiers(const Value& tiers, Signs& signs) {
  if (tiers.as_list() == nullptr) return;
  for (const auto& tier : *tiers.as_list()) {
    const auto* plugins = tier.find("plugins");
    if (plugins == nullptr || plugins->as_list() == nullptr) continue;
    for (const auto& plugin : *plugins->as_list()) note_plugin(plugin, signs);
  }
}

}  // namespace

std::string_view name_of(Dialect dialect) { return dialect == Dialect::kKai ? "kai" : "volcano"; }

std::optional<Dialect> dialect_of_config(const Value& root) {
  Signs signs;
  if (root.as_map() == nullptr) return std::nullopt;
  for (const auto& [key, value] : *root.as_map()) {
    const auto name = text_of_scalar(key).value_or("");
    note_key(name, signs);
    if (name == "tiers") note_tiers(value, signs);
    if (name != "actions" || value.as_string() == nullptr) continue;
    for (const auto& action : split_names(value, *value.as_string()))
      signs.note({.volcano = volcano::find_action(*action.as_string()) != nullptr,
                  .kai = kai::find_action(*action.as_string()) != nullptr});
  }
  if (signs.volcano == signs.kai) return std::nullopt;
  return signs.kai ? Dialect::kKai : Dialect::kVolcano;
}

std::string misread_as(Dialect dialect, const Value& root) {
  const auto seems = dialect_of_config(root);
  if (!seems || *seems == dialect) return {};
  const auto whose = *seems == Dialect::kKai ? "KAI" : "Volcano";
  return std::string("this looks like a configuration of ") + whose + "'s scheduler: see --dialect " + std::string(name_of(*seems));
}

}  // namespace muster
