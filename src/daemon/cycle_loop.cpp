#include "daemon/cycle_loop.h"

#include <algorithm>
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
constexpr int kMostExplained = 4;  // jobs in a cycle: some 5 ms each where there are 5,000 nodes, in which nothing is decided
constexpr int kCheckShare = 200;   // a check of the invariants takes at most this part of the time

void tell_at_once(Effects& effects) {
  for (auto& eviction : effects.evictions)
    for (auto& event : std::exchange(eviction.told, {})) effects.events.push_back(std::move(event));
}

}  // namespace

CycleLoop::CycleLoop(std::unique_ptr<LiveCluster> cluster, std::size_t kinds, CycleSettings settings, Links links)
    : cluster_(std::move(cluster)),
      kinds_(kinds),
      settings_(settings),
      links_(std::move(links)),
      warnings_(links_.log),
      open_(*cluster_, settings_, links_, warnings_, [this] { dirty_ = true; }),
      term_(open_.term()),
      expectations_(failed_expectations()),
      is_on_trial_(settings.evictions == Evictions::kStopped) {
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
  post([event = event_of_blocked(evict, answer)](CycleLoop& loop) { loop.open_.tell(event); });
}

void CycleLoop::on_read(PodReading reading) {
  post([moved = std::make_shared<PodReading>(std::move(reading))](CycleLoop& loop) { loop.open_.take_reading(std::move(*moved)); });
}

void CycleLoop::on_order_read(OrderReading reading) {
  post([moved = std::move(reading)](CycleLoop& loop) { loop.open_.take_order(moved); });
}

std::vector<ClaimStep> CycleLoop::leave() {
  take_mail();  // answers that came too late to be looked at
  return open_.leave();
}

void CycleLoop::run() {
  while (!stopping_) {
    const auto due = next_cycle();
    // Until everything is known nothing is due.
    const auto wait = synced_ ? std::max(kube::Duration(0), kube::Duration(due - links_.clock.now())) : settings_.period;
    for (auto& change : links_.changes.take(kMostAtOnce, wants_cycle() && synced_ ? kube::Duration(0) : wait))
      take_in(std::move(change));
    take_mail();
    open_.go_on(cycles_);
    if (!synced_ || stopping_) continue;
    skip_what_others_decided();
    if (!wants_cycle() && links_.clock.now() < due) {
      let_news_gather();
      continue;
    }
    if (!knows_what_leaders_wrote()) {
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

// Somebody else may have led since, and have said what our cluster takes for the last word.
void CycleLoop::skip_what_others_decided() {
  if (std::exchange(term_, open_.term()) != open_.term()) cluster_->skip_cycle(links_.clock.wall());
}

// At the latest.
kube::Instant CycleLoop::next_cycle() const {
  const auto due = last_cycle_ + settings_.period;
  const auto gangs = may_give_up() ? open_.next_give_up() : std::nullopt;
  return std::min({due, open_.next().value_or(due), gangs.value_or(due)});
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

void CycleLoop::take_mail() {
  std::vector<std::function<void(CycleLoop&)>> mail;
  {
    const std::lock_guard lock(mutex_);
    mail.swap(mail_);
  }
  for (auto& work : mail) work(*this);
  open_.tell_all();
}

void CycleLoop::take_report(const WriteReport& report) {
  const auto& result = report.result;
  if (const auto* bind = std::get_if<Bind>(&report.write)) return open_.take_bind(*bind, report);
  if (const auto* evict = std::get_if<Evict>(&report.write)) return open_.take_eviction(*evict, result);
  if (const auto* step = std::get_if<ClaimStep>(&report.write)) return open_.take_step(*step, result);
  if (const auto* deletion = std::get_if<Delete>(&report.write)) return take_deletion(*deletion, result);
  if (const auto* creation = std::get_if<Create>(&report.write)) return take_creation(*creation, result);
  cluster_->on_not_written(std::get<Patch>(report.write).object);
}

void CycleLoop::take_deletion(const Delete& deletion, const kube::WriteResult& result) {
  if (result.outcome == kube::WriteOutcome::kDone || result.outcome == kube::WriteOutcome::kGone) return;
  warnings_.once("could not delete " + deletion.object.text(), decided_of(deletion),
                 {{"outcome", std::string(kube::text_of(result.outcome))}, {"answer", result.message}});
  cluster_->on_not_deleted(deletion);
}

void CycleLoop::take_creation(const Create& creation, const kube::WriteResult& result) {
  if (result.outcome == kube::WriteOutcome::kDone || result.outcome == kube::WriteOutcome::kAlreadyExists) return;
  if (result.was_sent)
    warnings_.once("could not create " + creation.collection.text() + "/" + creation.name, decided_of(creation),
                   {{"outcome", std::string(kube::text_of(result.outcome))}, {"answer", result.message}});
  cluster_->on_not_created(creation);
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
      open_.forget(*change.kind, change.id);
      cluster_->remove(*change.kind, change.id);
      dirty_ = true;
      return;
    case kube::ChangeType::kUnchanged: return compare(*change.kind, std::move(*change.object));
    case kube::ChangeType::kAdded:
    case kube::ChangeType::kModified:
      if (auto* pod = std::get_if<Pod>(&*change.object)) {
        // Cycles have counted with it: with thousands of binds under way, each would begin one in vain.
        const bool is_news = !open_.is_confirmed_by(*pod);
        open_.take_pod(std::move(*pod), change.seen);
        is_seen_ = false;
        if (!is_news) return;
      } else {
        open_.take_object(std::move(*change.object));
      }
      dirty_ = true;
      return;
  }
}

// The queue keeps the order in which the watch told, so just this version has been taken in.
void CycleLoop::compare(const kube::ResourceKind& kind, Object object) {
  auto* pod = std::get_if<Pod>(&object);
  const auto id = kube::identity_of(pod != nullptr ? pod->meta : meta_of(object));
  if (!synced_ || (pod != nullptr && open_.holds(id))) return;
  const auto what = cluster_->differs(object);
  if (what.empty()) return;
  if (links_.on_mismatch) links_.on_mismatch(kind, id, what);
  dirty_ = true;
  if (pod == nullptr) return cluster_->apply(std::move(object));
  cluster_->take_back(id);
  open_.take_pod(std::move(*pod), links_.clock.now());
}

std::string CycleLoop::why_no_sights() const {
  if (!synced_) return "not every kind of object has been read yet";
  if (!links_.may_decide()) return "this process does not lead: ask the one that does";
  return {};
}

void CycleLoop::add_sight(Sight sight) {
  if (sight.what == Sight::What::kJob)
    to_explain_.push_back(std::move(sight));
  else
    cluster_->add_sight(std::move(sight));
  is_asked_ = true;
}

// The rest is left for the next cycle.
void CycleLoop::take_explanations() {
  for (int taken = 0; taken < kMostExplained && !to_explain_.empty(); ++taken) {
    cluster_->add_sight(std::move(to_explain_.front()));
    to_explain_.pop_front();
  }
  is_asked_ = !to_explain_.empty();
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

// The order matters: whoever begins to lead first counts up what is awaited and then says that we lead. Who finds that we lead
// finds what is awaited, too; asked the other way round, all of that may happen between the two questions.
bool CycleLoop::knows_what_leaders_wrote() const { return links_.may_decide() && awaited_ == 0; }

// As long as evictions are stopped, gangs hold on to what they have; and nothing is due that cannot be done.
bool CycleLoop::may_give_up() const { return !is_doubted_ && !is_on_trial_ && knows_what_leaders_wrote(); }

void CycleLoop::run_cycle() {
  open_.hand_out(std::exchange(first_writes_, {}));
  open_.prepare();
  const bool changed = std::exchange(dirty_, false);
  take_explanations();
  const auto now = links_.clock.wall();
  if (may_give_up()) open_.give_up_gangs(cycles_);
  auto outcome = cluster_->run_cycle(now);
  outcome.effects.note_cycle(++cycles_);
  open_.assume(outcome.effects, now);
  check_invariants();
  if (is_doubted_) open_.withhold_evictions(outcome.effects);
  if (settings_.told == EvictionsTold::kAtOnce) tell_at_once(outcome.effects);
  const auto& effects = outcome.effects;
  const bool decided = !effects.binds.empty() || !effects.evictions.empty();
  has_news_ = changed || decided || !is_seen_;
  is_seen_ = !decided;  // which looks different once more when it has been carried out
  if (decided) log_decisions(outcome);
  for (const auto& warning : outcome.warnings) warnings_.once(warning, {cycles_});
  if (links_.on_cycle) links_.on_cycle(outcome);
  open_.carry_out(std::move(outcome.effects), cycles_);
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

}  // namespace muster::daemon
