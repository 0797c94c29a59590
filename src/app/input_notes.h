#pragma once

#include <string>
#include <vector>

#include "codec/kinds.h"
#include "codec/object_reader.h"

namespace muster {

// What the reading of objects left aside, in sentences: kinds that no scheduler reads, and fields that their kind does not have.
void note_skipped_kinds(const ReadStats& stats, Api api, std::vector<std::string>& notes);
void note_unknown_fields(const ReadStats& stats, std::vector<std::string>& notes);

}  // namespace muster
