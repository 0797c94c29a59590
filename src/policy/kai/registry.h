#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "policy/kai/plugin.h"

namespace muster::kai {

// Whether there is a plugin or an action of this name.
bool is_plugin(std::string_view name);
bool is_action(std::string_view name);
std::vector<std::string_view> registered_plugins();
std::vector<std::string_view> registered_actions();

// A plugin of that name for one cycle; nullptr: it has nothing to do in a cycle.
std::unique_ptr<Plugin> make_plugin(Session& session, const PluginOption& option);

// False: there is no such action.
bool run_action(std::string_view name, Session& session);

}  // namespace muster::kai
