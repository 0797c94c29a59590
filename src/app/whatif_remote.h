#pragma once

#include <string>
#include <string_view>

#include "app/scheduler_client.h"
#include "app/whatif.h"

namespace muster {

// Asks a running scheduler the question that is in a file, or in standard input for "-": its answer, as JSON.
Result<std::string> ask_scheduler(SchedulerClient& client, const std::string& path);

// What such an answer says of each job, as far as whatif_text() tells it. Of explanations, the sentence and what would help.
Result<WhatIfAnswer> read_whatif_answer(std::string_view json);

}  // namespace muster
