#include "policy/kai/job_lists.h"

#include <algorithm>

#include "policy/kai/session.h"

namespace muster::kai {

JobLists::Key JobLists::key_of(const Job& job) const { return {session_.ranks_of(job), ages_[job.id]}; }

void JobLists::put(Job& job) {
  const auto& queues = session_.cluster().queues();
  if (!listed_[job.id] || !job.queue || !queues[job.queue].is_leaf()) return;
  const Held now{key_of(job), job.count(Status::kPending) > 0, job.count(kActiveAllocated) > 0};
  auto& held = held_[job.id];
  const bool moved = held.key != now.key;
  const auto update = [&](List& list, bool was, bool is) {
    if (was == is && !moved) return;
    if (was) list.erase({held.key, &job});
    if (is) list.insert({now.key, &job});
  };
  update(pending_[job.queue], held.pending, now.pending);
  update(active_[job.queue], held.active, now.active);
  held = now;
}

void JobLists::build() {
  auto& cluster = session_.cluster();
  built_ = true;
  pending_.assign(cluster.queues().size(), {});
  active_.assign(cluster.queues().size(), {});
  const auto jobs = session_.books().group_count();
  held_.assign(jobs, {});
  ages_.assign(jobs, 0);
  listed_.assign(jobs, 0);
  auto by_age = cluster.listed_jobs();
  std::sort(by_age.begin(), by_age.end(), [&](GroupId l, GroupId r) {
    const auto& left = cluster.job(l);
    const auto& right = cluster.job(r);
    return left.created == right.created ? left.name < right.name : left.created < right.created;
  });
  for (std::size_t i = 0; i < by_age.size(); ++i) {
    ages_[by_age[i]] = static_cast<std::uint32_t>(i);
    listed_[by_age[i]] = 1;
  }
  cluster.take_changed_jobs();
  for (const auto id : by_age) put(cluster.job(id));
}

void JobLists::refresh() {
  if (!built_) return build();
  for (const auto id : session_.cluster().take_changed_jobs()) put(session_.cluster().job(id));
}

}  // namespace muster::kai
