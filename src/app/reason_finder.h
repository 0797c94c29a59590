#pragma once

#include "app/job_outlook.h"

namespace muster {

// Finds the one reason why a job waits, and says it in a sentence: fills `reason` and `sentence` of an outlook whose other fields
// are known.
void find_reason(volcano::Session& session, const volcano::Job& job, const OutlookFacts& facts, JobOutlook& out);

}  // namespace muster
