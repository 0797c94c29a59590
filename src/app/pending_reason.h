#pragma once

#include <span>
#include <string_view>

namespace muster {

// Why a job waits: the one reason that has to go first. In the order in which they are looked for.
enum class PendingReason {
  kNone,
  kNoPodGroup,
  kNoQueue,
  kNoClaim,
  kNoPods,
  kNotSupported,
  kTooFewPods,
  kPodsLeaving,
  kTooFewOfRole,
  kQueueTree,
  kTooFewSubGroups,
  kQueueClosed,
  kMinimumTooLarge,
  kQueueLimit,
  kClusterPromised,
  kResourceQuota,
  kNotLetIn,
  kNoNodes,
  kGated,
  kWaitsForRelease,
  kTooLarge,
  kExtenderFailed,
  kBrokenTopology,
  kDomainTooSmall,
  kNoDomain,
  kNoNodeFits,
  kGangIncomplete,
  kClusterFull,
  kQueueShare,
  kQueueFull,
  kNotTried,
};

struct PendingReasonText {
  PendingReason reason;
  std::string_view code;     // for programs and for links into the documentation
  std::string_view meaning;  // in general, where the explanation of one job says it in particular
  std::string_view hint;     // what would help in general
};

// Every reason in the order of the enumeration; the documentation is checked against it.
std::span<const PendingReasonText> pending_reasons();
const PendingReasonText& text_of(PendingReason reason);

}  // namespace muster
