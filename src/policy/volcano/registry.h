#pragma once

#include <memory>
#include <string_view>

#include "policy/volcano/plugin.h"

namespace muster::volcano {

// The plugin of this name for a session, or nothing when there is none of that name.
std::unique_ptr<Plugin> make_plugin(const PluginOption& option, Session& session);

// Runs an action of this name; false when there is none.
bool run_action(std::string_view name, Session& session);

}  // namespace muster::volcano
