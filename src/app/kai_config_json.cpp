#include "app/kai_config_json.h"

#include "codec/json_writer.h"
#include "codec/value_json.h"
#include "codec/yaml_value.h"
#include "policy/kai/config.h"

namespace muster {
namespace {

std::string default_json() {
  const auto& config = kai::default_config();
  std::string actions;
  for (const auto& action : config.actions) actions += (actions.empty() ? "" : ", ") + action;
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("actions", actions).key("tiers").begin_array().begin_object().key("plugins").begin_array();
  for (const auto& plugin : config.plugins) json.begin_object().member("name", plugin.name).end_object();
  json.end_array().end_object().end_array().end_object();
  return out;
}

}  // namespace

Result<std::string> kai_config_json(const std::string& text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return default_json();
  const auto root = read_yaml_value(text, file);
  if (!root) return fail(root.error());
  return json_of_value(*root);
}

}  // namespace muster
