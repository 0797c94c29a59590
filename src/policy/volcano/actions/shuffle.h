#pragma once

namespace muster::volcano {

class Session;

// Evicts running pods whom plugins name, for nobody in particular: so that they start anew elsewhere. Nobody needs their place, so
// whoever is protected stays, and no gang is left incomplete.
void shuffle(Session& session);

}  // namespace muster::volcano
