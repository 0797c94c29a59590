#pragma once

#include "app/volcano_report.h"
#include "engine/books.h"
#include "engine/outbox.h"

namespace muster {

// A decision in names; of a bind, what it has of them.
Eviction named_decision(const Books& books, const Decision& decision);

}  // namespace muster
