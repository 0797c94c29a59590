#pragma once

#include <memory>
#include <string_view>

#include "policy/kai/plugin.h"

namespace muster::kai {

// Whether there is a plugin or an action of this name.
bool is_plugin(std::string_view name);
bool is_action(std::string_view name);

// A plugin of that name for one cycle; nullptr: it has nothing to do in a cycle.
std::unique_ptr<Plugin> make_plugin(Session& session, const PluginOption& option);

// False: there is no such action.
bool run_action(std::string_view name, Session& session);

}  // namespace muster::kai
