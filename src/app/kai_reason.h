#pragma once

#include <span>

#include "app/reason_text.h"

namespace muster {

// Why a job of the KAI dialect waits: the one reason that has to go first. In the order in which they are looked for.
enum class KaiReason {
  kNone,
  kNoPodGroup,
  kOtherShard,
  kBackoff,
  kNoQueue,
  kInnerQueue,
  kNoPods,
  kEvicted,
  kNoSubGroup,
  kNeedsBinder,
  kGated,
  kBindRefused,
  kTooFewPods,
  kStale,
  kWaitsForRelease,
  kQueueLimit,
  kQueueQuota,
  kNoTopology,
  kNoLabels,
  kNoNodes,
  kTooLarge,
  kImpossible,
  kSmallDomains,
  kNoDomain,
  kNoNodeFits,
  kGangIncomplete,
  kPreemptionDelay,
  kNotTried,
};

using KaiReasonText = ReasonText<KaiReason>;

// Every reason in the order of the enumeration; the documentation is checked against it.
std::span<const KaiReasonText> kai_reasons();
const KaiReasonText& text_of(KaiReason reason);

}  // namespace muster
