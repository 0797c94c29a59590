#include "policy/volcano/actions/victim_units.h"

#include <algorithm>

namespace muster::volcano {
namespace {

using Kind = VictimBundle::Kind;

using Left = boost::unordered_flat_map<NodeId, Amounts>;

// Takes what the pod asks for out of what is left on its node. False: there is not enough.
bool may_stay(const Books& books, PodId pod, Left& left) {
  const auto at = left.find(books.pod(pod).node);
  if (at == left.end()) return true;
  const auto& request = books.shape_of(pod).request;
  for (const auto& [resource, amount] : request)
    if (amount > at->second.get(resource)) return false;
  at->second -= request;
  return true;
}

// The same for all of them or none.
bool may_stay(const Books& books, const std::vector<PodId>& pods, Left& left) {
  std::size_t staying = 0;
  while (staying < pods.size() && may_stay(books, pods[staying], left)) ++staying;
  if (staying == pods.size()) return true;
  for (std::size_t i = 0; i < staying; ++i)
    if (const auto at = left.find(books.pod(pods[i]).node); at != left.end()) at->second += books.shape_of(pods[i]).request;
  return false;
}

}  // namespace

VictimUnits::VictimUnits(const Session& session, std::span<const VictimBundle> bundles) : session_(&session) {
  for (const auto& bundle : bundles) {
    if (bundle.kind == Kind::kSurplus)
      for (const auto pod : bundle.pods) units_.push_back({bundle.kind, key_of(pod), {pod}});
    else
      units_.push_back({bundle.kind, key_of(bundle.pods.front()), bundle.pods});
  }
}

VictimUnits::SubJobKey VictimUnits::key_of(PodId pod) const {
  const auto& job = session_->cluster().job(session_->books().pod(pod).group);
  const bool divided = job.sub_jobs != nullptr && job.sub_jobs->has_policies();
  return {job.id, divided ? job.sub_jobs->of(pod) : SubJobId()};
}

std::vector<PodId> VictimUnits::pods() const {
  std::vector<PodId> pods;
  for (const auto& unit : units_) pods.insert(pods.end(), unit.pods.begin(), unit.pods.end());
  return pods;
}

void VictimUnits::Broken::add(const Unit& unit) {
  if (unit.kind == Kind::kRest) jobs.insert(unit.sub_job.first);
  if (unit.kind == Kind::kSubJob) sub_jobs.insert(unit.sub_job);
}

bool VictimUnits::Broken::takes_along(const Unit& unit) const {
  if (unit.kind == Kind::kRest) return false;
  return jobs.contains(unit.sub_job.first) || (unit.kind == Kind::kSurplus && sub_jobs.contains(unit.sub_job));
}

// Rests come after sub-jobs and these after surplus, so that going backwards one knows what takes others along.
VictimUnits VictimUnits::needed(boost::unordered_flat_map<NodeId, Amounts> left) const {
  VictimUnits needed(*session_);
  Broken broken;
  for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit) {
    if (!broken.takes_along(*unit) && may_stay(session_->books(), unit->pods, left)) continue;
    broken.add(*unit);
    needed.units_.push_back(*unit);
  }
  std::reverse(needed.units_.begin(), needed.units_.end());
  return needed;
}

std::optional<VictimUnits> VictimUnits::without(std::size_t unit) const {
  Broken broken;
  for (std::size_t i = 0; i < units_.size(); ++i)
    if (i != unit) broken.add(units_[i]);
  if (broken.takes_along(units_[unit])) return std::nullopt;
  auto fewer = *this;
  fewer.units_.erase(fewer.units_.begin() + static_cast<std::ptrdiff_t>(unit));
  return fewer;
}

}  // namespace muster::volcano
