#pragma once

#include <span>
#include <string_view>

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
  kGated,
  kTooFewPods,
  kWaitsForRelease,
  kQueueLimit,
  kQueueQuota,
  kNoNodes,
  kTooLarge,
  kImpossible,
  kNoDomain,
  kNoNodeFits,
  kGangIncomplete,
  kPreemptionDelay,
  kNotTried,
};

struct KaiReasonText {
  KaiReason reason;
  std::string_view code;     // for programs and for links into the documentation
  std::string_view meaning;  // in general, where the explanation of one job says it in particular
  std::string_view hint;     // what would help in general
};

// Every reason in the order of the enumeration; the documentation is checked against it.
std::span<const KaiReasonText> kai_reasons();
const KaiReasonText& text_of(KaiReason reason);

}  // namespace muster
