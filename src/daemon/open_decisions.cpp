#include "daemon/open_decisions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

// It is on its way out, whoever wants that, or its node has thrown it out. That its containers have failed is the affair of who
// made it, and who may take longer to replace it than a gang waits here.
bool is_lost(const Pod& pod) {
  if (pod.meta.deleted) return true;
  return pod.status.phase == "Failed" && std::ranges::any_of(pod.status.conditions, [](const Condition& condition) {
           return condition.type == "DisruptionTarget" && condition.status == "True";
         });
}

std::string why_unprepared(const Bind& bind, const std::string& why) {
  return why_not_bound(bind.pod, bind.node, "could not be prepared", why);
}

std::vector<IncompleteGangs::Refused> unprepared(const std::vector<FailedBind>& failed) {
  std::vector<IncompleteGangs::Refused> out;
  for (const auto& [bind, why] : failed) out.push_back({bind.group, bind.pod, why_unprepared(bind, why)});
  return out;
}

}  // namespace

OpenDecisions::OpenDecisions(LiveCluster& cluster, const CycleSettings& settings, const CycleLinks& links, Warnings& warnings,
                             std::function<void()> wants_cycle)
    : cluster_(cluster),
      links_(links),
      warnings_(warnings),
      wants_cycle_(std::move(wants_cycle)),
      claims_(settings.take_back),
      held_(settings.hold),
      incomplete_(settings.gang_patience,
                  {[this](const auto& member, const auto& without) { return cluster_.lacks_pods(member, without); },
                   [this](const auto& pod) { return cluster_.holds_room(pod); }}) {
  if (links_.term) term_ = links_.term();
}

// ---- what the watches tell

void OpenDecisions::take_pod(Pod pod, kube::Instant seen) {
  const bool has_node = !pod.spec.node_name.empty();
  if (has_node) {
    claims_.on_bound(pod.meta.uid);
    seen_.forget(pod.meta.uid);
    incomplete_.on_bound(pod.meta.uid, now());
    orders_.erase(pod.meta.uid);
  } else if (!assumed_.binds(kube::identity_of(pod.meta))) {
    seen_.note(pod.meta.uid, seen);
  }
  if (is_lost(pod)) incomplete_.on_lost(kube::identity_of(pod.meta));
  if (!assumed_.complete(pod)) return;
  if (has_node || pod.spec.node_name.empty()) hold_if_refused(pod);  // a node that is only assumed may have been refused
  cluster_.apply(Object(std::move(pod)));
}

// Or if it takes the place of one whose gang was.
void OpenDecisions::hold_if_refused(Pod& pod) {
  held_.complete(pod, held_.holds_newcomers() ? cluster_.gang_of(pod) : std::string());
}

void OpenDecisions::take_object(Object object) {
  claims_.complete(object);
  show_claims();
  cluster_.apply(std::move(object));
}

void OpenDecisions::forget(const kube::ResourceKind& kind, const kube::Identity& id) {
  if (kind.kind == "Pod") {
    assumed_.forget(id);
    held_.forget(id);
    incomplete_.on_lost(id);
    incomplete_.forget(id.uid);
    troubled_.erase(id.uid);
    seen_.forget(id.uid);
    in_the_way_.erase(id.uid);
    unsure_.forget(id.uid);
    orders_.erase(id.uid);
  }
  told_.gone.push_back(id.uid);
  claims_.forget(kind, id);
  show_claims();
}

// ---- around cycles

void OpenDecisions::go_on(std::uint64_t cycle) {
  take_failed_binds(cycle);
  enter_term();
  work_on_claims();
  let_go();
}

// Somebody else may have led since the last one, and have given away what binds that wait were to get.
void OpenDecisions::enter_term() {
  const auto term = links_.term ? links_.term() : term_;
  if (std::exchange(term_, term) == term) return;
  for (const auto& pod : claims_.stand_back()) links_.read_pod(pod);
  incomplete_.forget_all();
  troubled_.clear();
  show_claims();
}

void OpenDecisions::let_go() {
  if (held_.size() == 0) return;
  for (auto& pod : held_.let_go(now())) {
    cluster_.apply(Object(std::move(pod)));
    wants_cycle_();
  }
}

void OpenDecisions::prepare() {
  claims_.take_back_again(now());
  work_on_claims();
  incomplete_.settle(now());
}

void OpenDecisions::give_up_gangs(std::uint64_t cycle) {
  for (auto& gang : incomplete_.due(now())) {
    links_.log.warn("a gang gives back its room", {cycle + 1, std::string(kIncompleteGangRule)},
                    {{"gang", gang.gang}, {"pods", std::to_string(gang.pods.size())}, {"why", gang.why}});
    held_.hold_newcomers(gang.gang, now(), gang.why);
    cluster_.give_up(std::move(gang));
  }
}

void OpenDecisions::assume(const Effects& effects, const Timestamp& now) {
  for (const auto& bind : effects.binds)
    if (bind.order) {
      assumed_.order(bind.pod);
      orders_.insert_or_assign(bind.pod.uid, decided_of(bind));
    } else {
      assumed_.bind(bind.pod, bind.node);
    }
  for (const auto& eviction : effects.evictions) assumed_.evict(eviction.pod, now);
  incomplete_.begin(effects.binds);
  incomplete_.on_evicted(effects.evictions);
}

void OpenDecisions::withhold_evictions(Effects& effects) {
  for (const auto& eviction : std::exchange(effects.evictions, {})) {
    incomplete_.on_stays(eviction.pod.uid);
    links_.read_pod(eviction.pod);
  }
}

void OpenDecisions::carry_out(Effects effects, std::uint64_t cycle) {
  effects.complete = seen_.take_gangs(effects.binds);
  claims_.begin(effects, now());
  keep_back_gangs(effects);
  show_claims();
  hand_out(std::move(effects));
  work_on_claims();
  take_failed_binds(cycle);
}

void OpenDecisions::hand_out(Effects effects) {
  effects.term = term_;
  if (!effects.empty()) links_.carry_out(std::move(effects));
}

std::optional<kube::Instant> OpenDecisions::next() const {
  const auto held = held_.next();
  const auto claim = claims_.next();
  return held && claim ? std::min(*held, *claim) : held ? held : claim;
}

// ---- what goes before binds

// Claims and volumes are to be seen differently from now on, because of what is being written or has not been.
void OpenDecisions::show_claims() {
  for (auto& object : claims_.take_objects()) {
    cluster_.apply(std::move(object));
    wants_cycle_();
  }
}

// What goes before binds has gone on, or has failed. Binds whose turn has come may be of a gang that has failed in the same moment.
void OpenDecisions::work_on_claims() {
  claims_.fail_late(now());
  Effects nothing_else;
  keep_back_gangs(nothing_else);
  auto news = claims_.take_news();
  for (const auto& bind : news.effects.binds) cluster_.on_prepared(bind, claims_.took(bind, now()));
  show_claims();
  hold_up_gangs(unprepared(news.failed));
  for (const auto& [bind, why] : news.failed) {
    links_.log.warn("a bind could not be prepared", decided_of(bind),
                    {{"pod", bind.pod.ns + "/" + bind.pod.name}, {"node", bind.node}, {"why", why}});
    held_.refuse(bind.pod, bind.group, now(), why_unprepared(bind, why));
    tell_not_bound(bind, NotBound::kNotPrepared, why);
    Effects told;
    cluster_.on_unprepared(bind, why, links_.clock.wall(), told);
    told.note_cycle(bind.cycle);
    news.effects.add(std::move(told));
    links_.read_pod(bind.pod);
  }
  hand_out(std::move(news.effects));
}

// Whose bind is known to be impossible keeps back the rest of its gang, if that cannot run without it: who is bound meanwhile would
// have to leave again, with every attempt.
void OpenDecisions::keep_back_gangs(Effects& effects) {
  const auto gangs = incomplete_.on_refused(unprepared(claims_.failures()), now());
  if (gangs.empty()) return;
  auto kept = claims_.give_back([&](const Bind& bind) { return gangs.contains(bind.group); });
  const auto first = std::ranges::stable_partition(effects.binds, [&](const Bind& bind) { return !gangs.contains(bind.group); });
  kept.insert(kept.end(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
  effects.binds.erase(first.begin(), first.end());
  for (const auto& bind : kept) keep_back(bind, "another pod of its gang cannot be bound: " + gangs.at(bind.group));
  log_unsent();
}

// The pods of their gangs that have their nodes wait for them. Those that have none yet are not to join them.
void OpenDecisions::hold_up_gangs(const std::vector<IncompleteGangs::Refused>& refused) {
  const auto gangs = incomplete_.on_refused(refused, now());
  if (gangs.empty()) return;
  if (links_.drop_binds)
    for (const auto& [gang, what] : gangs) links_.drop_binds(gang);
  for (const auto& other : claims_.give_back([&](const Bind& one) { return gangs.contains(one.group); }))
    keep_back(other, "another pod of its gang cannot be bound: " + gangs.at(other.group));
  show_claims();
}

// It was decided, and is not sent after all.
void OpenDecisions::keep_back(const Bind& bind, const std::string& why) {
  note_unsent(bind, why);
  tell_not_bound(bind, NotBound::kNotSent, why);
  links_.read_pod(bind.pod);
}

// Gangs of hundreds are dropped at once, and are one line.
void OpenDecisions::note_unsent(const Bind& bind, const std::string& why) {
  auto& unsent = unsent_[{bind.group.empty() ? key_of(bind.pod) : bind.group, why}];
  ++unsent.binds;
  unsent.by = decided_of(bind);
}

void OpenDecisions::log_unsent() {
  for (const auto& [of, unsent] : std::exchange(unsent_, {}))
    links_.log.info("binds were not sent", unsent.by,
                    {{"gang", of.first}, {"pods", std::to_string(unsent.binds)}, {"why", of.second}});
}

void OpenDecisions::tell_not_bound(const Bind& bind, NotBound how, const std::string& why) const {
  if (links_.on_not_bound) links_.on_not_bound(bind, how, why);
}

void OpenDecisions::tell_all() {
  log_unsent();
  hand_out(std::exchange(told_, {}));
}

}  // namespace muster::daemon
