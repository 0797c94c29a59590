#pragma once

#include <span>

#include "app/reason_text.h"

namespace muster {

// Why a job waits: the one reason that has to go first. In the order in which they are looked for.
enum class PendingReason {
  kNone,
  kNoPodGroup,
  kNoQueue,
  kNoClaim,
  kNotSupported,
  kTooFewPods,
  kPodsLeaving,
  kTooFewOfRole,
  kQueueTree,
  kInnerQueue,
  kTooFewSubGroups,
  kQueueClosed,
  kMinimumTooLarge,
  kQueueLimit,
  kClusterPromised,
  kResourceQuota,
  kNotLetIn,
  kNoPods,
  kNoNodes,
  kGated,
  kBindRefused,
  kWaitsForRelease,
  kTooLarge,
  kExtenderFailed,
  kBrokenTopology,
  kDomainTooSmall,
  kAllAtOnce,
  kNoDomain,
  kNoNodeFits,
  kGangIncomplete,
  kClusterFull,
  kQueueShare,
  kQueueFull,
  kNotTried,
};

using PendingReasonText = ReasonText<PendingReason>;

// Every reason in the order of the enumeration; the documentation is checked against it.
std::span<const PendingReasonText> pending_reasons();
const PendingReasonText& text_of(PendingReason reason);

}  // namespace muster
