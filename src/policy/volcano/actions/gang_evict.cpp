#include "policy/volcano/actions/gang_evict.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "policy/volcano/actions/eviction_nodes.h"
#include "policy/volcano/actions/needless_victims.h"
#include "policy/volcano/actions/starving_jobs.h"
#include "policy/volcano/actions/victim_bundles.h"
#include "policy/volcano/actions/victim_units.h"
#include "policy/volcano/actions/worksheet.h"

namespace muster::volcano {
namespace {

using Kind = GangDemand::Kind;

// A way to run the gang: whom to evict, whom to pipeline where, and the domain of each of its sub-jobs.
struct GangPlan {
  Statement::Plan steps;
  std::vector<PodId> placed;
  boost::unordered_flat_map<NodeId, Amounts> left;  // what will be free on the nodes where they are
  std::vector<std::pair<SubJobId, HyperNodeId>> domains;
};

bool covers(const Amounts& available, const Amounts& need) {
  return std::all_of(need.begin(), need.end(), [&](const auto& entry) {
    const auto& [resource, amount] = entry;
    return amount <= available.get(resource);
  });
}

class GangEvict {
 public:
  GangEvict(Session& session, Kind kind, std::string_view rule)
      : session_(session),
        kind_(kind),
        rule_(rule),
        starving_(session, [](const Job&) { return true; }),
        allow_rest_(session.config().action_arguments(rule).get_bool("allowWholeBundle", true)),
        remember_errors_(session.config().action_arguments("allocate").get_bool("predicateErrorCacheEnable", true)) {
    constexpr std::int64_t kDefaultDomains = 8;
    const auto domains = session.config().action_arguments(rule).get_int("maxDomains", kDefaultDomains);
    max_domains_ = static_cast<std::size_t>(domains > 0 ? domains : kDefaultDomains);
  }

  void run() {
    while (const auto queue = starving_.next_queue()) {
      if (kind_ == Kind::kReclaim && session_.overused(queue)) continue;
      while (const auto job = starving_.next_job(queue)) evict_for(session_.cluster().job(job));
    }
  }

 private:
  void evict_for(Job& job) {
    Statement statement(session_);
    const auto plan = find_plan(job, statement);
    if (!session_.job_pipelined(job)) {
      statement.discard();
      return;
    }
    statement.commit(rule_);
    if (!plan) return;
    for (const auto pod : plan->placed) session_.make_twin(pod);
    for (const auto& [sub_job, domain] : plan->domains)
      session_.nominate(job, sub_job ? &(*job.sub_jobs)[sub_job] : nullptr, domain);
  }

  // The plan that worked, in effect in the statement.
  std::optional<GangPlan> find_plan(Job& job, Statement& statement) {
    const auto pending = demand_of(job);
    if (pending.empty()) return std::nullopt;
    if (kind_ == Kind::kReclaim && !session_.preemptive(job.queue, pending)) return std::nullopt;
    const auto need = requests_of(session_.books(), pending);
    const auto domains = domains_for(job);
    for (const auto domain : domains)
      if (auto plan = plan_as_it_is(job, domain, need))  // in room that others leave already, or else allocate's business
        return !leaves_to_allocate() && carry_out(*plan, statement) ? std::move(plan) : std::nullopt;
    for (const auto domain : domains)
      if (auto plan = plan_in(job, domain, need); plan && carry_out(*plan, statement)) return plan;
    return std::nullopt;
  }

  // All of the plan or nothing. The original keeps what it did before a step failed.
  bool carry_out(const GangPlan& plan, Statement& statement) {
    Statement here(session_);
    const bool done = here.replay(plan.steps);
    if (!done && !session_.behaviour().keeps(Quirk::kFailedPlansEvict))
      here.discard();
    else
      statement.merge(std::move(here));
    return done;
  }

  // If nobody more has to leave. The original does not ask.
  std::optional<GangPlan> plan_as_it_is(Job& job, HyperNodeId domain, const Amounts& need) {
    if (session_.behaviour().keeps(Quirk::kNeedlessVictims)) return std::nullopt;
    if (!covers(free_or_leaving(session_.hyper_tree().nodes(domain)), need)) return std::nullopt;
    return try_out(job, domain, {});
  }

  // An allocate that follows binds at once what would only be promised.
  bool leaves_to_allocate() const { return leave_to_allocate(session_, rule_, Statement(session_)); }

  // A job that runs asks for one sub-job more, others for all that they have.
  std::vector<PodId> demand_of(const Job& job) {
    JobWorksheet worksheet(session_, job, GatedTasks::kNone);
    const bool one = session_.job_ready(job);
    std::vector<PodId> pending;
    while (!worksheet.empty()) {
      auto& sheet = worksheet.next();
      while (!sheet.tasks.empty()) pending.push_back(sheet.tasks.pop());
      if (one) break;
    }
    return pending;
  }

  std::vector<HyperNodeId> domains_for(const Job& job) {
    std::vector<HyperNodeId> domains;
    for (const auto& row : session_.gradients(job, HyperTree::root(), Purpose::kEvict))
      for (const auto domain : row)
        if (domains.size() < max_domains_ && std::find(domains.begin(), domains.end(), domain) == domains.end())
          domains.push_back(domain);
    if (domains.empty() && !has_hard_topology(job)) domains.push_back(HyperTree::root());
    return domains;
  }

  static bool has_hard_topology(const Job& job) { return job.sub_jobs != nullptr && job.sub_jobs->has_hard_tier(); }

  // Takes bundle after bundle until what they free would do by amount, and from there on until the gang really finds places.
  std::optional<GangPlan> plan_in(Job& job, HyperNodeId domain, const Amounts& need) {
    const auto& nodes = session_.hyper_tree().nodes(domain);
    if (nodes.empty()) return std::nullopt;
    const auto bundles = bundles_in(job, nodes, need);
    const auto least = fewest_that_cover(free_or_leaving(nodes), bundles, need);
    if (!least) return std::nullopt;
    if (session_.behaviour().keeps(Quirk::kNeedlessVictims)) return first_that_works(job, domain, bundles, *least);
    return smallest_that_works(job, domain, bundles, *least, need);
  }

  // How many bundles, one at least, have to go before there is enough by amount.
  static std::optional<std::size_t> fewest_that_cover(Amounts available, std::span<const VictimBundle> bundles,
                                                      const Amounts& need) {
    for (std::size_t taken = 0; taken < bundles.size(); ++taken) {
      available += bundles[taken].freed;
      if (covers(available, need)) return taken + 1;
    }
    return std::nullopt;
  }

  std::optional<GangPlan> try_first(Job& job, HyperNodeId domain, std::span<const VictimBundle> bundles, std::size_t count) {
    std::vector<PodId> victims;
    for (const auto& bundle : bundles.first(count)) victims.insert(victims.end(), bundle.pods.begin(), bundle.pods.end());
    return try_out(job, domain, victims);
  }

  std::optional<GangPlan> first_that_works(Job& job, HyperNodeId domain, std::span<const VictimBundle> bundles, std::size_t least) {
    for (auto count = least; count <= bundles.size(); ++count)
      if (auto plan = try_first(job, domain, bundles, count)) return plan;
    return std::nullopt;
  }

  // In growing strides, so that a gang that finds no places however many go costs few attempts; and back to the fewest bundles.
  std::optional<GangPlan> smallest_that_works(Job& job, HyperNodeId domain, std::span<const VictimBundle> bundles,
                                              std::size_t least, const Amounts& need) {
    std::size_t failed = least - 1, count = least;
    std::optional<GangPlan> plan;
    for (std::size_t stride = 1; !(plan = try_first(job, domain, bundles, count)); stride *= 2) {
      if (count == bundles.size()) return std::nullopt;
      failed = count;
      count = std::min(count + stride, bundles.size());
    }
    while (count - failed > 1) {
      const auto middle = failed + (count - failed) / 2;
      if (auto smaller = try_first(job, domain, bundles, middle))
        plan = std::move(smaller), count = middle;
      else
        failed = middle;
    }
    return without_needless(job, domain, VictimUnits(session_, bundles.first(count)), *plan, need);
  }

  // The same with fewer victims: those that are not needed where the gang goes may stay, if it then still finds places; then one
  // after the other, as far as there is enough by amount without it.
  GangPlan without_needless(Job& job, HyperNodeId domain, VictimUnits units, GangPlan plan, const Amounts& need) {
    const auto needed = units.needed(plan.left);
    if (needed.size() != 0 && needed.size() < units.size())
      if (auto smaller = try_out(job, domain, needed.pods())) plan = std::move(*smaller), units = needed;
    const auto& books = session_.books();
    auto available = free_or_leaving(session_.hyper_tree().nodes(domain));
    available += requests_of(books, units.pods());
    std::size_t attempts = 0, looks = 0;
    for (auto unit = units.size(); unit-- > 0 && attempts < kMostAttempts && looks < kMostLooks; ++looks) {
      auto without = available;
      without -= requests_of(books, units.pods_of(unit));
      if (!covers(without, need)) continue;
      const auto fewer = units.without(unit);
      if (!fewer || fewer->size() == 0) continue;
      ++attempts;
      if (auto smaller = try_out(job, domain, fewer->pods()))
        plan = std::move(*smaller), units = *fewer, available = std::move(without);
    }
    return plan;
  }

  void note_what_is_left(GangPlan& plan) const {
    const auto& books = session_.books();
    for (const auto pod : plan.placed) {
      auto& left = plan.left[books.pod(pod).node];
      left.clear();
      for (std::size_t r = 0; r < books.resource_count(); ++r)
        left.add(ResourceId(r), books.free_later(ResourceId(r), books.pod(pod).node));
    }
  }

  Amounts free_or_leaving(const std::vector<NodeId>& nodes) const {
    const auto& ledgers = session_.books().ledgers();
    Amounts sum;
    for (std::size_t r = 0; r < session_.books().resource_count(); ++r) {
      std::int64_t amount = 0;
      for (const auto node : nodes) amount += ledgers.idle[r][node.index()] + ledgers.releasing[r][node.index()];
      if (amount != 0) sum.add(ResourceId(r), amount);
    }
    return sum;
  }

  std::vector<VictimBundle> bundles_in(const Job& job, const std::vector<NodeId>& nodes, const Amounts& need) {
    std::vector<PodId> candidates;
    for (const auto node : nodes)
      for (const auto pod : session_.books().pods_on(node))
        if (may_go(job, pod)) candidates.push_back(pod);
    const GangDemand demand{kind_, job.id};
    auto bundles = bundle_victims(session_, std::move(candidates));
    sort_bundles(session_, bundles, demand, need);
    bundles = permitted_bundles(session_, std::move(bundles), demand);
    sort_bundles(session_, bundles, demand, need);
    if (!session_.behaviour().keeps(Quirk::kHalfGangs)) leave_half_gangs(session_, bundles);
    if (!allow_rest_) std::erase_if(bundles, [](const VictimBundle& b) { return b.kind == VictimBundle::Kind::kRest; });
    return bundles;
  }

  bool may_go(const Job& taker, PodId pod) const {
    const auto& record = session_.books().pod(pod);
    if (!record.group || !session_.cluster().task(pod).preemptable) return false;
    const auto& job = session_.cluster().job(record.group);
    if (!job.schedulable() || job.forbids_eviction()) return false;
    if (kind_ == Kind::kReclaim)
      return record.state == PodState::kRunning && job.queue != taker.queue &&
             session_.cluster().queue(job.queue).reclaimable.value_or(true);
    return (record.state == PodState::kRunning || record.state == PodState::kBound) && job.queue == taker.queue &&
           job.id != taker.id && job.priority < taker.priority;
  }

  // Evicts and places, looks whether the gang would run, and undoes everything.
  std::optional<GangPlan> try_out(Job& job, HyperNodeId domain, const std::vector<PodId>& victims) {
    const bool was_ready = session_.job_ready(job);
    GangPlan plan;
    Statement trial(session_);
    for (const auto pod : victims) trial.evict(pod, rule_, {job.id, PodId()});
    bool runs = false;
    JobWorksheet worksheet(session_, job, GatedTasks::kNone);
    while (!worksheet.empty()) {
      const auto& sheet = worksheet.next();
      const auto place = place_sub_job(job, sheet, domain, victims.empty() ? Room::kFree : Room::kMade, trial);
      if (!place) {
        runs = false;
        break;
      }
      for (auto tasks = sheet.tasks; !tasks.empty();) plan.placed.push_back(tasks.pop());
      plan.domains.emplace_back(sheet.sub_job, *place);
      runs = session_.job_pipelined(job);
      if (was_ready || runs) break;
    }
    if (runs) plan.steps = trial.save(), note_what_is_left(plan);
    trial.discard();
    if (!runs) return std::nullopt;
    return plan;
  }

  // Whether anybody has to leave for what is placed.
  enum class Room { kFree, kMade };

  // The domain in which the sub-job found places.
  std::optional<HyperNodeId> place_sub_job(Job& job, const JobWorksheet::Sheet& sheet, HyperNodeId within, Room room,
                                           Statement& trial) {
    const auto* sub_job = sheet.sub_job ? &(*job.sub_jobs)[sheet.sub_job] : nullptr;
    if (!has_hard_topology(job)) return place_in(job, sub_job, sheet, within, room, trial) ? std::optional(within) : std::nullopt;
    for (const auto& row : session_.gradients(job, sub_job, within, Purpose::kEvict))
      for (const auto domain : row)
        if (place_in(job, sub_job, sheet, domain, room, trial)) return domain;
    return std::nullopt;
  }

  bool place_in(Job& job, const SubJob* sub_job, const JobWorksheet::Sheet& sheet, HyperNodeId domain, Room room,
                Statement& trial) {
    if (session_.hyper_tree().nodes(domain).empty()) return false;
    Statement here(session_);
    EvictionNodes nodes(session_, remember_errors_);
    auto tasks = sheet.tasks;
    while (!tasks.empty()) {
      const auto pod = tasks.pop();
      const auto node = choose(job, pod, domain, nodes);
      if (!node || !here.pipeline(pod, node, room == Room::kMade)) {
        here.discard();
        return false;
      }
    }
    if (!session_.sub_job_ready(job, sub_job) && !session_.sub_job_pipelined(job, sub_job)) {
      here.discard();
      return false;
    }
    trial.merge(std::move(here));
    return true;
  }

  NodeId choose(const Job& job, PodId pod, HyperNodeId domain, EvictionNodes& nodes) {
    if (!session_.allocatable(job.queue, pod) || session_.pre_predicate(pod)) return NodeId();
    const auto* among = domain == HyperTree::root() ? nullptr : &session_.hyper_tree().node_set(domain);
    return nodes.best(pod, among);
  }

  static constexpr std::size_t kMostAttempts = 64;  // to let single victims stay
  static constexpr std::size_t kMostLooks = 256;    // at whether that could be

  Session& session_;
  Kind kind_;
  std::string_view rule_;
  StarvingJobs starving_;
  std::size_t max_domains_;
  bool allow_rest_;
  bool remember_errors_;
};

}  // namespace

void gang_preempt(Session& session) { GangEvict(session, Kind::kPreempt, "gangpreempt").run(); }
void gang_reclaim(Session& session) { GangEvict(session, Kind::kReclaim, "gangreclaim").run(); }

}  // namespace muster::volcano
