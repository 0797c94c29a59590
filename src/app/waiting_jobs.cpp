#include "app/waiting_jobs.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace muster {
namespace {

// The earliest of some of a job's pods; nothing: there are none of those.
template <class Waits>
std::optional<Timestamp> first_of(const Books& books, GroupId job, Waits waits) {
  std::optional<Timestamp> first;
  for (const auto pod : books.group(job).pods)
    if (waits(pod)) first = std::min(first.value_or(books.pod(pod).created), books.pod(pod).created);
  return first;
}

// Sorts jobs into the lines of their queues and says at which place each stands.
template <class Before>
std::vector<std::uint32_t> places_in(std::vector<std::pair<QueueId, GroupId>> jobs, std::size_t job_count, Before before) {
  std::ranges::stable_sort(jobs, [&](const auto& l, const auto& r) {
    return l.first == r.first ? before(l.second, r.second) : l.first.index() < r.first.index();
  });
  std::vector<std::uint32_t> places(job_count, 0);
  std::uint32_t place = 0;
  QueueId queue;
  for (const auto& [of, job] : jobs) {
    place = of == queue ? place + 1 : 1;
    queue = of;
    places[job.index()] = place;
  }
  return places;
}

}  // namespace

WaitingJobs waiting_jobs(volcano::Session& session) {
  const auto& cluster = session.cluster();
  const auto& books = session.books();
  std::vector<std::pair<QueueId, GroupId>> lines;
  cluster.open_jobs().for_each([&](std::size_t id) {
    const auto& job = cluster.job(GroupId(id));
    if (job.queue && session.counts(job).of(PodState::kPending) != 0) lines.emplace_back(job.queue, job.id);
  });
  const auto places =
      places_in(std::move(lines), cluster.job_count(), [&](GroupId l, GroupId r) { return session.job_before(l, r); });
  WaitingJobs out;
  for (const auto id : IdRange<GroupId>(cluster.job_count())) {
    if (!books.exists(id)) continue;
    const auto& group = books.group(id);
    const auto first = first_of(books, id, [&](PodId pod) {
      return books.pod(pod).state == PodState::kPending || books.pod(pod).state == PodState::kPipelined;
    });
    if (first || group.pods.empty()) out.emplace(group.name, Wait{places[id.index()], first.value_or(cluster.job(id).created)});
  }
  return out;
}

WaitingJobs waiting_jobs(kai::Session& session) {
  const auto& cluster = session.cluster();
  const auto& books = cluster.books();
  std::vector<std::pair<QueueId, GroupId>> lines;
  for (const auto id : cluster.listed_jobs()) {
    const auto& job = cluster.job(id);
    if (job.queue && job.count(kai::Status::kPending) != 0) lines.emplace_back(job.queue, id);
  }
  const auto places = places_in(std::move(lines), books.group_count(),
                                [&](GroupId l, GroupId r) { return session.job_before(cluster.job(l), cluster.job(r)); });
  WaitingJobs out;
  for (const auto id : cluster.all_jobs()) {
    const auto& job = cluster.job(id);
    const auto first = first_of(books, id, [&](PodId pod) {
      const auto status = cluster.task(pod).status;
      return status == kai::Status::kPending || status == kai::Status::kGated || status == kai::Status::kPipelined;
    });
    if (first || books.group(id).pods.empty())
      out.emplace(job.ns + "/" + job.name, Wait{places[id.index()], first.value_or(job.created)});
  }
  return out;
}

}  // namespace muster
