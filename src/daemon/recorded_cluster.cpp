#include "daemon/recorded_cluster.h"

#include "app/extender_http.h"
#include "daemon/kai_setup.h"
#include "daemon/volcano_setup.h"

namespace muster::daemon {

// Where the entries of one life go. The life begins with the first of them.
class TapeSink {
 public:
  TapeSink(std::shared_ptr<tape::Listener> recorder, tape::Opening opening)
      : recorder_(std::move(recorder)), opening_(std::move(opening)) {}
  ~TapeSink() {
    if (begun_) recorder_->end();
  }
  TapeSink(const TapeSink&) = delete;
  TapeSink& operator=(const TapeSink&) = delete;

  bool begun() const { return begun_; }
  // As long as what it gives is held, nothing is noted.
  std::shared_ptr<void> pause() {
    ++pauses_;
    return {nullptr, [this](void*) { --pauses_; }};
  }
  const std::string& gpu_groups() const { return opening_.gpu_groups; }
  template <class One>
  void note(const One& entry, std::string key = {}, std::vector<tape::Assumption> assumed = {}) {
    if (pauses_ != 0) return;
    if (!begun_) recorder_->begin(opening_);
    begun_ = true;
    recorder_->note({tape::bytes_of(entry), std::move(key), std::move(assumed)});
  }

 private:
  const std::shared_ptr<tape::Listener> recorder_;
  const tape::Opening opening_;
  bool begun_ = false;
  int pauses_ = 0;
};

namespace {

class RecordedCluster final : public LiveCluster {
 public:
  RecordedCluster(std::unique_ptr<LiveCluster> cluster, std::shared_ptr<TapeSink> sink)
      : sink_(std::move(sink)), cluster_(std::move(cluster)) {}

  bool wants(const kube::ResourceKind& kind) const override { return cluster_->wants(kind); }
  void apply(Object object) override {
    tape::Applied entry{std::move(object)};
    sink_->note(entry, tape::key_of_object(entry.object));
    cluster_->apply(std::move(entry.object));
  }
  void remove(const kube::ResourceKind& kind, const kube::Identity& id) override {
    sink_->note(tape::Removed{std::string(kind.group), std::string(kind.kind), id}, tape::key_of_gone(kind, id));
    cluster_->remove(kind, id);
  }
  void take_back(const kube::Identity& pod) override {
    sink_->note(tape::TakenBack{pod});
    cluster_->take_back(pod);
  }
  Effects settle() override {
    auto effects = cluster_->settle();
    sink_->note(tape::Settled{tape::decisions_of(effects)});
    return effects;
  }
  CycleOutcome run_cycle(const Timestamp& now) override {
    auto outcome = cluster_->run_cycle(now);
    sink_->note(tape::Cycle{++cycles_, now, tape::decisions_of(outcome.effects)}, {}, tape::assumptions_of(outcome.effects, now));
    return outcome;
  }
  void skip_cycle(const Timestamp& now) override {
    sink_->note(tape::Skipped{now});
    cluster_->skip_cycle(now);
  }
  void on_prepared(const Bind& bind, kube::Duration took) override { cluster_->on_prepared(bind, took); }
  void on_bind_taken(const Bind& bind, kube::Duration took) override { cluster_->on_bind_taken(bind, took); }
  void on_bound(const Bind& bind, Effects& effects) override {
    sink_->note(tape::ToldBound{bind});
    cluster_->on_bound(bind, effects);
  }
  void on_refused(const Bind& bind, const std::string& answer, const Timestamp& now, Effects& effects) override {
    sink_->note(tape::ToldRefused{bind, answer, now});
    cluster_->on_refused(bind, answer, now, effects);
  }
  // Only says what is told of it: nothing decides by that.
  void on_unprepared(const Bind& bind, const std::string& why, const Timestamp& now, Effects& effects) override {
    cluster_->on_unprepared(bind, why, now, effects);
  }
  std::vector<FailedBind> take_failed_binds() override {
    auto failed = cluster_->take_failed_binds();
    if (!failed.empty()) sink_->note(tape::FailuresTaken{tape::placements_of(failed)});
    return failed;
  }
  std::string gang_of(const Pod& pod) const override { return cluster_->gang_of(pod); }
  bool lacks_pods(const kube::Identity& member, const std::set<std::string>& without) const override {
    return cluster_->lacks_pods(member, without);
  }
  bool holds_room(const kube::Identity& pod) const override { return cluster_->holds_room(pod); }
  void give_up(IncompleteGang gang) override {
    sink_->note(tape::GivenUp{gang.gang, gang.pods, gang.why});
    cluster_->give_up(std::move(gang));
  }
  bool stands(const Bind& bind, const Object& order) const override { return cluster_->stands(bind, order); }
  void on_not_deleted(const Delete& deletion) override {
    sink_->note(tape::ToldNotDeleted{deletion});
    cluster_->on_not_deleted(deletion);
  }
  void on_not_created(const Create& creation) override {
    sink_->note(tape::ToldNotCreated{creation});
    cluster_->on_not_created(creation);
  }
  void on_not_written(const kube::ObjectPath& object) override {
    sink_->note(tape::ToldNotWritten{object});
    cluster_->on_not_written(object);
  }
  // Looking changes nothing, so it is no input; nor are the answers of an extender that is asked for it.
  void add_sight(Sight sight) override {
    sight.apart = [sink = sink_] { return sink->pause(); };
    cluster_->add_sight(std::move(sight));
  }
  ClusterCounts counts() const override { return cluster_->counts(); }
  std::string differs(const Object& object) const override { return cluster_->differs(object); }
  std::string broken_invariant() const override { return cluster_->broken_invariant(); }
  void set_evictions(Evictions evictions) override {
    if (std::exchange(evictions_, evictions) != evictions) sink_->note(tape::EvictionsSet{evictions == Evictions::kAllowed});
    cluster_->set_evictions(evictions);
  }
  Result<Reconfigured> reconfigure(const std::string& text, const std::string& file) override {
    auto done = cluster_->reconfigure(text, file);
    sink_->note(tape::ConfigGiven{text, file, done.has_value()});
    return done;
  }

 private:
  const std::shared_ptr<TapeSink> sink_;
  const std::unique_ptr<LiveCluster> cluster_;
  std::uint64_t cycles_ = 0;
  Evictions evictions_ = Evictions::kAllowed;
};

class NotedExtender final : public volcano::ExtenderClient {
 public:
  NotedExtender(std::shared_ptr<volcano::ExtenderClient> asked, std::shared_ptr<TapeSink> sink)
      : asked_(std::move(asked)), sink_(std::move(sink)) {}
  tl::expected<volcano::ExtenderAnswer, volcano::ExtenderFailure> ask(const volcano::Session& session,
                                                                      const volcano::ExtenderQuestion& question) override {
    auto answer = asked_->ask(session, question);
    tape::ExtenderTold told{.url = question.url, .answered = answer.has_value(), .answer = {}, .failure = {}};
    if (answer)
      told.answer = *answer;
    else
      told.failure = answer.error();
    sink_->note(told);
    return answer;
  }

 private:
  const std::shared_ptr<volcano::ExtenderClient> asked_;
  const std::shared_ptr<TapeSink> sink_;
};

// Notes what is told when it is not what was told last.
class NotedUsage final : public KaiUsageTeller {
 public:
  NotedUsage(std::unique_ptr<KaiUsageTeller> asked, std::shared_ptr<TapeSink> sink)
      : asked_(std::move(asked)), sink_(std::move(sink)) {}
  void on_answer(std::function<void(kube::Duration)> tell) override { asked_->on_answer(std::move(tell)); }
  void start() override { asked_->start(); }
  bool is_awaited() const override {
    const bool awaited = asked_->is_awaited();
    if (awaited) note({.awaited = true, .usage = {}, .notes = {}});
    return awaited;
  }
  kai::QueueUsage usage(std::vector<std::string>& notes) const override {
    tape::UsageTold told;
    auto usage = asked_->usage(told.notes);
    for (const auto& [queue, parts] : usage) told.usage[queue].assign(parts.amounts.begin(), parts.amounts.end());
    notes.insert(notes.end(), told.notes.begin(), told.notes.end());
    note(std::move(told));
    return usage;
  }

 private:
  void note(tape::UsageTold told) const {
    if (told_ == told) return;
    sink_->note(told);
    told_ = std::move(told);
  }
  const std::unique_ptr<KaiUsageTeller> asked_;
  const std::shared_ptr<TapeSink> sink_;
  mutable std::optional<tape::UsageTold> told_;
};

std::uint64_t random_number() {
  return static_cast<std::uint64_t>(kube::system_random()() * static_cast<double>(std::uint64_t{1} << 53));
}

}  // namespace

std::shared_ptr<TapeSink> tape_sink(std::shared_ptr<tape::Listener> recorder, tape::Opening opening) {
  return std::make_shared<TapeSink>(std::move(recorder), std::move(opening));
}

std::unique_ptr<LiveCluster> recorded(std::unique_ptr<LiveCluster> cluster, std::shared_ptr<TapeSink> sink) {
  return std::make_unique<RecordedCluster>(std::move(cluster), std::move(sink));
}

Outside noted_outside(const std::shared_ptr<TapeSink>& sink, Outside asked) {
  Outside noted;
  noted.gpu_groups = sink->gpu_groups();
  noted.extender = [sink, make = std::move(asked.extender)] {
    return std::make_shared<NotedExtender>(make ? make() : std::make_shared<HttpExtender>(), sink);
  };
  noted.usage = [sink, make = asked.usage ? std::move(asked.usage) : MakeKaiUsage(kai_usage_follower)](
                    const std::optional<kai::UsageParams>& params, const kai::Behaviour& behaviour, const kube::Clock& clock,
                    std::vector<std::string>& notes) -> std::unique_ptr<KaiUsageTeller> {
    auto teller = make(params, behaviour, clock, notes);
    if (!teller && params && sink->begun()) sink->note(tape::UsageTold());  // what was told before counts no more
    return teller ? std::make_unique<NotedUsage>(std::move(teller), sink) : nullptr;
  };
  return noted;
}

MakeCluster clusters_of(const tape::Life& life, Outside outside, Numbers numbers, Log& log) {
  if (life.dialect != "kai")
    return volcano_clusters({.exact = life.exact,
                             .lenient = life.lenient,
                             .flags = life.flags,
                             .numbers = std::move(numbers.volcano),
                             .outside = std::move(outside)},
                            log);
  return kai_clusters({.exact = life.exact,
                       .lenient = life.lenient,
                       .writing = {.binder = life.binds_directly ? KaiBinder::kDirect : KaiBinder::kRequests,
                                   .announce_evictions = life.announces_evictions},
                       .flags = life.flags,
                       .numbers = std::move(numbers.kai),
                       .outside = std::move(outside)},
                      log);
}

MakeCluster recorded_clusters(tape::Life life, Numbers numbers, std::shared_ptr<tape::Listener> recorder, Log& log) {
  return [life = std::move(life), numbers = std::move(numbers), recorder = std::move(recorder), &log](
             const std::string& text, const std::string& file) -> Result<std::unique_ptr<LiveCluster>> {
    tape::Opening opening;
    opening.life_id = random_number();
    opening.life = life;
    opening.config = text;
    opening.config_file = file;
    opening.gpu_groups = uuid_beginning(kube::system_random());
    const auto sink = tape_sink(recorder, std::move(opening));
    auto made = clusters_of(life, noted_outside(sink, {}), numbers, log)(text, file);
    if (!made) return fail(std::move(made.error()));
    return recorded(std::move(*made), sink);
  };
}

}  // namespace muster::daemon
