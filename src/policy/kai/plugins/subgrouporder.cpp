#include "policy/kai/plugins/subgrouporder.h"

namespace muster::kai {

namespace {

// How much a part has of what it needs.
std::int64_t allocated_of(const Job& job, SubGroupId id) {
  const auto& part = job.part(id);
  return part.is_pod_set ? static_cast<std::int64_t>(part.active_allocated) : job.groups.satisfied_members(id);
}

int less_satisfied_first(double left, double right) { return left == right ? 0 : left < right ? -1 : 1; }

}  // namespace

int SubGroupOrder::compare_sub_groups(const Job& job, SubGroupId left, SubGroupId right) {
  const auto l_has = allocated_of(job, left);
  const auto r_has = allocated_of(job, right);
  const auto l_needs = job.part(left).minimum;
  const auto r_needs = job.part(right).minimum;
  const bool l_lacks = l_has < l_needs;
  const bool r_lacks = r_has < r_needs;
  if (l_lacks || r_lacks) return l_lacks == r_lacks ? 0 : l_lacks ? -1 : 1;
  if ((l_needs > 0) != (r_needs > 0)) return l_needs > 0 ? -1 : 1;
  if (l_needs <= 0) return less_satisfied_first(static_cast<double>(l_has), static_cast<double>(r_has));
  return less_satisfied_first(static_cast<double>(l_has) / l_needs, static_cast<double>(r_has) / r_needs);
}

}  // namespace muster::kai
