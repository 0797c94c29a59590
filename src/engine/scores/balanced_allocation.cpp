#include "engine/scores/balanced_allocation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.h"
#include "engine/scores/allocation.h"

namespace muster {
namespace {

constexpr std::size_t kMaxParts = 8;

double share(double taken, double allocatable) { return std::min(taken / allocatable, 1.0); }

// The standard deviation; of two shares in a simpler form, whose last bits differ.
template <class Shares>
double deviation(const Shares& shares) {
  const auto count = static_cast<double>(shares.size());
  if (shares.size() < 2) return 0;
  if (shares.size() == 2) return std::abs((shares[0] - shares[1]) / 2);
  double total = 0;
  for (const auto value : shares) total += value;
  const double mean = total / count;
  double squares = 0;
  for (const auto value : shares) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / count);
}

// From 50, when one resource is full and another empty, to 100.
template <class Shares>
std::int64_t evenness(const Shares& shares) {
  return static_cast<std::int64_t>((1 - deviation(shares)) * static_cast<double>(kMaxScore));
}

std::int64_t improvement(std::int64_t before, std::int64_t after) { return kMaxScore / 2 + (kMaxScore / 2 + after - before) / 2; }

}  // namespace

BalancedAllocationScorer::BalancedAllocationScorer(const Books& books, std::vector<std::string> extended)
    : books_(books), extended_(std::move(extended)) {
  MUSTER_ASSERT(extended_.size() + 2 <= kMaxParts);
}

bool BalancedAllocationScorer::concerns(PodId pod) const {
  const auto& request = books_.shape_of(pod).request;
  if (request.get(kCpu) != 0 || request.get(kMemory) != 0) return true;
  return std::any_of(extended_.begin(), extended_.end(), [&](const std::string& name) {
    const auto resource = books_.find_resource(name);
    return resource && request.get(resource) != 0;
  });
}

Dependence BalancedAllocationScorer::dependence(PodId pod) const {
  return concerns(pod) ? Dependence::kNode : Dependence::kNothing;
}

bool BalancedAllocationScorer::add_scores(PodId pod, std::span<const NodeId> nodes, std::int64_t weight, std::span<double> totals) {
  MUSTER_DCHECK(nodes.size() == totals.size());
  if (!concerns(pod)) return false;
  const auto& before = baseline(collect_parts(pod));
  switch (parts_.size()) {
    case 2: add_few<2>(nodes, before, weight, totals); break;
    case 3: add_few<3>(nodes, before, weight, totals); break;
    default:
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto n = nodes[i].index();
        totals[i] += static_cast<double>(weight * improvement(before.by_node[n], evenness_of(n, Count::kWithPod)));
      }
  }
  return true;
}

// Sets parts_ and says which extended resources are among them.
std::uint64_t BalancedAllocationScorer::collect_parts(PodId pod) {
  const auto& ledgers = books_.ledgers();
  const auto& request = books_.shape_of(pod).request;
  const auto part = [&](ResourceId resource) {
    const auto r = resource.index();
    return Part{static_cast<double>(request.get(resource)), ledgers.allocatable[r].data(), ledgers.present[r].data()};
  };
  parts_.assign({part(kCpu), part(kMemory)});
  std::uint64_t asked = 0;
  for (std::size_t i = 0; i < extended_.size(); ++i) {
    const auto resource = books_.find_resource(extended_[i]);
    if (!resource || request.get(resource) == 0) continue;
    parts_.push_back(part(resource));
    asked |= std::uint64_t{1} << i;
  }
  return asked;
}

// Brought up to date by looking again at the nodes that changed since it was last used. Expects parts_ to be set.
const BalancedAllocationScorer::Baseline& BalancedAllocationScorer::baseline(std::uint64_t extended) {
  auto found = std::find_if(baselines_.begin(), baselines_.end(), [&](const Baseline& b) { return b.extended == extended; });
  if (found == baselines_.end()) found = baselines_.insert(found, Baseline{extended, books_.log_end(), {}});
  auto& [unused, seen, by_node] = *found;
  const auto look = [&, &nodes = by_node](std::size_t n) { nodes[n] = static_cast<std::int8_t>(evenness_of(n, Count::kPresent)); };
  const auto known = seen < books_.log_start() ? 0 : by_node.size();
  by_node.resize(books_.node_count());
  for (auto n = known; n < by_node.size(); ++n) look(n);
  for (auto at = std::max(seen, books_.log_start()); at < books_.log_end(); ++at)
    if (const auto n = books_.logged(at).index(); n < known) look(n);
  seen = books_.log_end();
  return *found;
}

// Cpu, memory and at most one extended resource: nearly every pod, and so the loop that matters.
template <std::size_t kParts>
void BalancedAllocationScorer::add_few(std::span<const NodeId> nodes, const Baseline& before, std::int64_t weight,
                                       std::span<double> totals) const {
  std::array<Part, kParts> parts;
  std::copy_n(parts_.begin(), kParts, parts.begin());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto n = nodes[i].index();
    std::array<double, kParts> shares{};
    bool complete = true;
    for (std::size_t p = 0; p < kParts; ++p) {
      complete &= parts[p].allocatable[n] != 0;
      shares[p] = share(static_cast<double>(parts[p].taken[n]) + parts[p].request, static_cast<double>(parts[p].allocatable[n]));
    }
    const auto after = complete ? evenness(shares) : evenness_of(n, Count::kWithPod);
    totals[i] += static_cast<double>(weight * improvement(before.by_node[n], after));
  }
}

// Any number of resources, some of which the node may not have.
std::int64_t BalancedAllocationScorer::evenness_of(std::size_t node, Count count) const {
  std::array<double, kMaxParts> shares{};
  std::size_t found = 0;
  for (const auto& part : parts_) {
    if (part.allocatable[node] == 0) continue;
    const auto taken = static_cast<double>(part.taken[node]) + (count == Count::kWithPod ? part.request : 0);
    shares[found++] = share(taken, static_cast<double>(part.allocatable[node]));
  }
  return evenness(std::span(shares).first(found));
}

}  // namespace muster
