#include "policy/volcano/actions/domain_foresight.h"

#include <algorithm>
#include <limits>

namespace muster::volcano {

// A sub-job's score of a domain does not depend on what is placed how.
bool DomainForesight::tell(TaskContest& contest, const Job& job, const SubJob& sub_job, const TaskHeap& tasks,
                           std::span<const HyperNodeId> row) {
  const auto demand = demand_of(job, sub_job, tasks);
  const bool only_one = clean_ && row.size() == 1;
  if (!demand && !only_one) return false;
  const auto scores = session_.hyper_node_scores(&sub_job, row);
  std::vector<TaskContest::Prospect> prospects;
  for (std::size_t i = 0; i < row.size(); ++i) prospects.push_back({scores[i], demand ? room_for(*demand, row[i]) : 0});
  contest.foresee(prospects, demand ? demand->needed : 0, demand && demand->alike);
  return true;
}

// A job that is one gang is at most as good in a domain as it is in the best of the domains that it might go to within.
void DomainForesight::tell(JobContest& contest, const Job& job, const JobWorksheet& worksheet, std::span<const HyperNodeId> row) {
  std::vector<JobContest::Prospect> prospects(row.size());
  if (!job.sub_jobs->has_policies() && worksheet.sheets().size() == 1) {
    const auto& sheet = worksheet.sheets().front();
    const auto& sub_job = (*job.sub_jobs)[sheet.sub_job];
    const auto demand = sub_job.nominated ? std::nullopt : demand_of(job, sub_job, sheet.tasks);
    if (demand) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        prospects[i].room = room_for(*demand, row[i]);
        const bool contends = row.size() > 1 && prospects[i].room >= demand->needed;
        if (contends) prospects[i].score = best_score_within(job, sub_job, row[i]);
      }
      contest.foresee(prospects, demand->needed, demand->alike);
      return;
    }
  }
  if (clean_ && row.size() == 1) contest.foresee(prospects, 0, false);
}

double DomainForesight::best_score_within(const Job& job, const SubJob& sub_job, HyperNodeId domain) {
  auto best = -std::numeric_limits<double>::infinity();
  for (const auto& row : session_.gradients(job, &sub_job, domain, Purpose::kAllocate))
    for (const auto score : session_.hyper_node_scores(&sub_job, row)) best = std::max(best, score);
  return best;
}

// None: nothing can be told. Once a domain passes it places all tasks, or the first so many of equal ones. A sub-job that has pods
// somewhere already is drawn to where they are, depending on which other domains pass.
std::optional<DomainForesight::Demand> DomainForesight::demand_of(const Job& job, const SubJob& sub_job, const TaskHeap& tasks) {
  if (!looks_ahead_ || session_.sub_job_ready(job, &sub_job) || session_.sub_job_pipelined(job, &sub_job)) return std::nullopt;
  const auto& books = session_.books();
  const auto has_node = [&](PodId pod) { return static_cast<bool>(books.pod(pod).node); };
  const auto is_local = [&](PodId pod) { return session_.filter_dependence(pod) <= Dependence::kNode; };
  const auto& pods = tasks.items();
  if (std::any_of(sub_job.pods.begin(), sub_job.pods.end(), has_node) || !std::all_of(pods.begin(), pods.end(), is_local))
    return std::nullopt;
  const auto missing = sub_job.min_available - sub_job.ready() - sub_job.waiting_best_effort;
  const bool all_needed = missing >= static_cast<std::int64_t>(pods.size());
  const bool same = alike(pods);
  if (!all_needed && !(same && books.nothing_moves())) return std::nullopt;
  Demand demand{pods, static_cast<std::size_t>(std::max<std::int64_t>(missing, 1)), same, {}};
  NodeSearch::Query query;
  query.pod = pods.front();
  if (same) demand.feasible = session_.search().feasible(query);
  return demand;
}

// Whether nothing but names tells the pods apart, so that whether one finds a place is known of all.
bool DomainForesight::alike(std::span<const PodId> pods) const {
  const auto& books = session_.books();
  const auto& first = books.pod(pods.front());
  return std::all_of(pods.begin(), pods.end(), [&](PodId pod) {
    const auto& record = books.pod(pod);
    return record.shape == first.shape && record.role == first.role && record.gated == first.gated &&
           !has_cleared_node(session_, pod);
  });
}

// The most tasks that the domain's nodes would take, each node for itself and whatever filters say about a second pod; more than
// are needed are not counted. Tasks that differ are counted all or none.
std::size_t DomainForesight::room_for(const Demand& demand, HyperNodeId domain) const {
  if (!demand.alike) return sums_suffice(demand, domain) ? demand.needed : 0;
  const auto& books = session_.books();
  const auto& request = books.shape_of(demand.tasks.front()).request;
  std::size_t room = 0;
  for (const auto node : session_.hyper_tree().nodes(domain)) {
    if (!demand.feasible.test(node.index())) continue;
    auto fits = static_cast<std::int64_t>(demand.needed);
    for (const auto& [resource, amount] : request)
      if (amount > 0) fits = std::min(fits, books.free_later(resource, node) / amount);
    room += static_cast<std::size_t>(std::max<std::int64_t>(fits, 0));
    if (room >= demand.needed) break;
  }
  return room;
}

bool DomainForesight::sums_suffice(const Demand& demand, HyperNodeId domain) const {
  const auto& books = session_.books();
  Amounts missing;
  for (const auto pod : demand.tasks) missing += books.shape_of(pod).request;
  for (const auto& [resource, amount] : missing) {
    auto left = amount;
    for (const auto node : session_.hyper_tree().nodes(domain)) {
      if (left <= 0) break;
      left -= std::max<std::int64_t>(books.free_later(resource, node), 0);
    }
    if (left > 0) return false;
  }
  return true;
}

}  // namespace muster::volcano
