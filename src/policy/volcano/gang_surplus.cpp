#include "policy/volcano/gang_surplus.h"

#include <algorithm>

#include "policy/volcano/session.h"

namespace muster::volcano {

GangSurplus::GangSurplus(const Session& session, const Job& job, Counting counting)
    : session_(session), job_(job), strict_(counting == Counting::kStrict), pods_(session.counts(job).ready() - job.min_available) {
  if (session.counts(job).roles_matter())
    for (const auto& role : job.roles)
      if (role.has_minimum)
        roles_.push_back({role.name, role_ready(role) - (strict_ ? role.waiting_best_effort : 0) - role.minimum});
  if (job.sub_jobs != nullptr && job.sub_jobs->has_policies()) count_sub_jobs(counting);
}

void GangSurplus::count_sub_jobs(Counting counting) {
  for (const auto& group : job_.sub_jobs->groups())
    groups_.push_back(counting == Counting::kStrict ? -group.minimum : group.ready - group.minimum);
  sub_jobs_.resize(job_.sub_jobs->all().size());
  for (const auto& sub_job : job_.sub_jobs->all()) {
    auto& left = sub_jobs_[sub_job.id.index()];
    left.pods = sub_job.ready() - sub_job.min_available;
    left.complete = strict_ ? left.pods >= 0 : sub_job.is_ready();
    if (strict_ && left.complete) ++groups_[sub_job.group];
  }
}

GangSurplus::RoleLeft* GangSurplus::role_of(PodId pod) {
  if (roles_.empty()) return nullptr;
  const auto name = session_.books().pod(pod).role;
  const auto at = std::find_if(roles_.begin(), roles_.end(), [&](const RoleLeft& left) { return left.role == name; });
  return at == roles_.end() ? nullptr : &*at;
}

// A sub-job that is incomplete already is not made worse. The original does not mind which of its pods a complete one loses.
bool GangSurplus::sub_job_can_lose(const SubJob& sub_job) const {
  const auto& left = sub_jobs_[sub_job.id.index()];
  if (!left.complete) return true;
  return strict_ ? left.pods > 0 : groups_[sub_job.group] > 0;
}

bool GangSurplus::can_lose(PodId pod) {
  auto* role = role_of(pod);
  if (pods_ <= 0 || (role != nullptr && role->pods <= 0)) return false;
  if (!groups_.empty()) {
    const auto* sub_job = job_.sub_jobs->find(pod);
    if (sub_job == nullptr || !sub_job_can_lose(*sub_job)) return false;
    auto& left = sub_jobs_[sub_job->id.index()];
    --left.pods;
    if (!strict_ && left.complete) left.complete = false, --groups_[sub_job->group];
  }
  --pods_;
  if (role != nullptr) --role->pods;
  return true;
}

bool GangSurplus::roles_can_lose(std::span<const PodId> pods) {
  const auto before = roles_;
  for (const auto pod : pods) {
    auto* role = role_of(pod);
    if (role != nullptr && --role->pods < 0) {
      roles_ = before;
      return false;
    }
  }
  return true;
}

bool GangSurplus::can_lose(const SubJob& sub_job, std::span<const PodId> pods) {
  const auto count = static_cast<std::int64_t>(pods.size());
  auto& left = sub_jobs_[sub_job.id.index()];
  if (pods_ < count || (left.complete && groups_[sub_job.group] <= 0) || !roles_can_lose(pods)) return false;
  pods_ -= count;
  if (left.complete) left.complete = false, --groups_[sub_job.group];
  return true;
}

}  // namespace muster::volcano
