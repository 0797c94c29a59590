#pragma once

#include <string>
#include <string_view>

#include "app/whatif.h"

namespace muster {

// Asks a running scheduler the question that is in a file, or in standard input for "-": its answer, as JSON. `server` is the
// address of its API, such as localhost:8080.
Result<std::string> ask_scheduler(const std::string& server, const std::string& path);

// What such an answer says of each job, as far as whatif_text() tells it. Of explanations, the sentence and what would help.
Result<WhatIfAnswer> read_whatif_answer(std::string_view json);

}  // namespace muster
