#include "policy/volcano/actions/victim_units.h"

#include <algorithm>

#include "policy/volcano/gang_surplus.h"

namespace muster::volcano {
namespace {

using BundleKind = VictimBundle::Kind;

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

// They do not stay after all.
void give_back(const Books& books, std::span<const PodId> pods, Left& left) {
  for (const auto pod : pods)
    if (const auto at = left.find(books.pod(pod).node); at != left.end()) at->second += books.shape_of(pod).request;
}

// The same for all of them or none.
bool may_stay(const Books& books, std::span<const PodId> pods, Left& left) {
  std::size_t staying = 0;
  while (staying < pods.size() && may_stay(books, pods[staying], left)) ++staying;
  if (staying == pods.size()) return true;
  give_back(books, pods.first(staying), left);
  return false;
}

}  // namespace

VictimUnits::VictimUnits(const Session& session, std::span<const VictimBundle> bundles) : session_(&session) {
  for (const auto& bundle : bundles) {
    if (bundle.kind == BundleKind::kSurplus)
      for (const auto pod : bundle.pods) units_.push_back({bundle.kind, key_of(pod), {pod}});
    else
      units_.push_back({bundle.kind, key_of(bundle.pods.front()), bundle.pods});
  }
  std::stable_sort(units_.begin(), units_.end(), [](const Unit& l, const Unit& r) { return l.kind < r.kind; });
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
  if (unit.kind == BundleKind::kRest) jobs.insert(unit.sub_job.first);
  if (unit.kind == BundleKind::kSubJob) sub_jobs.insert(unit.sub_job);
}

bool VictimUnits::Broken::takes_along(const Unit& unit) const {
  if (unit.kind == BundleKind::kRest) return false;
  return jobs.contains(unit.sub_job.first) || (unit.kind == BundleKind::kSurplus && sub_jobs.contains(unit.sub_job));
}

// Who of a gang has to go, if it can do without them. `units` are those of its job, the last one first.
std::optional<std::vector<PodId>> VictimUnits::spared_gang(GroupId job, std::span<const std::size_t> units, Left& left) const {
  const auto& books = session_->books();
  std::vector<PodId> going;
  std::vector<PodId> staying;
  for (const auto unit : units) {
    const auto& pods = units_[unit].pods;
    for (auto pod = pods.rbegin(); pod != pods.rend(); ++pod) (may_stay(books, *pod, left) ? staying : going).push_back(*pod);
  }
  GangSurplus surplus(*session_, session_->cluster().job(job), GangSurplus::Counting::kStrict);
  if (std::all_of(going.begin(), going.end(), [&](PodId pod) { return surplus.can_lose(pod); })) return going;
  give_back(books, staying, left);
  return std::nullopt;
}

// Going backwards one knows what takes others along.
VictimUnits VictimUnits::needed(boost::unordered_flat_map<NodeId, Amounts> left) const {
  VictimUnits needed(*session_);
  Broken broken;
  boost::unordered_flat_set<GroupId> spared;
  boost::unordered_flat_map<GroupId, std::vector<std::size_t>> by_job;
  for (std::size_t i = units_.size(); i-- > 0;) by_job[units_[i].sub_job.first].push_back(i);
  for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit) {
    const auto job = unit->sub_job.first;
    if (spared.contains(job) || (!broken.takes_along(*unit) && may_stay(session_->books(), unit->pods, left))) continue;
    if (const auto going = unit->kind == BundleKind::kRest ? spared_gang(job, by_job[job], left) : std::nullopt) {
      spared.insert(job);
      for (const auto pod : *going) needed.units_.push_back({BundleKind::kSurplus, key_of(pod), {pod}});
      continue;
    }
    broken.add(*unit);
    needed.units_.push_back(*unit);
  }
  std::reverse(needed.units_.begin(), needed.units_.end());
  std::stable_sort(needed.units_.begin(), needed.units_.end(), [](const Unit& l, const Unit& r) { return l.kind < r.kind; });
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
