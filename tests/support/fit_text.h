#pragma once

#include <string>

#include "engine/fit.h"
#include "engine/node_filter.h"

namespace muster {

// What a filter says of one node, as a text: "" when the pod fits, else the code and the reason ("unresolvable: node(s) were …").
inline std::string text_of(const FitTable& fits, const FitStatus& status) {
  switch (status.code) {
    case FitCode::kSuccess: return {};
    case FitCode::kError: return "error: " + fits.text(status.reason);
    case FitCode::kUnschedulable: return "unschedulable: " + fits.text(status.reason);
    case FitCode::kUnresolvable: return "unresolvable: " + fits.text(status.reason);
    case FitCode::kWait: return "wait: " + fits.text(status.reason);
    case FitCode::kSkip: return "skip: " + fits.text(status.reason);
  }
  return "?";
}

// Asks a filter as a scheduler does: prepares, and checks unless that settled it. "skip" when there is nothing to check.
inline std::string ask(const FitTable& fits, NodeFilter& filter, PodId pod, NodeId node) {
  const auto prepared = filter.prepare(pod);
  if (prepared.refusal) return "everywhere " + text_of(fits, *prepared.refusal);
  if (prepared.outcome == NodeFilter::Preparation::kSkip) return "skip";
  return text_of(fits, filter.check(pod, node));
}

}  // namespace muster
