#pragma once

namespace muster::volcano {

class Session;

// Evicts running pods whom plugins name, for nobody in particular: so that they start anew elsewhere.
void shuffle(Session& session);

}  // namespace muster::volcano
