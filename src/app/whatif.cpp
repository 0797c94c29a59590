#include "app/whatif.h"

#include "app/whatif_changes.h"

namespace muster {

std::string_view name_of(WhatIfVerdict verdict) {
  switch (verdict) {
    case WhatIfVerdict::kStarts: return "starts";
    case WhatIfVerdict::kEvicts: return "evicts";
    case WhatIfVerdict::kWaits: return "waits";
  }
  return "";
}

std::string_view name_of(FitsIf::Kind kind) {
  switch (kind) {
    case FitsIf::Kind::kLeaving: return "leaving";
    case FitsIf::Kind::kLevel: return "level";
    case FitsIf::Kind::kQueue: return "queue";
    case FitsIf::Kind::kMembers: return "members";
    case FitsIf::Kind::kAmount: return "amount";
    case FitsIf::Kind::kEnded: return "ended";
  }
  return "";
}

bool roles_matter(const std::map<std::string, std::int32_t>& role_minimums, std::int64_t minimum) {
  std::int64_t together = 0;
  for (const auto& [role, needed] : role_minimums) together += needed;
  return minimum >= together;
}

WhatIfVerdict verdict_of(const WhatIfRun& run) {
  if (!run.started) return WhatIfVerdict::kWaits;
  if (!run.victims.empty()) return WhatIfVerdict::kEvicts;
  return run.left.empty() ? WhatIfVerdict::kStarts : WhatIfVerdict::kWaits;
}

Result<WhatIfAnswer> what_if(WhatIfCluster& cluster, const WhatIfQuestion& question, const WhatIfBounds& bounds) {
  auto runs = cluster.run(question, {});
  if (!runs) return fail(std::move(runs.error()));
  WhatIfAnswer answer{std::move(*runs), question.notes};
  WhatIfTries tries(cluster, bounds);
  for (std::size_t job = 0; job < answer.jobs.size(); ++job) {
    auto& run = answer.jobs[job];
    if (verdict_of(run) == WhatIfVerdict::kStarts) continue;
    if (!tries.may_go_on()) break;
    run.fits_if = changes_that_help(tries, question, job, run);
  }
  if (tries.gave_up())
    answer.notes.emplace_back("not everything was tried that could make it fit: the bound on tries or time was reached");
  return answer;
}

}  // namespace muster
