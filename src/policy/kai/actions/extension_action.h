#pragma once

namespace muster {
class ExtensionInstance;
}

namespace muster::kai {

class Session;

// Runs an action from outside. What it leaves undecided is taken back.
void run_extension_action(ExtensionInstance& extension, Session& session);

}  // namespace muster::kai
