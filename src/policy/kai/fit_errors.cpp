#include "policy/kai/fit_errors.h"

#include <algorithm>

namespace muster::kai {
namespace {

constexpr std::string_view kNoNode = "no nodes with enough resources were found";
constexpr std::string_view kNotPlaced = "Unable to schedule pod";

}  // namespace

void FitTally::add(ToldId reason, std::uint32_t nodes) {
  any_ = true;
  const auto known = std::find_if(counts_.begin(), counts_.end(), [&](const auto& entry) { return entry.first == reason; });
  if (known != counts_.end())
    known->second += nodes;
  else
    counts_.emplace_back(reason, nodes);
}

void FitTally::add(const FitTally& other) {
  for (const auto& [reason, nodes] : other.counts_) add(reason, nodes);
  named_ += other.named_;
  unnamed_ += other.unnamed_;
  any_ = any_ || other.any_;
}

ToldId FitErrors::told(ReasonId reason, const FitTable& fits) {
  if (reason.index() >= of_reasons_.size()) of_reasons_.resize(reason.index() + 1);
  auto& id = of_reasons_[reason.index()];
  if (!id) id = told(fits.text(reason));
  return id;
}

ToldId& FitErrors::told_of(LackKind kind, ResourceId resource) {
  auto& of_kind = of_lacks_[static_cast<std::size_t>(kind)];
  if (resource.index() >= of_kind.size()) of_kind.resize(resource.index() + 1);
  return of_kind[resource.index()];
}

void FitErrors::refuse(PodId pod, std::string why) { tasks_.try_emplace(pod, Task{std::move(why), {}}); }

void FitErrors::add(PodId pod, const FitTally& tally) {
  if (tally.any()) tasks_[pod].tally.add(tally);
}

bool FitErrors::has_node_reasons(PodId pod) const {
  const auto found = tasks_.find(pod);
  return found != tasks_.end() && found->second.tally.has_reasons();
}

std::string FitErrors::base_of(PodId pod) const {
  const auto found = tasks_.find(pod);
  if (found == tasks_.end()) return std::string(kNotPlaced);
  return found->second.base.empty() ? std::string(kNoNode) : found->second.base;
}

std::string FitErrors::text_of(PodId pod) const {
  auto out = base_of(pod);
  const auto found = tasks_.find(pod);
  if (found == tasks_.end() || !found->second.tally.has_reasons()) return out;
  const auto& tally = found->second.tally;
  std::vector<std::string> entries;
  for (const auto& [reason, nodes] : tally.counts()) entries.push_back(std::to_string(nodes) + " " + text(reason));
  if (tally.unnamed() > 0) entries.push_back(std::to_string(tally.unnamed()) + " more node(s) likewise");
  std::sort(entries.begin(), entries.end());
  std::string_view separator = ": ";
  for (const auto& entry : entries) {
    out.append(separator).append(entry);
    separator = ". \n";
  }
  return out += ".";
}

}  // namespace muster::kai
