#include "engine/fit.h"

namespace muster {

VerdictId FitTable::intern(FitStatus single) {
  constexpr std::size_t kCodes = 6;
  const auto at = single.reason.index() * kCodes + static_cast<std::size_t>(single.code);
  if (singles_.size() <= at) singles_.resize((reasons_.size() + 1) * kCodes);
  if (!singles_[at]) singles_[at] = intern_new({single});
  return singles_[at];
}

VerdictId FitTable::intern(const Verdict& verdict) {
  if (verdict.empty()) return fits();
  return verdict.size() == 1 ? intern(verdict.front()) : intern_new(verdict);
}

VerdictId FitTable::intern_new(const Verdict& verdict) {
  if (keys_.size() == 0) keys_.intern("");  // the first id is the verdict without reasons
  std::string key;
  for (const auto& status : verdict) {
    key.append(1, static_cast<char>(status.code));
    key.append(std::to_string(status.reason.index())).append(1, ',');
  }
  const auto known = keys_.size();
  const auto id = keys_.intern(key);
  if (keys_.size() != known) verdicts_.push_back(verdict);
  return id;
}

}  // namespace muster
