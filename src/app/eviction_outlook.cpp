#include "app/eviction_outlook.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "app/printable_text.h"
#include "policy/volcano/plugins/capacity.h"
#include "policy/volcano/plugins/gang.h"

namespace muster {
namespace {

using volcano::Ballot;
using volcano::GangDemand;
using volcano::Job;
using volcano::Phase;
using volcano::Plugin;
using volcano::Point;
using volcano::Session;
using volcano::Vote;

struct EvictingAction {
  std::string_view name;
  bool takes_from_others = false;  // from other queues, not from its own
  bool for_whole_gangs = false;
};
constexpr EvictingAction kEvicting[] = {
    {.name = "preempt"},
    {.name = "reclaim", .takes_from_others = true},
    {.name = "gangpreempt", .for_whole_gangs = true},
    {.name = "gangreclaim", .takes_from_others = true, .for_whole_gangs = true},
};

// Why a plugin keeps a pod, in words that go after a number of pods.
constexpr std::pair<std::string_view, std::string_view> kKeepers[] = {
    {"priority", "not less urgent than it"},
    {"gang", "needed by their job to reach its minimum"},
    {"conformance", "critical for the cluster"},
    {"pdb", "protected by a disruption budget"},
    {"cdp", "started too recently"},
    {"drf", "of jobs that do not hold more than it would"},
    {"proportion", "of queues that hold no more than they deserve"},
    {"capacity", "of queues that hold no more than they deserve"},
};

std::string keeper_text(const std::string& plugin) {
  for (const auto& [name, text] : kKeepers)
    if (name == plugin) return fmt::format("{} ({})", text, plugin);
  return "kept by the plugin " + plugin;
}

class Chances {
 public:
  Chances(Session& session, const Job& job, const EvictingAction& action) : session_(session), job_(job), action_(action) {
    const auto& group = session.books().group(job.id);
    for (const auto pod : group.pods)
      if (const auto& record = session.books().pod(pod); record.state == PodState::kPending && !record.gated)
        pending_.push_back(pod);
    for (const auto& tier : session.config().tiers)
      for (const auto& option : tier.plugins)
        if (const auto* plugin = session.plugin<Plugin>(option.name)) names_.emplace(plugin, option.name);
  }

  // Of a configuration without it: whether it would look at pods that are less urgent.
  std::size_t less_urgent() {
    if (!obstacle().empty()) return 0;
    const auto& cluster = session_.cluster();
    const auto& books = session_.books();
    std::size_t pods = 0;
    for (const auto node : IdRange<NodeId>(books.node_count()))
      pods += static_cast<std::size_t>(std::ranges::count_if(books.pods_on(node), [&](PodId pod) {
        return is_looked_at(pod) && cluster.task(pod).preemptable && cluster.job(books.pod(pod).group).priority < job_.priority;
      }));
    return pods;
  }

  EvictionChance find() {
    EvictionChance out;
    out.action = action_.name;
    out.obstacle = obstacle();
    if (!out.obstacle.empty()) return out;
    out.looked_at = action_.takes_from_others ? "other queues" : "other jobs of queue " + job_.queue_name;
    const auto& books = session_.books();
    std::vector<PodId> everywhere;  // of single pods those whom their node could spare
    for (const auto node : IdRange<NodeId>(books.node_count())) {
      std::vector<PodId> here;
      for (const auto pod : books.pods_on(node)) {
        if (!is_looked_at(pod)) continue;
        ++out.running;
        if (may_be_asked_about(pod)) here.push_back(pod);
      }
      if (!action_.for_whole_gangs) here = vote_on(here);
      everywhere.insert(everywhere.end(), here.begin(), here.end());
    }
    // Budgets, gangs and shares may let each of several go, and yet not all of them.
    out.may_go = vote_on(everywhere).size();
    out.kept.assign(kept_.begin(), kept_.end());
    std::stable_sort(out.kept.begin(), out.kept.end(), [](const auto& l, const auto& r) { return l.second > r.second; });
    return out;
  }

 private:
  std::string obstacle() {
    if (session_.chain(Point::kJobStarving).empty()) return "no plugin says who may evict: gang or priority would";
    if (!session_.job_starving(job_)) return "it has its minimum, and nobody is evicted for more";
    const bool wants_closeness = job_.sub_jobs && job_.sub_jobs->wants_closeness();
    if (action_.name == "preempt" && wants_closeness) return "it has a network topology, which only gangpreempt serves";
    if (action_.name == "reclaim" && wants_closeness && !session_.behaviour().keeps(volcano::Quirk::kUncheckedReclaim))
      return "it has a network topology, which only gangreclaim serves";
    if (pending_.empty()) return "none of its pods is ready to be placed";
    const auto& cluster = session_.cluster();
    if (std::ranges::none_of(pending_, [&](PodId pod) { return cluster.task(pod).may_preempt; }))
      return "its pods have the preemptionPolicy Never";
    if (!action_.takes_from_others) return "";
    return nobody_runs() ? "" : obstacle_of_queue();
  }

  // Whether there is nobody to take from, whatever the queue may take.
  bool nobody_runs() const {
    const auto& books = session_.books();
    for (const auto node : IdRange<NodeId>(books.node_count()))
      if (std::ranges::any_of(books.pods_on(node), [&](PodId pod) { return is_looked_at(pod); })) return false;
    return true;
  }

  std::string obstacle_of_queue() {
    if (session_.overused(job_.queue)) return fmt::format("its queue {} holds what it deserves", job_.queue_name);
    const auto asked = action_.for_whole_gangs ? std::span<const PodId>(pending_) : std::span<const PodId>(pending_).first(1);
    if (session_.preemptive(job_.queue, asked)) return "";
    Amounts request;
    for (const auto pod : asked) request += session_.books().shape_of(pod).request;
    const auto* capacity = session_.plugin<volcano::Capacity>("capacity");
    const auto* share = capacity == nullptr ? nullptr : &capacity->share_of_queue(job_.queue);
    if (share != nullptr && !volcano::within(share->real_capability, share->allocated, request))
      return fmt::format("its queue {} would get more than it may hold", job_.queue_name);
    const auto deserves_some = [&](const Amounts::Entry& entry) {
      return entry.resource != kPodCount && entry.amount > 0 && share->deserved.get(entry.resource) > 0;
    };
    if (share != nullptr && std::ranges::none_of(request, deserves_some))
      return fmt::format("its queue {} deserves nothing of what it asks for", job_.queue_name);
    return fmt::format("its queue {} would get more than it deserves", job_.queue_name);
  }

  bool is_looked_at(PodId pod) const {
    const auto& record = session_.books().pod(pod);
    if (record.state != PodState::kRunning || !record.group || record.group == job_.id) return false;
    const auto& owner = session_.cluster().job(record.group);
    return owner.schedulable() && (owner.queue == job_.queue) != action_.takes_from_others;
  }

  bool may_be_asked_about(PodId pod) {
    const auto& owner = session_.cluster().job(session_.books().pod(pod).group);
    const auto keep = [&](std::string why) {
      ++kept_[std::move(why)];
      return false;
    };
    if (!session_.cluster().task(pod).preemptable) return keep("marked as not preemptable");
    const auto& queue = session_.cluster().queue(owner.queue);
    if (action_.takes_from_others && !queue.reclaimable.value_or(true))
      return keep(fmt::format("of queue {}, which is not reclaimable", queue.name));
    if (action_.for_whole_gangs && !action_.takes_from_others && owner.priority >= job_.priority)
      return keep("not less urgent than it");
    return true;
  }

  Ballot ask(Plugin& plugin, std::span<const PodId> candidates) const {
    if (action_.for_whole_gangs) return plugin.gang_evictable(demand(), candidates);
    return action_.takes_from_others ? plugin.reclaimable(pending_.front(), candidates)
                                     : plugin.preemptable(pending_.front(), candidates);
  }
  GangDemand demand() const {
    return {action_.takes_from_others ? GangDemand::Kind::kReclaim : GangDemand::Kind::kPreempt, job_.id};
  }
  std::vector<PodId> elect(std::span<const PodId> candidates) {
    if (action_.for_whole_gangs) return session_.gang_evictable(demand(), candidates);
    return action_.takes_from_others ? session_.reclaimable(pending_.front(), candidates)
                                     : session_.preemptable(pending_.front(), candidates);
  }
  Point point() const {
    if (action_.for_whole_gangs) return Point::kGangEvictable;
    return action_.takes_from_others ? Point::kReclaimable : Point::kPreemptable;
  }

  // Who may go. Whoever may not is kept by the first plugin that does not give it up.
  std::vector<PodId> vote_on(const std::vector<PodId>& candidates) {
    if (candidates.empty()) return {};
    auto elected = elect(candidates);
    std::set<PodId> left(candidates.begin(), candidates.end());
    for (const auto pod : elected) left.erase(pod);
    std::set<PodId> alone;  // all that their jobs need: gang keeps them only where no other tier is asked
    for (auto* plugin : session_.chain(point())) {
      if (left.empty()) return elected;
      const auto ballot = ask(*plugin, candidates);
      if (ballot.vote == Vote::kAbstain) continue;
      const std::set<PodId> given_up(ballot.victims.begin(), ballot.victims.end());
      const auto* gang = point() == Point::kReclaimable ? dynamic_cast<const volcano::Gang*>(plugin) : nullptr;
      const auto kept = std::erase_if(left, [&](PodId pod) {
        if (given_up.contains(pod)) return false;
        if (gang == nullptr || gang->shields(pod)) return true;
        alone.insert(pod);
        return false;
      });
      if (kept != 0) kept_[keeper_text(names_.at(plugin))] += kept;
    }
    if (const auto kept = std::erase_if(left, [&](PodId pod) { return alone.contains(pod); }); kept != 0)
      kept_[keeper_text("gang")] += kept;
    if (!left.empty()) kept_["named by no plugin, or served in this cycle"] += left.size();
    return elected;
  }

  Session& session_;
  const Job& job_;
  const EvictingAction& action_;
  std::vector<PodId> pending_;
  std::map<const Plugin*, std::string> names_;
  std::map<std::string, std::size_t> kept_;
};

bool is_configured(const Session& session, std::string_view action) {
  return std::ranges::find(session.config().actions, action) != session.config().actions.end();
}

// What only an action that is not configured would do for it.
std::optional<EvictionChance> chance_without_preempt(Session& session, const Job& job) {
  if (is_configured(session, "preempt") || is_configured(session, "gangpreempt")) return std::nullopt;
  const auto pods = Chances(session, job, kEvicting[0]).less_urgent();
  if (pods == 0) return std::nullopt;
  EvictionChance out;
  out.action = "preempt";
  out.obstacle = fmt::format("is not among the actions of this configuration; {} of queue {} {} less urgent than it",
                             count_of(pods, "running pod"), job.queue_name, pods == 1 ? "is" : "are");
  return out;
}

}  // namespace

std::vector<EvictionChance> eviction_chances(Session& session, const Job& job) {
  std::vector<EvictionChance> out;
  if (!job.has_pod_group || !job.queue || job.status.phase == Phase::kPending) return out;
  for (const auto& name : session.config().actions)
    for (const auto& action : kEvicting)
      if (action.name == name) out.push_back(Chances(session, job, action).find());
  if (auto chance = chance_without_preempt(session, job)) out.push_back(std::move(*chance));
  return out;
}

std::string chance_text(const EvictionChance& chance) {
  if (!chance.obstacle.empty()) return chance.obstacle;
  if (chance.running == 0) return fmt::format("no pod of {} is running", chance.looked_at);
  const auto plan = chance.running == 1 ? "it" : "them";
  const auto but = chance.may_go == 0 ? std::string() : fmt::format(", but no plan with {} gives the job room", plan);
  auto text = chance.running == 1 ? fmt::format("the one running pod of {} may {}{}{}", chance.looked_at,
                                                chance.may_go == 0 ? "not " : "", chance.asked, but)
              : chance.may_go == 0
                  ? fmt::format("none of the {} running pods of {} may {}", chance.running, chance.looked_at, chance.asked)
                  : fmt::format("{} of the {} running pods of {} may {}{}", chance.may_go, chance.running, chance.looked_at,
                                chance.asked, but);
  std::string_view separator = ": ";
  for (const auto& [why, pods] : chance.kept) {
    text += fmt::format("{}{} {} {}", separator, pods, pods == 1 ? "is" : "are", why);
    separator = ", ";
  }
  return text;
}

}  // namespace muster
