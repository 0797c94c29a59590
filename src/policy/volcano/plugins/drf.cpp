#include "policy/volcano/plugins/drf.h"

#include <boost/container/small_vector.hpp>
#include <cmath>

#include "policy/volcano/plugins/fair_tree.h"
#include "policy/volcano/session.h"

namespace muster::volcano {

Drf::Drf(Session& session, const PluginOption& option) : Plugin(session), hierarchy_(option.enabled(Hook::kHierarchy)) {}

Drf::~Drf() = default;

Points Drf::points() const {
  return hierarchy_ ? Points(Point::kJobOrder, Point::kPreemptable, Point::kQueueOrder, Point::kReclaimable)
                    : Points(Point::kJobOrder, Point::kPreemptable);
}

void Drf::open() {
  const Resource total(session().books().total_allocatable());
  for (const auto id : total.significant()) total_.emplace_back(id, total.get(id));
  shares_.assign(session().cluster().job_count(), -1);
  changed_at_.assign(session().cluster().job_count(), 0);
  if (!hierarchy_) return;
  tree_ = std::make_unique<FairTree>(session().cluster(), total);
  for (const auto id : IdRange<GroupId>(session().cluster().job_count()))
    if (session().cluster().job(id).schedulable())
      tree_->set(session().cluster().job(id), Resource(session().books().group(id).held));
  tree_->update();
}

double Drf::share(const Amounts& allocated) const {
  double largest = 0;
  for (const auto& [id, whole] : total_) largest = std::max(largest, share_of(static_cast<double>(allocated.get(id)), whole));
  return largest;
}

// Shares are computed when they are first asked for: most jobs of a large cluster run and are never compared.
double Drf::share_of_job(GroupId job) {
  auto& known = shares_[job];
  if (known < 0) known = share(session().books().group(job).held);
  return known;
}

Amounts& Drf::changed(GroupId job, PodId pod, bool placed) {
  auto& at = changed_at_[job];
  if (at == 0) {
    changed_.push_back(session().books().group(job).held);
    at = static_cast<std::uint32_t>(changed_.size());
    // The books know of the change already: the pod at hand is, or is no longer, among what they say the job holds.
    const auto& record = session().books().pod(pod);
    const bool holds = kHoldingStates.contains(record.state);
    if (placed && holds) changed_.back() -= session().books().shape(record.shape).request;
    if (!placed && !holds) changed_.back() += session().books().shape(record.shape).request;
  }
  return changed_[at - 1];
}

int Drf::compare_queues(QueueId left, QueueId right) {
  const double difference = tree_->compare(left, right);
  return difference == 0 ? 0 : difference < 0 ? -1 : 1;
}

Amounts Drf::held_by(GroupId job) const {
  const auto at = changed_at_[job];
  return at == 0 ? session().books().group(job).held : changed_[at - 1];
}

Ballot Drf::preemptable(PodId preemptor, std::span<const PodId> candidates) {
  constexpr double kDelta = 0.000001;  // shares that differ by no more count as equal
  const auto& books = session().books();
  auto wanted = held_by(books.pod(preemptor).group);
  wanted += books.shape_of(preemptor).request;
  const double taker = share(wanted);
  Ballot ballot{Vote::kPermit, {}};
  boost::container::small_vector<std::pair<GroupId, Amounts>, 8> left;
  for (const auto pod : candidates) {
    const auto group = books.pod(pod).group;
    auto at = std::find_if(left.begin(), left.end(), [&](const auto& entry) { return entry.first == group; });
    if (at == left.end()) at = left.insert(left.end(), {group, held_by(group)});
    at->second -= books.shape_of(pod).request;
    const double loser = share(at->second);
    if (taker < loser || std::abs(taker - loser) <= kDelta) ballot.victims.push_back(pod);
  }
  return ballot;
}

Ballot Drf::reclaimable(PodId reclaimer, std::span<const PodId> candidates) {
  const auto& books = session().books();
  const auto& cluster = session().cluster();
  const auto& taker = cluster.job(books.pod(reclaimer).group);
  const auto try_with = [&](const Job& job, const Amounts& allocated) {
    tree_->set(job, Resource(allocated));
    tree_->update();
  };
  auto wanted = held_by(taker.id);
  wanted += books.shape_of(reclaimer).request;
  try_with(taker, wanted);
  Ballot ballot{Vote::kPermit, {}};
  for (const auto pod : candidates) {
    const auto& job = cluster.job(books.pod(pod).group);
    const auto now = held_by(job.id);
    auto left = now;
    left -= books.shape_of(pod).request;
    try_with(job, left);
    if (tree_->compare(taker.queue, job.queue) < 0) ballot.victims.push_back(pod);
    try_with(job, now);
  }
  try_with(taker, held_by(taker.id));
  return ballot;
}

void Drf::change(PodId pod, bool placed) {
  const auto& record = session().books().pod(pod);
  const auto& request = session().books().shape(record.shape).request;
  auto& allocated = changed(record.group, pod, placed);
  placed ? allocated += request : allocated -= request;
  shares_[record.group] = share(allocated);
  if (!tree_) return;
  const auto& job = session().cluster().job(record.group);
  if (!job.queue) return;
  tree_->set(job, Resource(allocated));
  tree_->update();
}

bool Drf::on_allocate(PodId pod) {
  change(pod, true);
  return true;
}

void Drf::on_deallocate(PodId pod) { change(pod, false); }

}  // namespace muster::volcano
