#include "engine/filters/pod_counts.h"

namespace muster {
namespace {

constexpr std::array kBoth = {WhichPods::kAll, WhichPods::kStaying};

}  // namespace

PodCounts::PodCounts(Books& books, MatcherIndex& index, const Topology& topology)
    : books_(books), index_(index), topology_(topology) {
  for (const auto node : IdRange<NodeId>(books.node_count()))
    for (const auto pod : books.pods_present(node)) note_staying(pod);
  books.observe(*this);
}

TopologyTally& PodCounts::of(MatcherId matcher, WhichPods which) {
  restarted();
  if (tallies_.size() < index_.size()) tallies_.resize(index_.size());
  const auto w = static_cast<std::size_t>(which);
  if (!tallies_[matcher].wanted[w]) {
    tallies_[matcher].wanted[w] = true;
    count_present(matcher, which);
  }
  return tallies_[matcher].of[w];
}

void PodCounts::on_terminating_changed(PodId pod) {
  const auto node = books_.pod(pod).present_on;
  if (!node) return;
  restarted();
  change(pod, node, -1);
  note_staying(pod);
  change(pod, node, +1);
}

// The books hold the change already when they tell of it, so a recount includes it.
void PodCounts::on_arrive(PodId pod, NodeId node) {
  note_staying(pod);
  if (!restarted()) change(pod, node, +1);
}

void PodCounts::on_depart(PodId pod, NodeId node) {
  if (!restarted()) change(pod, node, -1);
}

void PodCounts::note_staying(PodId pod) {
  if (staying_.size() < books_.pod_count()) staying_.resize(books_.pod_count());
  staying_[pod] = !books_.pod(pod).terminating;
}

void PodCounts::change(PodId pod, NodeId node, std::int32_t by) {
  for (const auto matcher : index_.satisfied_by(books_.pod(pod).labels)) {
    if (matcher.index() >= tallies_.size()) continue;
    auto& [wanted, of] = tallies_[matcher];
    for (const auto which : kBoth) {
      const auto w = static_cast<std::size_t>(which);
      if (wanted[w] && counts(pod, which)) of[w].add(topology_, node, by);
    }
  }
}

void PodCounts::count_present(MatcherId matcher, WhichPods which) {
  auto& tally = tallies_[matcher].of[static_cast<std::size_t>(which)];
  for (const auto labels : index_.satisfying(matcher))
    for (const auto pod : books_.pods_with_labels(labels))
      if (const auto node = books_.pod(pod).present_on; node && counts(pod, which)) tally.add(topology_, node, +1);
}

// Brings the index up to date; when that made its earlier answers void, counts everything again and says so.
bool PodCounts::restarted() {
  index_.catch_up();
  if (restarts_seen_ == index_.restarts()) return false;
  restarts_seen_ = index_.restarts();
  for (const auto matcher : IdRange<MatcherId>(tallies_.size()))
    for (const auto which : kBoth) {
      const auto w = static_cast<std::size_t>(which);
      if (!tallies_[matcher].wanted[w]) continue;
      tallies_[matcher].of[w].clear();
      count_present(matcher, which);
    }
  return true;
}

}  // namespace muster
