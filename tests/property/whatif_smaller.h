#pragma once

// The changes that are smaller than one that was offered, as docs/whatif.md defines them, found without what answers questions.

#include <vector>

#include "property/whatif_oracle.h"

namespace muster {

// What should have been offered instead if the job started with it. Of `leaving` there is nothing smaller; queues are below.
std::vector<FitsIf> smaller_than(const FitsIf& change, const Submission& submission);

// Of levels and queues, what comes before others and was not offered. Where nothing of the kind was, that is all of them.
std::vector<FitsIf> passed_over(const std::vector<FitsIf>& offered, const Submission& submission);

}  // namespace muster
