#pragma once

#include <string>

#include "app/batch.h"
#include "codec/case_reader.h"

namespace muster {

// A case of the KAI dialect: read and run, its outcome a line of JSON without its end. `broken` is set when the line is no case.
Result<std::string> run_kai_case(CaseReader& reader, const CaseLine& line, const BatchOptions& options, bool& broken);

}  // namespace muster
