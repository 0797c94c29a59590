#pragma once

#include <functional>
#include <string>

#include "app/stopwatch.h"
#include "base/result.h"
#include "engine/node_search.h"

namespace muster {

struct BatchOptions {
  bool timing = false;
  SearchKind search = SearchKind::kIndex;
};

// Runs every case of a file in the conformance format and hands each outcome, a line of JSON without its end, to `emit`. A case
// that cannot be run gives an outcome with an error, and the next one goes on. Always the exact behaviour.
Result<void> run_batch(const std::string& path, const BatchOptions& options, const std::function<void(const std::string&)>& emit);

}  // namespace muster
