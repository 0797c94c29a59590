#include "daemon/cycle_loop.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include "app/stopwatch.h"
#include "base/assert.h"
#include "codec/object_reader.h"
#include "daemon/blocked_eviction.h"
#include "daemon/object_key.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kMostAtOnce = 4096;
constexpr std::size_t kMostRemembered = 1000;  // warnings that are not said again
constexpr int kCheckShare = 200;               // a check of the invariants takes at most this part of the time

}  // namespace

CycleLoop::CycleLoop(std::unique_ptr<LiveCluster> cluster, std::size_t kinds, CycleSettings settings, Links links)
    : cluster_(std::move(cluster)),
      kinds_(kinds),
      settings_(settings),
      links_(std::move(links)),
      held_(settings.hold),
      incomplete_(settings.gang_patience,
                  {[this](const auto& member, const auto& without) { return cluster_->lacks_pods(member, without); },
                   [this](const auto& pod) { return cluster_->holds_room(pod); }}),
      expectations_(failed_expectations()),
      is_on_trial_(settings.evictions == Evictions::kStopped) {
  if (links_.term) term_ = links_.term();
  cluster_->set_evictions(settings.evictions);
}

void CycleLoop::stop() {
  stopping_ = true;
  links_.changes.nudge();
}

void CycleLoop::post(std::function<void(CycleLoop&)> work) {
  {
    const std::lock_guard lock(mutex_);
    mail_.push_back(std::move(work));
  }
  links_.changes.nudge();
}

void CycleLoop::on_written(WriteReport report) {
  post([moved = std::move(report)](CycleLoop& loop) { loop.take_report(moved); });
}

void CycleLoop::on_blocked(const Evict& evict, const std::string& answer) {
  post([event = event_of_blocked(evict, answer)](CycleLoop& loop) { loop.told_.events.push_back(event); });
}

void CycleLoop::on_read(PodReading reading) {
  post([moved = std::make_shared<PodReading>(std::move(reading))](CycleLoop& loop) { loop.take_reading(std::move(*moved)); });
}

void CycleLoop::on_order_read(OrderReading reading) {
  post([moved = std::move(reading)](CycleLoop& loop) { loop.take_order(moved); });
}

void CycleLoop::run() {
  while (!stopping_) {
    const auto due = next_cycle();
    // Until everything is known nothing is due.
    const auto wait = synced_ ? std::max(kube::Duration(0), kube::Duration(due - links_.clock.now())) : settings_.period;
    for (auto& change : links_.changes.take(kMostAtOnce, wants_cycle() && synced_ ? kube::Duration(0) : wait))
      take_in(std::move(change));
    take_mail();
    take_failures();
    enter_term();
    work_on_claims();
    let_go();
    if (!synced_ || stopping_) continue;
    if (!wants_cycle() && links_.clock.now() < due) {
      let_news_gather();
      continue;
    }
    if (awaited_ > 0 || !links_.may_decide()) {
      dirty_ = is_asked_ = is_seen_ = false;  // whoever leads decides; when it is us, a cycle comes with the period
      if (links_.clock.now() < due) continue;
      cluster_->skip_cycle(links_.clock.wall());
      last_cycle_ = links_.clock.now();
      continue;
    }
    if (wants_cycle() && !wait_for_quiet()) continue;
    run_cycle();
  }
}

// At the latest.
kube::Instant CycleLoop::next_cycle() const {
  const auto due = last_cycle_ + settings_.period;
  const auto gangs = may_give_up() ? incomplete_.next() : std::nullopt;
  return std::min({due, held_.next().value_or(due), claims_.next().value_or(due), gangs.value_or(due)});
}

void CycleLoop::let_go() {
  if (held_.size() == 0) return;
  for (auto& pod : held_.let_go(links_.clock.now())) {
    cluster_->apply(Object(std::move(pod)));
    dirty_ = true;
  }
}

// News come in bursts: a cycle begins when there was none for a moment. False: told to stop.
bool CycleLoop::wait_for_quiet() {
  const auto end = links_.clock.now() + settings_.patience;
  while (links_.clock.now() < end) {
    auto changes = links_.changes.take(kMostAtOnce, settings_.quiet);
    for (auto& change : changes) take_in(std::move(change));
    take_mail();
    if (changes.empty()) break;
  }
  return !stopping_;
}

// Thousands of binds are answered and confirmed one by one, and each answer nudges: to wake up for each takes more than to take it
// in. What comes alone is taken in at once.
void CycleLoop::let_news_gather() {
  const auto now = links_.clock.now();
  if (now - std::exchange(last_woken_, now) < 2 * settings_.gather) std::this_thread::sleep_for(settings_.gather);
}

// Somebody else may have led since the last one, and have given away what binds that wait were to get.
void CycleLoop::enter_term() {
  const auto term = links_.term ? links_.term() : term_;
  if (std::exchange(term_, term) == term) return;
  for (const auto& pod : claims_.stand_back()) links_.read_pod(pod);
  incomplete_.forget_all();
  show_claims();
}

void CycleLoop::take_mail() {
  std::vector<std::function<void(CycleLoop&)>> mail;
  {
    const std::lock_guard lock(mutex_);
    mail.swap(mail_);
  }
  for (auto& work : mail) work(*this);
  log_unsent();
  hand_out(std::exchange(told_, {}));
}

void CycleLoop::take_in(kube::Change change) {
  if (links_.on_change) links_.on_change(change);
  switch (change.type) {
    case kube::ChangeType::kSynced:
      links_.log.debug("all objects of a kind are known", {{"kind", std::string(change.kind->kind)}});
      if (!synced_kinds_.insert(change.kind).second) {
        --awaited_;
      } else if (synced_kinds_.size() == kinds_) {
        first_writes_ = cluster_->settle();
        synced_ = true;
        links_.log.info("all objects are known");
      }
      synced_count_ = synced_kinds_.size();
      dirty_ = true;
      return;
    case kube::ChangeType::kDeleted:
      if (change.kind->kind == "Pod") {
        assumed_.forget(change.id);
        held_.forget(change.id);
        incomplete_.on_lost(change.id);
        incomplete_.forget(change.id.uid);
        troubled_.erase(change.id.uid);
        seen_.forget(change.id.uid);
        in_the_way_.erase(change.id.uid);
        unsure_.forget(change.id.uid);
        orders_.erase(change.id.uid);
      }
      told_.gone.push_back(change.id.uid);
      claims_.forget(*change.kind, change.id);
      show_claims();
      cluster_->remove(*change.kind, change.id);
      dirty_ = true;
      return;
    case kube::ChangeType::kUnchanged: return compare(*change.kind, std::move(*change.object));
    case kube::ChangeType::kAdded:
    case kube::ChangeType::kModified:
      if (auto* pod = std::get_if<Pod>(&*change.object)) {
        // Cycles have counted with it: with thousands of binds under way, each would begin one in vain.
        const bool is_news = !assumed_.is_confirmed_by(*pod);
        take_pod(std::move(*pod), change.seen);
        is_seen_ = false;
        if (!is_news) return;
      } else {
        claims_.complete(*change.object);
        show_claims();
        cluster_->apply(std::move(*change.object));
      }
      dirty_ = true;
      return;
  }
}

void CycleLoop::take_pod(Pod pod, kube::Instant seen) {
  const bool has_node = !pod.spec.node_name.empty();
  if (has_node) {
    claims_.on_bound(pod.meta.uid);
    seen_.forget(pod.meta.uid);
    incomplete_.on_bound(pod.meta.uid, links_.clock.now());
    orders_.erase(pod.meta.uid);
  } else if (!assumed_.binds(kube::identity_of(pod.meta))) {
    seen_.note(pod.meta.uid, seen);
  }
  if (pod.status.phase == "Failed" || pod.meta.deleted) incomplete_.on_lost(kube::identity_of(pod.meta));
  if (!assumed_.complete(pod)) return;
  if (has_node || pod.spec.node_name.empty()) hold_if_refused(pod);  // a node that is only assumed may have been refused
  cluster_->apply(Object(std::move(pod)));
}

// Or if it takes the place of one whose gang was.
void CycleLoop::hold_if_refused(Pod& pod) { held_.complete(pod, held_.holds_newcomers() ? cluster_->gang_of(pod) : std::string()); }

// The queue keeps the order in which the watch told, so just this version has been taken in.
void CycleLoop::compare(const kube::ResourceKind& kind, Object object) {
  auto* pod = std::get_if<Pod>(&object);
  const auto id = kube::identity_of(pod != nullptr ? pod->meta : meta_of(object));
  if (!synced_ || (pod != nullptr && assumed_.holds(id))) return;
  const auto what = cluster_->differs(object);
  if (what.empty()) return;
  if (links_.on_mismatch) links_.on_mismatch(kind, id, what);
  dirty_ = true;
  if (pod == nullptr) return cluster_->apply(std::move(object));
  cluster_->take_back(id);
  take_pod(std::move(*pod), links_.clock.now());
}

std::string CycleLoop::why_no_sights() const {
  if (!synced_) return "not every kind of object has been read yet";
  if (!links_.may_decide()) return "this process does not lead: ask the one that does";
  return {};
}

void CycleLoop::add_sight(Sight sight) {
  cluster_->add_sight(std::move(sight));
  is_asked_ = true;
}

void CycleLoop::stop_evicting() {
  if (std::exchange(is_doubted_, true)) return;
  is_on_trial_ = false;
  cluster_->set_evictions(Evictions::kStopped);
}

void CycleLoop::check_invariants() {
  const auto now = links_.clock.now();
  const auto failed = failed_expectations();
  const bool expected = failed == std::exchange(expectations_, failed);
  if (is_doubted_ || (expected && now < next_check_)) return;
  Stopwatch watch;
  const auto broken = expected ? cluster_->broken_invariant() : "something that cannot be has happened: see above";
  next_check_ = now + std::max(settings_.check, kube::Duration(std::chrono::microseconds(watch.lap()) * kCheckShare));
  if (!broken.empty()) {
    stop_evicting();
    if (links_.on_broken) links_.on_broken(broken, cycles_);
  } else if (std::exchange(is_on_trial_, false)) {
    cluster_->set_evictions(Evictions::kAllowed);
    dirty_ = true;
    if (links_.on_in_order) links_.on_in_order(cycles_);
  }
}

// They were decided by what cannot be relied on.
void CycleLoop::withhold_evictions(Effects& effects) {
  for (const auto& eviction : std::exchange(effects.evictions, {})) {
    incomplete_.on_stays(eviction.pod.uid);
    links_.read_pod(eviction.pod);
  }
}

void CycleLoop::tell_at_once(Effects& effects) {
  for (auto& eviction : effects.evictions)
    for (auto& event : std::exchange(eviction.told, {})) effects.events.push_back(std::move(event));
}

// Claims and volumes are to be seen differently from now on, because of what is being written or has not been.
void CycleLoop::show_claims() {
  for (auto& object : claims_.take_objects()) {
    cluster_->apply(std::move(object));
    dirty_ = true;
  }
}

// What goes before binds has gone on, or has failed.
void CycleLoop::work_on_claims() {
  auto news = claims_.take_news(links_.clock.now());
  show_claims();
  for (const auto& [bind, why] : news.failed) {
    links_.log.warn("a bind could not be prepared", decided_of(bind),
                    {{"pod", bind.pod.ns + "/" + bind.pod.name}, {"node", bind.node}, {"why", why}});
    const auto what = why_not_bound(bind.pod, bind.node, "could not be prepared", why);
    held_.refuse(bind.pod, bind.group, links_.clock.now(), what);
    hold_up_gang(bind, what);
    tell_not_bound(bind, NotBound::kNotPrepared, why);
    Effects told;
    cluster_->on_unprepared(bind, why, links_.clock.wall(), told);
    told.note_cycle(bind.cycle);
    news.effects.add(std::move(told));
    links_.read_pod(bind.pod);
  }
  hand_out(std::move(news.effects));
}

// Whose bind is known to be impossible keeps back the rest of its gang, if that cannot run without it: who is bound meanwhile would
// have to leave again, with every attempt.
void CycleLoop::keep_back_gangs(Effects& effects) {
  std::map<std::string, std::string> gangs;  // and why
  for (const auto& [bind, why] : claims_.failures()) {
    const auto what = why_not_bound(bind.pod, bind.node, "could not be prepared", why);
    if (incomplete_.on_refused(bind, what, links_.clock.now())) gangs.emplace(bind.group, what);
  }
  if (gangs.empty()) return;
  auto kept = claims_.give_back([&](const Bind& bind) { return gangs.contains(bind.group); });
  const auto first = std::ranges::stable_partition(effects.binds, [&](const Bind& bind) { return !gangs.contains(bind.group); });
  kept.insert(kept.end(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
  effects.binds.erase(first.begin(), first.end());
  for (const auto& bind : kept) keep_back(bind, "another pod of its gang cannot be bound: " + gangs.at(bind.group));
  log_unsent();
}

void CycleLoop::assume(const Effects& effects, const Timestamp& now) {
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

void CycleLoop::run_cycle() {
  hand_out(std::exchange(first_writes_, {}));
  claims_.take_back_again(links_.clock.now());
  work_on_claims();
  const bool changed = std::exchange(dirty_, false);
  is_asked_ = false;
  const auto now = links_.clock.wall();
  incomplete_.settle(links_.clock.now());
  if (may_give_up()) give_up_gangs();
  auto outcome = cluster_->run_cycle(now);
  outcome.effects.note_cycle(++cycles_);
  assume(outcome.effects, now);
  check_invariants();
  if (is_doubted_) withhold_evictions(outcome.effects);
  if (settings_.told == EvictionsTold::kAtOnce) tell_at_once(outcome.effects);
  const auto& effects = outcome.effects;
  const bool decided = !effects.binds.empty() || !effects.evictions.empty();
  has_news_ = changed || decided || !is_seen_;
  is_seen_ = !decided;  // which looks different once more when it has been carried out
  if (decided) log_decisions(outcome);
  for (const auto& warning : outcome.warnings) warn_once(warning, {cycles_});
  if (links_.on_cycle) links_.on_cycle(outcome);
  outcome.effects.complete = seen_.take_gangs(outcome.effects.binds);
  claims_.begin(outcome.effects, links_.clock.now());
  keep_back_gangs(outcome.effects);
  show_claims();
  hand_out(std::move(outcome.effects));
  work_on_claims();
  take_failures();
  last_cycle_ = links_.clock.now();
}

void CycleLoop::log_decisions(const CycleOutcome& outcome) {
  const auto& binds = outcome.effects.binds;
  const auto& evictions = outcome.effects.evictions;
  links_.log.info("decided", {cycles_},
                  {{"binds", std::to_string(binds.size())},
                   {"evictions", std::to_string(evictions.size())},
                   {"micros", std::to_string(outcome.total_micros)}});
  if (!links_.log.shows(LogLevel::kDebug)) return;
  for (const auto& bind : binds)
    links_.log.debug("a pod is to be bound", decided_of(bind), {{"pod", key_of(bind.pod)}, {"node", bind.node}});
  for (const auto& evict : evictions)
    links_.log.debug("a pod is to be evicted", decided_of(evict),
                     {{"pod", key_of(evict.pod)}, {"node", evict.node}, {"for", evict.for_group}});
}

void CycleLoop::warn_once(const std::string& warning, const Decided& by, Log::Fields fields) {
  if (warned_.size() > kMostRemembered) warned_.clear();
  if (warned_.insert(warning).second) links_.log.warn(warning, by, fields);
}

void CycleLoop::hand_out(Effects effects) {
  effects.term = term_;
  if (!effects.empty()) links_.carry_out(std::move(effects));
}

}  // namespace muster::daemon
