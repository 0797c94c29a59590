// Whether the sums that the books keep up with every change are what adding up all pods gives.

#include "engine/books.h"

namespace muster {

struct Books::Sums {
  Sums(std::size_t resources, std::size_t nodes, std::size_t group_count)
      : used(resources, Column(nodes)), releasing(used), pipelined(used), present(used), groups(group_count) {}

  std::vector<Column> used;
  std::vector<Column> releasing;
  std::vector<Column> pipelined;
  std::vector<Column> present;
  IdVector<GroupId, GroupRecord> groups;
};

bool Books::check_sums() const {
  const auto sums = recount();
  return groups_agree(sums) && nodes_agree(sums) && totals_agree(sums);
}

Books::Sums Books::recount() const {
  Sums sums(resources_.size(), nodes_.size(), groups_.size());
  for (const auto id : IdRange<PodId>(pods_.size())) {
    if (removed_[id]) continue;
    const auto& record = pods_[id];
    const auto& request = shape_of(id).request;
    if (record.group) {
      auto& group = sums.groups[record.group];
      ++group.count[static_cast<std::size_t>(record.state)];
      if (kHoldingStates.contains(record.state)) group.held += request;
      if (record.state == PodState::kPending) group.waiting += request;
    }
    const auto& rule = accounting_.rules[static_cast<std::size_t>(record.accounted_as)];
    for (const auto& [resource, amount] : request) {
      const auto r = resource.index();
      if (record.present_on) sums.present[r][record.present_on.index()] += amount;
      if (!record.accounted_on) continue;
      if (rule.uses) sums.used[r][record.accounted_on.index()] += amount;
      if (rule.releases) sums.releasing[r][record.accounted_on.index()] += amount;
      if (rule.pipelines) sums.pipelined[r][record.accounted_on.index()] += amount;
    }
  }
  return sums;
}

bool Books::groups_agree(const Sums& sums) const {
  for (const auto id : IdRange<GroupId>(groups_.size())) {
    const auto& counted = sums.groups[id];
    const auto& kept = groups_[id];
    if (counted.count != kept.count) return false;
    for (const auto resource : IdRange<ResourceId>(resources_.size()))
      if (counted.held.get(resource) != kept.held.get(resource) || counted.waiting.get(resource) != kept.waiting.get(resource))
        return false;
  }
  return true;
}

bool Books::nodes_agree(const Sums& sums) const {
  for (std::size_t r = 0; r < resources_.size(); ++r)
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (sums.used[r][n] != ledgers_.used[r][n] || sums.releasing[r][n] != ledgers_.releasing[r][n]) return false;
      if (sums.pipelined[r][n] != ledgers_.pipelined[r][n] || sums.present[r][n] != ledgers_.present[r][n]) return false;
      if (ledgers_.idle[r][n] + sums.used[r][n] + ledgers_.aside[r][n] != ledgers_.allocatable[r][n]) return false;
    }
  return true;
}

bool Books::totals_agree(const Sums& sums) const {
  for (const auto resource : IdRange<ResourceId>(resources_.size())) {
    std::int64_t used = 0;
    std::int64_t allocatable = 0;
    for (const auto node : IdRange<NodeId>(nodes_.size())) {
      if (!nodes_[node].known) continue;
      used += sums.used[resource.index()][node.index()];
      allocatable += ledgers_.allocatable[resource.index()][node.index()];
    }
    if (used != total_used_.get(resource) || allocatable != total_allocatable_.get(resource)) return false;
  }
  return true;
}

}  // namespace muster
