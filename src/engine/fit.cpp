#include "engine/fit.h"

namespace muster {

VerdictId FitTable::intern(const Verdict& verdict) {
  if (verdict.empty()) return fits();
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
