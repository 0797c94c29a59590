#pragma once

#include <string>
#include <vector>

#include "base/interner.h"
#include "engine/ids.h"

namespace muster {

// How a rule answered. kUnschedulable may be cured by evicting others, kUnresolvable may not.
enum class FitCode : std::uint8_t { kSuccess, kError, kUnschedulable, kUnresolvable, kWait, kSkip };

// One rule's answer about one pod and one node: success, or a code and a reason.
struct FitStatus {
  FitCode code = FitCode::kSuccess;
  ReasonId reason;

  bool ok() const { return code == FitCode::kSuccess; }
  auto operator<=>(const FitStatus&) const = default;
};

// Whether evicting others might change the answer.
constexpr bool is_curable(FitCode code) { return code == FitCode::kSuccess || code == FitCode::kUnschedulable; }

// Everything that speaks against a node, in the order in which the rules spoke. Empty: the pod fits.
using Verdict = std::vector<FitStatus>;

inline bool is_curable(const Verdict& verdict) {
  for (const auto& status : verdict)
    if (!is_curable(status.code)) return false;
  return true;
}

// Reasons and verdicts as small ids, so that millions of "no" cost a counter each and text is made once, at the edge.
class FitTable {
 public:
  FitTable() { verdicts_.push_back({}); }

  ReasonId reason(std::string_view text) { return reasons_.intern(text); }
  const std::string& text(ReasonId id) const { return reasons_.text(id); }
  FitStatus status(FitCode code, std::string_view text) { return FitStatus{code, reason(text)}; }

  static VerdictId fits() { return VerdictId(0); }
  VerdictId intern(const Verdict& verdict);
  VerdictId intern(FitStatus single);  // a verdict with one reason, which most are
  const Verdict& verdict(VerdictId id) const { return verdicts_[id]; }
  std::size_t verdict_count() const { return verdicts_.size(); }

 private:
  VerdictId intern_new(const Verdict& verdict);

  Interner<ReasonId> reasons_;
  Interner<VerdictId> keys_;
  IdVector<VerdictId, Verdict> verdicts_;
  std::vector<VerdictId> singles_;  // by reason and code
};

}  // namespace muster
