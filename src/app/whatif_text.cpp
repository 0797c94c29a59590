#include <fmt/format.h>

#include "app/printable_text.h"
#include "app/schedule_report.h"
#include "app/whatif.h"

namespace muster {
namespace {

std::string verdict_line(const WhatIfRun& run) {
  const auto pods = count_of(run.victims.size(), "pod");
  const bool one = run.victims.size() == 1;
  switch (verdict_of(run)) {
    case WhatIfVerdict::kStarts: return run.job + " would start at once, beside everybody.";
    case WhatIfVerdict::kEvicts:
      return fmt::format("{} would start when {} {} gone that {} evicted for it.", run.job, pods, one ? "has" : "have",
                         one ? "is" : "are");
    case WhatIfVerdict::kWaits: break;
  }
  if (run.started)
    return fmt::format("{} would wait until {} {} gone, and then start.", run.job, listed(run.left, kMostNamed),
                       run.left.size() == 1 ? "has" : "have");
  return fmt::format("{} would wait: {}.", run.job, run.explanation.job.sentence);
}

Tone verdict_tone(WhatIfVerdict verdict) {
  switch (verdict) {
    case WhatIfVerdict::kStarts: return Tone::kGood;
    case WhatIfVerdict::kEvicts: return Tone::kBad;
    case WhatIfVerdict::kWaits: return Tone::kWaiting;
  }
  return Tone::kPlain;
}

std::string placement_text(const WhatIfRun& run, Paint paint) {
  std::map<std::string, std::vector<std::string>> by_node;
  for (const auto& [pod, node] : run.placement) by_node[node].push_back(pod.substr(pod.find('/') + 1));
  TextTable table("  ");
  for (const auto& [node, pods] : by_node)
    table.add({node, TextTable::Cell(std::to_string(pods.size()), Tone::kPlain, true), listed(pods, kNodesNamed)});
  return paint("Where its pods would go", Tone::kHeading) + "\n" + table.text(paint);
}

std::string victims_text(const WhatIfRun& run, Paint paint) {
  TextTable table("  ");
  for (const auto& victim : run.victims) table.add({victim.pod, "on " + victim.node, "by " + victim.rule, eviction_text(victim)});
  return paint(run.started ? "Who would go for it" : "Who would go for it, in vain", Tone::kHeading) + "\n" + table.text(paint);
}

std::string changes_text(const std::vector<FitsIf>& changes, Paint paint) {
  if (changes.empty()) return "Nothing that was tried would make it start at once.\n";
  std::string out = paint("It would start at once if", Tone::kHeading) + "\n";
  for (const auto& change : changes) out += printable("  " + change.text) + "\n";
  return out;
}

// The explanation without its first line, which says what the verdict has said. What was told by others is short.
std::string reasons_text(const Explanation& explanation, Paint paint) {
  if (explanation.job.name.empty()) return hint_line(explanation.hint);
  const auto text = explanation_text(explanation, paint);
  return text.substr(text.find('\n') + 1);
}

std::string job_text(const WhatIfRun& run, Paint paint) {
  auto out = paint(printable(verdict_line(run)), verdict_tone(verdict_of(run))) + "\n";
  if (!run.placement.empty()) out += "\n" + placement_text(run, paint);
  if (!run.victims.empty()) out += "\n" + victims_text(run, paint);
  if (run.fits_if) out += "\n" + changes_text(*run.fits_if, paint);
  if (run.started) return out;
  const auto reasons = reasons_text(run.explanation, paint);
  return reasons.empty() ? out : out + "\n" + reasons;
}

}  // namespace

std::string whatif_text(const WhatIfAnswer& answer, Paint paint) {
  std::string out;
  for (const auto& run : answer.jobs) out += (out.empty() ? "" : "\n") + job_text(run, paint);
  return out;
}

}  // namespace muster
