#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/volcano_report.h"
#include "engine/work_counters.h"

namespace muster {

// Whole microseconds.
struct CycleTiming {
  std::int64_t open = 0;
  std::vector<std::pair<std::string, std::int64_t>> actions;
  std::int64_t close = 0;
  WorkCounters work;
};

struct CaseTiming {
  std::int64_t load = 0;
  std::vector<CycleTiming> cycles;
};

// The outcome of cycles as one line of JSON, in the keys of the conformance format; a case also has an id. Maps are ordered by key,
// so equal outcomes are equal bytes. Timing is left out when it is nullptr.
std::string outcome_json(std::optional<std::string_view> id, const std::vector<VolcanoCycle>& cycles, const CaseTiming* timing);

// Members "timing_us" and "work" of an outcome.
void write_timing(class JsonWriter& json, const CaseTiming& timing);

}  // namespace muster
