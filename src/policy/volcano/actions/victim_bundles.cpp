#include "policy/volcano/actions/victim_bundles.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <limits>

#include "policy/volcano/actions/eviction_nodes.h"

namespace muster::volcano {
namespace {

// What a job can still lose before it stops being a complete gang: pods, pods of each role, sub-jobs of each policy.
class Surplus {
 public:
  Surplus(const Session& session, const Job& job) : job_(job), pods_(session.counts(job).ready() - job.min_available) {
    if (session.counts(job).roles_matter())
      for (const auto& role : job.roles)
        if (role.has_minimum) roles_.push_back({role.name, role_ready(role) - role.minimum});
    if (job.sub_jobs == nullptr || !job.sub_jobs->has_policies()) return;
    for (const auto& group : job.sub_jobs->groups()) groups_.push_back(group.ready - group.minimum);
    broken_.resize(job.sub_jobs->all().size());
    for (const auto& sub_job : job.sub_jobs->all()) broken_[sub_job.id.index()] = !sub_job.is_ready();
  }

  bool incomplete() const { return pods_ < 0; }

  // Takes the pod away if the gang stays complete without it.
  bool can_lose(PodId pod, SymbolId role) {
    const auto at = std::find_if(roles_.begin(), roles_.end(), [&](const auto& entry) { return entry.first == role; });
    const auto* sub_job = groups_.empty() ? nullptr : job_.sub_jobs->find(pod);
    if (pods_ <= 0 || (at != roles_.end() && at->second <= 0)) return false;
    if (!groups_.empty() && (sub_job == nullptr || (!broken_[sub_job->id.index()] && groups_[sub_job->group] <= 0))) return false;
    --pods_;
    if (at != roles_.end()) --at->second;
    if (sub_job != nullptr && !broken_[sub_job->id.index()]) {
      broken_[sub_job->id.index()] = 1;
      --groups_[sub_job->group];
    }
    return true;
  }

 private:
  const Job& job_;
  std::int64_t pods_;
  std::vector<std::pair<SymbolId, std::int64_t>> roles_;
  std::vector<std::int64_t> groups_;  // empty: the job has no policies
  std::vector<char> broken_;          // sub-jobs that are incomplete, which one more pod does not make worse
};

void bundle_job(const Session& session, const Job& job, std::vector<PodId> pods, std::vector<VictimBundle>& bundles) {
  const auto& books = session.books();
  std::sort(pods.begin(), pods.end(), [&](PodId l, PodId r) {
    const auto& left = books.pod(l);
    const auto& right = books.pod(r);
    return left.priority != right.priority ? left.priority < right.priority : left.uid < right.uid;
  });
  Surplus surplus(session, job);
  VictimBundle spare{VictimBundle::Kind::kSurplus, job.id, {}, {}, {}};
  VictimBundle rest{VictimBundle::Kind::kRest, job.id, {}, {}, {}};
  const bool incomplete = surplus.incomplete();
  for (const auto pod : pods) {
    const bool spared = incomplete || surplus.can_lose(pod, books.pod(pod).role);
    (spared ? spare : rest).pods.push_back(pod);
  }
  for (auto* bundle : {&spare, &rest}) {
    if (bundle->pods.empty()) continue;
    bundle->freed = requests_of(books, bundle->pods);
    if (bundle == &rest) bundle->wasted = requests_of(books, books.group(job.id).pods);
    bundles.push_back(std::move(*bundle));
  }
}

// How many times over the need is met, dimension by dimension; what goes beyond the need may not count.
double worth(const Amounts& amounts, const Amounts& need, bool capped) {
  double sum = 0;
  for (const auto& [resource, wanted] : need) {
    if (wanted <= 0) continue;
    const auto amount = capped ? std::min(amounts.get(resource), wanted) : amounts.get(resource);
    sum += static_cast<double>(amount) / static_cast<double>(wanted);
  }
  return sum;
}

double gain(const VictimBundle& bundle, const Amounts& need) {
  const double cost = worth(bundle.wasted, need, false);
  return cost == 0 ? std::numeric_limits<double>::infinity() : worth(bundle.freed, need, true) / cost;
}

}  // namespace

std::vector<VictimBundle> bundle_victims(const Session& session, std::vector<PodId> candidates) {
  const auto& books = session.books();
  std::stable_sort(candidates.begin(), candidates.end(), [&](PodId l, PodId r) { return books.pod(l).group < books.pod(r).group; });
  std::vector<VictimBundle> bundles;
  for (auto begin = candidates.begin(); begin != candidates.end();) {
    const auto group = books.pod(*begin).group;
    const auto end = std::find_if(begin, candidates.end(), [&](PodId pod) { return books.pod(pod).group != group; });
    bundle_job(session, session.cluster().job(group), {begin, end}, bundles);
    begin = end;
  }
  return bundles;
}

void sort_bundles(Session& session, std::vector<VictimBundle>& bundles, const GangDemand& demand, const Amounts& need) {
  const auto& books = session.books();
  const auto taker = session.cluster().job(demand.job).queue;
  std::vector<std::pair<double, VictimBundle*>> order;
  for (auto& bundle : bundles) order.emplace_back(gain(bundle, need), &bundle);
  std::stable_sort(order.begin(), order.end(), [&](const auto& l, const auto& r) {
    const auto& left = *l.second;
    const auto& right = *r.second;
    if (left.kind != right.kind) return left.kind < right.kind;
    if (demand.kind == GangDemand::Kind::kPreempt && left.job != right.job) return session.job_before(right.job, left.job);
    const auto lq = session.cluster().job(left.job).queue;
    const auto rq = session.cluster().job(right.job).queue;
    if (demand.kind == GangDemand::Kind::kReclaim && lq != rq) return session.loses_before(lq, rq, taker);
    if (l.first != r.first) return l.first > r.first;
    const auto& left_name = books.group(left.job).name;
    const auto& right_name = books.group(right.job).name;
    return left_name != right_name ? left_name < right_name : books.pod(left.pods.front()).uid < books.pod(right.pods.front()).uid;
  });
  std::vector<VictimBundle> sorted;
  sorted.reserve(bundles.size());
  for (const auto& [worth, bundle] : order) sorted.push_back(std::move(*bundle));
  bundles = std::move(sorted);
}

std::vector<VictimBundle> permitted_bundles(Session& session, std::vector<VictimBundle> bundles, const GangDemand& demand) {
  std::vector<PodId> candidates;
  for (const auto& bundle : bundles) candidates.insert(candidates.end(), bundle.pods.begin(), bundle.pods.end());
  boost::unordered_flat_set<PodId> permitted;
  for (const auto pod : session.gang_evictable(demand, candidates)) permitted.insert(pod);
  for (auto& bundle : bundles) {
    const auto before = bundle.pods.size();
    std::erase_if(bundle.pods, [&](PodId pod) { return !permitted.contains(pod); });
    if (bundle.pods.size() == before) continue;
    if (bundle.kind == VictimBundle::Kind::kRest) bundle.pods.clear();
    bundle.freed = requests_of(session.books(), bundle.pods);
  }
  std::erase_if(bundles, [](const VictimBundle& bundle) { return bundle.pods.empty(); });
  return bundles;
}

}  // namespace muster::volcano
