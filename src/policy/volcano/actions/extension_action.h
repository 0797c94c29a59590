#pragma once

namespace muster {
class ExtensionInstance;
}

namespace muster::volcano {

class Session;

// Runs an action from outside. What it leaves undecided is taken back.
void run_extension_action(ExtensionInstance& extension, Session& session);

}  // namespace muster::volcano
