#pragma once

#include <string>
#include <vector>

#include "app/object_register.h"
#include "codec/kinds.h"
#include "codec/object_reader.h"

namespace muster {

// What the reading of objects left aside, in sentences: kinds that no scheduler reads, and fields that their kind does not have.
void note_skipped_kinds(const ReadStats& stats, Api api, std::vector<std::string>& notes);
void note_unknown_fields(const ReadStats& stats, std::vector<std::string>& notes);
// What the API server would have written into pods, and was assumed of these.
void note_requests_from_limits(const Naming& pods, std::vector<std::string>& notes);

}  // namespace muster
