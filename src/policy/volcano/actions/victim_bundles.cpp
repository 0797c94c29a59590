#include "policy/volcano/actions/victim_bundles.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <iterator>
#include <limits>
#include <tuple>

#include "policy/volcano/actions/eviction_nodes.h"
#include "policy/volcano/gang_surplus.h"

namespace muster::volcano {
namespace {

Amounts freed_by(const Session& session, std::span<const PodId> pods, const GangRoom* room) {
  return room != nullptr ? room->held_by(pods) : requests_of(session.books(), pods);
}

bool helps(const Books& books, PodId pod, const GangRoom* room) { return room == nullptr || room->helps_on(books.pod(pod).node); }

bool any_helps(const Books& books, std::span<const PodId> pods, const GangRoom* room) {
  return std::any_of(pods.begin(), pods.end(), [&](PodId pod) { return helps(books, pod, room); });
}

// The last of the nodes on which the pods help.
std::uint32_t rank_of(const Books& books, std::span<const PodId> pods, const GangRoom& room) {
  std::uint32_t rank = 0;
  for (const auto pod : pods)
    if (const auto node = books.pod(pod).node; room.helps_on(node)) rank = std::max(rank, room.rank(node));
  return rank;
}

// Sub-jobs without which the gang is still complete, of those pods that it cannot lose one by one. What of a sub-job lies elsewhere
// would run on for nothing, so all of it has to be among the candidates; `spare` are those that can go by themselves.
std::vector<VictimBundle> bundle_sub_jobs(const Session& session, const Job& job, const std::vector<PodId>& spare,
                                          std::vector<PodId>& pods, GangSurplus& surplus, const GangRoom* room) {
  std::vector<VictimBundle> bundles;
  auto& sub_jobs = *job.sub_jobs;
  std::vector<std::vector<PodId>> members(sub_jobs.all().size());
  std::vector<std::int64_t> candidates(sub_jobs.all().size());
  for (const auto pod : spare)
    if (const auto id = sub_jobs.of(pod)) ++candidates[id.index()];
  for (const auto pod : pods)
    if (const auto id = sub_jobs.of(pod)) ++candidates[id.index()], members[id.index()].push_back(pod);
  std::vector<const SubJob*> order;
  for (const auto& sub_job : sub_jobs.all())
    if (any_helps(session.books(), members[sub_job.id.index()], room)) order.push_back(&sub_job);
  if (room != nullptr)
    std::stable_sort(order.begin(), order.end(), [&](const SubJob* l, const SubJob* r) {
      return rank_of(session.books(), members[l->id.index()], *room) < rank_of(session.books(), members[r->id.index()], *room);
    });
  for (const auto* sub_job : order) {
    auto& own = members[sub_job->id.index()];
    if (candidates[sub_job->id.index()] < sub_job->holding() || !surplus.can_lose(*sub_job, own)) continue;
    std::erase_if(pods, [&](PodId pod) { return sub_jobs.of(pod) == sub_job->id; });
    bundles.push_back({VictimBundle::Kind::kSubJob, job.id, std::move(own), {}, {}});
    bundles.back().freed = freed_by(session, bundles.back().pods, room);
  }
  return bundles;
}

void sort_members(const Books& books, std::vector<PodId>& pods, const GangRoom* room) {
  std::sort(pods.begin(), pods.end(), [&](PodId l, PodId r) {
    const auto& left = books.pod(l);
    const auto& right = books.pod(r);
    if (left.priority != right.priority) return left.priority < right.priority;
    if (room != nullptr && room->rank(left.node) != room->rank(right.node)) return room->rank(left.node) < room->rank(right.node);
    return left.uid < right.uid;
  });
}

void bundle_job(const Session& session, const Job& job, std::vector<PodId> pods, const GangRoom* room,
                std::vector<VictimBundle>& bundles) {
  const auto& books = session.books();
  sort_members(books, pods, room);
  const bool original = session.behaviour().keeps(Quirk::kUncountedRoles);
  GangSurplus surplus(session, job, original ? GangSurplus::Counting::kOriginal : GangSurplus::Counting::kStrict);
  VictimBundle spare{VictimBundle::Kind::kSurplus, job.id, {}, {}, {}};
  VictimBundle rest{VictimBundle::Kind::kRest, job.id, {}, {}, {}};
  const bool incomplete = surplus.incomplete();
  for (const auto pod : pods) {
    const bool helpful = helps(books, pod, room);
    const bool spared = helpful && (incomplete || surplus.can_lose(pod));
    if (spared || !incomplete) (spared ? spare : rest).pods.push_back(pod);
  }
  std::vector<VictimBundle> whole;
  if (!original && job.sub_jobs != nullptr && job.sub_jobs->has_policies())
    whole = bundle_sub_jobs(session, job, spare.pods, rest.pods, surplus, room);
  for (auto* bundle : {&spare, &rest}) {
    if (!any_helps(books, bundle->pods, room)) continue;
    bundle->freed = freed_by(session, bundle->pods, room);
    if (bundle == &rest) bundle->wasted = requests_of(books, books.group(job.id).pods);
    bundles.push_back(std::move(*bundle));
  }
  bundles.insert(bundles.end(), std::make_move_iterator(whole.begin()), std::make_move_iterator(whole.end()));
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

}  // namespace

double gain_of(const VictimBundle& bundle, const Amounts& need) {
  const double cost = worth(bundle.wasted, need, false);
  return cost == 0 ? std::numeric_limits<double>::infinity() : worth(bundle.freed, need, true) / cost;
}

std::vector<VictimBundle> bundle_victims(const Session& session, std::vector<PodId> candidates, const GangRoom* room) {
  const auto& books = session.books();
  std::stable_sort(candidates.begin(), candidates.end(), [&](PodId l, PodId r) { return books.pod(l).group < books.pod(r).group; });
  std::vector<VictimBundle> bundles;
  for (auto begin = candidates.begin(); begin != candidates.end();) {
    const auto group = books.pod(*begin).group;
    const auto end = std::find_if(begin, candidates.end(), [&](PodId pod) { return books.pod(pod).group != group; });
    bundle_job(session, session.cluster().job(group), {begin, end}, room, bundles);
    begin = end;
  }
  return bundles;
}

void sort_bundles(Session& session, std::vector<VictimBundle>& bundles, const GangDemand& demand, const Amounts& need) {
  const auto& books = session.books();
  const auto taker = session.cluster().job(demand.job).queue;
  std::vector<std::pair<double, VictimBundle*>> order;
  for (auto& bundle : bundles) order.emplace_back(gain_of(bundle, need), &bundle);
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

// Whoever breaks a gang comes after what the gang could do without, so that nothing of it is left over.
void sort_by_node(const Session& session, std::vector<VictimBundle>& bundles, const GangRoom& room) {
  boost::unordered_flat_map<GroupId, std::uint32_t> last;
  std::vector<std::tuple<std::uint32_t, VictimBundle::Kind, std::size_t>> order;
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    const auto rank = rank_of(session.books(), bundles[i].pods, room);
    auto& of_job = last[bundles[i].job];
    of_job = std::max(of_job, rank);
    order.emplace_back(rank, bundles[i].kind, i);
  }
  for (auto& [rank, kind, at] : order)
    if (kind != VictimBundle::Kind::kSurplus) rank = last[bundles[at].job];
  std::sort(order.begin(), order.end());
  std::vector<VictimBundle> sorted;
  sorted.reserve(bundles.size());
  for (const auto& [rank, kind, at] : order) sorted.push_back(std::move(bundles[at]));
  bundles = std::move(sorted);
}

std::vector<VictimBundle> permitted_bundles(Session& session, std::vector<VictimBundle> bundles, const GangDemand& demand,
                                            const GangRoom* room) {
  std::vector<PodId> candidates;
  for (const auto& bundle : bundles) candidates.insert(candidates.end(), bundle.pods.begin(), bundle.pods.end());
  boost::unordered_flat_set<PodId> permitted;
  for (const auto pod : session.gang_evictable(demand, candidates)) permitted.insert(pod);
  for (auto& bundle : bundles) {
    const auto before = bundle.pods.size();
    std::erase_if(bundle.pods, [&](PodId pod) { return !permitted.contains(pod); });
    if (bundle.pods.size() == before) continue;
    if (bundle.kind != VictimBundle::Kind::kSurplus) bundle.pods.clear();
    bundle.freed = freed_by(session, bundle.pods, room);
  }
  std::erase_if(bundles, [](const VictimBundle& bundle) { return bundle.pods.empty(); });
  return bundles;
}

void leave_half_gangs(const Session& session, std::vector<VictimBundle>& bundles) {
  using Kind = VictimBundle::Kind;
  const auto& cluster = session.cluster();
  boost::unordered_flat_map<std::pair<GroupId, SubJobId>, std::int64_t> of_sub_job;
  for (const auto& bundle : bundles)
    if (const auto& job = cluster.job(bundle.job); job.sub_jobs != nullptr)
      for (const auto pod : bundle.pods) ++of_sub_job[{job.id, job.sub_jobs->of(pod)}];
  std::erase_if(bundles, [&](const VictimBundle& bundle) {
    if (bundle.kind != Kind::kSubJob) return false;
    const auto& sub_jobs = *cluster.job(bundle.job).sub_jobs;
    const auto id = sub_jobs.of(bundle.pods.front());
    return of_sub_job[{bundle.job, id}] < sub_jobs[id].holding();
  });
  boost::unordered_flat_map<GroupId, std::int64_t> of_job;
  for (const auto& bundle : bundles) of_job[bundle.job] += static_cast<std::int64_t>(bundle.pods.size());
  std::erase_if(bundles, [&](const VictimBundle& bundle) {
    return bundle.kind == Kind::kRest && of_job[bundle.job] < session.counts(cluster.job(bundle.job)).holding();
  });
}

std::vector<VictimBundle> split_surplus(std::vector<VictimBundle> bundles, const GangRoom& room) {
  std::vector<VictimBundle> split;
  for (auto& bundle : bundles) {
    if (bundle.kind != VictimBundle::Kind::kSurplus)
      split.push_back(std::move(bundle));
    else
      for (const auto pod : bundle.pods) split.push_back({bundle.kind, bundle.job, {pod}, room.held_by({&pod, 1}), {}});
  }
  return split;
}

}  // namespace muster::volcano
