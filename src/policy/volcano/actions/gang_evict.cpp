#include "policy/volcano/actions/gang_evict.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "policy/volcano/actions/gang_minimum.h"
#include "policy/volcano/actions/gang_room.h"
#include "policy/volcano/actions/gang_trial.h"
#include "policy/volcano/actions/gang_victims.h"
#include "policy/volcano/actions/hopeless_takers.h"
#include "policy/volcano/actions/needless_victims.h"
#include "policy/volcano/actions/starving_jobs.h"
#include "policy/volcano/actions/victim_stock.h"
#include "policy/volcano/actions/victim_units.h"

namespace muster::volcano {
namespace {

using DemandKind = GangDemand::Kind;

bool covers(const Amounts& available, const Amounts& need) {
  return std::all_of(need.begin(), need.end(), [&](const auto& entry) {
    const auto& [resource, amount] = entry;
    return amount <= available.get(resource);
  });
}

class GangEvict {
 public:
  GangEvict(Session& session, DemandKind kind, std::string_view rule)
      : session_(session),
        kind_(kind),
        rule_(rule),
        starving_(session, [](const Job&) { return true; }),
        gangs_(session.config().action_arguments(rule).get_bool("allowWholeBundle", true) ? GangVictims::Gangs::kMayGo
                                                                                          : GangVictims::Gangs::kStay),
        hopeless_(session, Point::kGangEvictable),
        keeps_stocks_(VictimStock::can_be_kept(session)) {
    constexpr std::int64_t kDefaultDomains = 8;
    const auto domains = session.config().action_arguments(rule).get_int("maxDomains", kDefaultDomains);
    max_domains_ = static_cast<std::size_t>(domains > 0 ? domains : kDefaultDomains);
  }

  void run() {
    while (const auto queue = starving_.next_queue()) {
      if (kind_ == DemandKind::kReclaim && session_.overused(queue)) continue;
      while (const auto job = starving_.next_job(queue)) evict_for(session_.cluster().job(job));
    }
  }

 private:
  void evict_for(Job& job) {
    const auto alone = only_pod(job);
    Statement statement(session_);
    if (alone && hopeless_.contains(job, alone, statement)) return;
    const auto served = demand_of(job);
    const auto plan = find_plan(job, served, statement);
    if (!session_.job_pipelined(job)) {
      statement.discard();
      if (alone && served.minimum && !had_place(job, alone)) hopeless_.add(job, alone, statement);
      return;
    }
    const auto placed = statement.placed();
    statement.commit(rule_);
    hopeless_.clear();
    if (session_.behaviour().keeps(Quirk::kTwins))
      for (const auto pod : placed) session_.twins().make(pod);
    if (!plan) return;
    for (const auto& [sub_job, domain] : plan->domains)
      session_.nominate(job, sub_job ? &(*job.sub_jobs)[sub_job] : nullptr, domain);
  }

  // Of a job that has one; none: there are others, or its whereabouts matter.
  PodId only_pod(const Job& job) const {
    const auto& pods = session_.books().group(job.id).pods;
    return pods.size() == 1 && job.sub_jobs == nullptr ? pods.front() : PodId();
  }

  // In this cycle, if only on trial, which is told of it when the cycle ends.
  static bool had_place(const Job& job, PodId pod) {
    const auto* note = job.notes ? job.notes->find(pod) : nullptr;
    return note != nullptr && note->last;
  }

  // The plan that worked, in effect in the statement.
  std::optional<GangPlan> find_plan(Job& job, const Served& served, Statement& statement) {
    if (served.pods.empty()) return std::nullopt;
    if (kind_ == DemandKind::kReclaim && !session_.preemptive(job.queue, served.pods)) return std::nullopt;
    GangTrial trial(session_, job, served, rule_);
    const auto domains = domains_for(job);
    for (const auto domain : domains)
      if (auto plan = plan_as_it_is(trial, domain))  // in room that others leave already, or else allocate's business
        return !leaves_to_allocate() && carry_out(*plan, statement) ? std::move(plan) : std::nullopt;
    for (const auto domain : domains)
      if (auto plan = plan_in(trial, domain); plan && carry_out(*plan, statement)) return plan;
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
  std::optional<GangPlan> plan_as_it_is(GangTrial& trial, HyperNodeId domain) {
    if (!spares_needless()) return std::nullopt;
    const auto most = free_or_leaving(session_.hyper_tree().nodes(domain), Overcommitted::kHaveNothing);
    if (!covers(most, trial.served().need)) return std::nullopt;
    return trial.in(domain, {});
  }

  bool spares_needless() const { return !session_.behaviour().keeps(Quirk::kNeedlessVictims); }

  // An allocate that follows binds at once what would only be promised.
  bool leaves_to_allocate() const { return leave_to_allocate(session_, rule_, Statement(session_)); }

  // What the job needs in order to run; the rest gets free room. In the original a job that runs asks for one sub-job more, others
  // for all that they have.
  Served demand_of(const Job& job) {
    Served served;
    if (auto fewest = spares_needless() ? fewest_to_run(session_, job) : std::nullopt) {
      served.pods = std::move(*fewest);
      served.minimum.emplace(served.pods.begin(), served.pods.end());
    } else {
      JobWorksheet worksheet(session_, job, GatedTasks::kNone);
      const bool one = session_.job_ready(job);
      while (!worksheet.empty()) {
        auto& sheet = worksheet.next();
        while (!sheet.tasks.empty()) served.pods.push_back(sheet.tasks.pop());
        if (one) break;
      }
    }
    served.need = requests_of(session_.books(), served.pods);
    return served;
  }

  std::vector<HyperNodeId> domains_for(const Job& job) {
    std::vector<HyperNodeId> domains;
    for (const auto& row : session_.gradients(job, HyperTree::root(), Purpose::kEvict))
      for (const auto domain : row)
        if (domains.size() < max_domains_ && std::find(domains.begin(), domains.end(), domain) == domains.end())
          domains.push_back(domain);
    if (domains.empty() && (job.sub_jobs == nullptr || !job.sub_jobs->has_hard_tier())) domains.push_back(HyperTree::root());
    return domains;
  }

  // Takes bundle after bundle until what they free would do by amount, and from there on until the gang really finds places.
  std::optional<GangPlan> plan_in(GangTrial& trial, HyperNodeId domain) {
    const auto& nodes = session_.hyper_tree().nodes(domain);
    if (nodes.empty()) return std::nullopt;
    const auto& need = trial.served().need;
    if (auto* stock = stock_for(trial, domain)) {
      if (!stock->could_have(need) && !trial.queue_refused()) return std::nullopt;
      if (auto plan = plan_from(*stock, trial, domain)) return plan;
    }
    GangVictims victims(session_, {kind_, trial.job().id}, gangs_);
    const auto candidates = victims.on(nodes);
    if (!spares_needless()) {
      const auto bundles = victims.bundle(candidates, need, nullptr).all;
      const auto least = fewest_that_cover(free_or_leaving(nodes, Overcommitted::kUseUpOthers), bundles, need);
      return least ? first_that_works(trial, domain, bundles, *least) : std::nullopt;
    }
    for (const auto helps : {GangRoom::Helps::kWhereTheyMayGo, GangRoom::Helps::kEverywhere}) {
      const GangRoom room(session_, trial.served().pods, domain, candidates, helps);
      if (auto plan = plan_where_it_helps(trial, domain, room, candidates, victims)) return plan;
      if (!trial.queue_refused()) break;  // or else whoever leaves anywhere may make room in the queue
    }
    return std::nullopt;
  }

  // For jobs of one pod, of which there can be many that are alike.
  VictimStock* stock_for(const GangTrial& trial, HyperNodeId domain) {
    const auto& job = trial.job();
    const auto pod = only_pod(job);
    if (!keeps_stocks_ || !pod) return nullptr;
    const VictimStock::Key key{kind_,
                               job.queue,
                               kind_ == DemandKind::kPreempt ? job.priority : 0,
                               session_.rules().class_of(pod),
                               session_.books().pod(pod).shape,
                               domain};
    constexpr std::size_t kMostStocks = 8;
    if (stocks_.size() >= kMostStocks && !stocks_.contains(key)) stocks_.clear();
    auto& stock = stocks_[key];
    if (stock == nullptr) stock = std::make_unique<VictimStock>(session_, GangDemand{kind_, job.id}, gangs_, pod, domain);
    return stock->follow(pod) ? stock.get() : nullptr;
  }

  // What plan_where_it_helps() finds, if the first victims are enough.
  std::optional<GangPlan> plan_from(VictimStock& stock, GangTrial& trial, HyperNodeId domain) {
    const auto first = stock.first({kind_, trial.job().id});
    if (!first) return std::nullopt;
    const auto least = fewest_that_cover(stock.room().free_or_leaving(), first->bundles, trial.served().need);
    if (!least) return std::nullopt;
    const auto others = first->all ? Others::kNone : Others::kUnknown;
    if (auto draft = smallest_that_works(trial, domain, first->bundles, *least, others))
      return without_needless(trial, domain, stock.room(), std::move(*draft));
    return std::nullopt;
  }

  // Limits on what may go are used up in the order in which it is asked: if that leaves too little on each node, it is asked again
  // node by node.
  std::optional<GangPlan> plan_where_it_helps(GangTrial& trial, HyperNodeId domain, const GangRoom& room,
                                              const std::vector<PodId>& candidates, GangVictims& victims) {
    using Order = GangVictims::Order;
    const auto& need = trial.served().need;
    const auto free = room.free_or_leaving();
    if (auto most = free; !covers(most += room.held_by(candidates), need)) return std::nullopt;
    for (const auto order : {Order::kByLoser, Order::kByNode}) {
      const auto bundles = victims.bundle(candidates, need, &room, order);
      if (const auto least = fewest_that_cover(free, bundles.all, need))
        if (auto plan = smallest_that_works(trial, domain, bundles.all, *least))
          return without_needless(trial, domain, room, std::move(*plan));
      if (!bundles.refused) break;
    }
    return std::nullopt;
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

  std::optional<GangPlan> try_first(GangTrial& trial, HyperNodeId domain, std::span<const VictimBundle> bundles,
                                    std::size_t count) {
    std::vector<PodId> victims;
    for (const auto& bundle : bundles.first(count)) victims.insert(victims.end(), bundle.pods.begin(), bundle.pods.end());
    return trial.in(domain, victims);
  }

  std::optional<GangPlan> first_that_works(GangTrial& trial, HyperNodeId domain, std::span<const VictimBundle> bundles,
                                           std::size_t least) {
    for (auto count = least; count <= bundles.size(); ++count)
      if (auto plan = try_first(trial, domain, bundles, count)) return plan;
    return std::nullopt;
  }

  struct Draft {
    GangPlan plan;
    VictimUnits victims;
  };

  // Whether there are more bundles than are known. Where they would be needed, nothing is found.
  enum class Others { kNone, kUnknown };

  // In growing strides, so that a gang that finds no places however many go costs few attempts; and back to the fewest bundles.
  std::optional<Draft> smallest_that_works(GangTrial& trial, HyperNodeId domain, std::span<const VictimBundle> bundles,
                                           std::size_t least, Others others = Others::kNone) {
    std::size_t failed = least - 1, count = least;
    std::optional<GangPlan> plan;
    for (std::size_t stride = 1; !(plan = try_first(trial, domain, bundles, count)); stride *= 2) {
      if (count == bundles.size() || (others == Others::kUnknown && count + stride > bundles.size())) return std::nullopt;
      failed = count;
      count = std::min(count + stride, bundles.size());
    }
    while (count - failed > 1) {
      const auto middle = failed + (count - failed) / 2;
      if (auto smaller = try_first(trial, domain, bundles, middle))
        plan = std::move(smaller), count = middle;
      else
        failed = middle;
    }
    return Draft{std::move(*plan), VictimUnits(session_, bundles.first(count))};
  }

  // The same with fewer victims: those that are not needed where the gang goes may stay; then one after the other, as far as there
  // is enough by amount without it, if the gang then still finds places.
  GangPlan without_needless(GangTrial& trial, HyperNodeId domain, const GangRoom& room, Draft draft) {
    spare_where_not_needed(trial, draft);
    auto& [plan, units] = draft;
    auto available = room.free_or_leaving();
    available += room.held_by(units.pods());
    std::size_t attempts = 0, looks = 0;
    for (auto unit = units.size(); unit-- > 0 && attempts < kMostAttempts && looks < kMostLooks; ++looks) {
      auto without = available;
      without -= room.held_by(units.pods_of(unit));
      if (!covers(without, trial.served().need)) continue;
      const auto fewer = units.without(unit);
      if (!fewer || fewer->size() == 0) continue;
      ++attempts;
      if (auto smaller = trial.in(domain, fewer->pods()))
        plan = std::move(*smaller), units = *fewer, available = std::move(without);
    }
    if (attempts != 0) spare_where_not_needed(trial, draft);
    return std::move(plan);
  }

  // Amounts alone do not tell who may stay beside the gang's pods; whoever is elsewhere may.
  void spare_where_not_needed(GangTrial& trial, Draft& draft) {
    auto elsewhere = draft.plan.left;
    for (auto& [node, left] : elsewhere) left.clear();
    for (const auto& left : {draft.plan.left, elsewhere}) {
      auto needed = draft.victims.needed(left);
      if (needed.size() == 0 || needed.pods().size() == draft.victims.pods().size()) continue;
      if (auto plan = trial.as_in(draft.plan, needed.pods())) {
        draft = {std::move(*plan), std::move(needed)};
        return;
      }
    }
  }

  // What a node lacks is taken off the sum in the original.
  enum class Overcommitted { kHaveNothing, kUseUpOthers };

  Amounts free_or_leaving(const std::vector<NodeId>& nodes, Overcommitted nodes_that_are) const {
    const auto& ledgers = session_.books().ledgers();
    const auto least = nodes_that_are == Overcommitted::kHaveNothing ? 0 : std::numeric_limits<std::int64_t>::min();
    Amounts sum;
    for (std::size_t r = 0; r < session_.books().resource_count(); ++r) {
      std::int64_t amount = 0;
      for (const auto node : nodes) amount += std::max(ledgers.idle[r][node.index()] + ledgers.releasing[r][node.index()], least);
      if (amount != 0) sum.add(ResourceId(r), amount);
    }
    return sum;
  }

  static constexpr std::size_t kMostAttempts = 64;  // to let single victims stay
  static constexpr std::size_t kMostLooks = 256;    // at whether that could be

  Session& session_;
  DemandKind kind_;
  std::string_view rule_;
  StarvingJobs starving_;
  std::size_t max_domains_;
  GangVictims::Gangs gangs_;
  HopelessTakers hopeless_;
  bool keeps_stocks_;
  std::map<VictimStock::Key, std::unique_ptr<VictimStock>> stocks_;
};

}  // namespace

void gang_preempt(Session& session) { GangEvict(session, DemandKind::kPreempt, "gangpreempt").run(); }
void gang_reclaim(Session& session) { GangEvict(session, DemandKind::kReclaim, "gangreclaim").run(); }

}  // namespace muster::volcano
