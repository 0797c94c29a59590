#pragma once

#include "engine/books.h"
#include "engine/outbox.h"

namespace muster::daemon {

// For how many pods a cycle makes room by evictions, while what it has only placed is still in the books: those named, and of
// groups that are served as a whole all that wait for their place.
std::size_t requested_pods(const Books& books, const Outbox& outbox);

}  // namespace muster::daemon
