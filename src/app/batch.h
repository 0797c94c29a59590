#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "app/stopwatch.h"
#include "base/result.h"
#include "engine/extension/extension.h"
#include "engine/node_search.h"

namespace muster {

struct BatchOptions {
  bool timing = false;
  bool safe = false;  // the behaviour: safe instead of exact
  SearchKind search = SearchKind::kIndex;
  ExtensionSet extensions = {};  // that cases may name
};

// How a batch went. Lines that are no cases at all are told from cases that cannot be run, which may name what is not built yet.
struct BatchOutcome {
  std::size_t done = 0;
  std::size_t refused = 0;  // cases that cannot be run
  std::size_t broken = 0;   // lines that are not cases
  std::optional<Error> first_broken;
};

// Runs every case of a file in the conformance format and hands each outcome, a line of JSON without its end, to `emit`. A line
// that cannot be run gives an outcome with an error, and the next one goes on.
Result<BatchOutcome> run_batch(const std::string& path, const BatchOptions& options,
                               const std::function<void(const std::string&)>& emit);

}  // namespace muster
