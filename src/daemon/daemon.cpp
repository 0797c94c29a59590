#include "daemon/daemon.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/api.h"
#include "daemon/config_reloads.h"
#include "daemon/dashboard.h"
#include "daemon/dispatch.h"
#include "daemon/following.h"
#include "daemon/leadership.h"
#include "daemon/server_access.h"
#include "daemon/state_guard.h"
#include "daemon/whatif_service.h"
#include "kube/curl_loop.h"
#include "kube/reflector.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kMostChanges = 20'000;

}  // namespace

struct Daemon::Parts {
  Parts(DaemonOptions given, MakeCluster make, Log& lines)
      : options(std::move(given)),
        config(options.config),
        make_cluster(std::move(make)),
        log(lines),
        monitor(options.monitor,
                {.ready = [this] { return ready(); },
                 .leading = [this] { return leadership.may_write(); },
                 .synced_kinds = [this] { return synced_kinds(); },
                 .evictions_stopped = [this] { return guard.evictions_stopped(); },
                 .add_routes =
                     [this](server::Router& router) {
                       add_dashboard_routes(router);
                       api.add_routes(router);
                       if (whatif) whatif->add_routes(router);
                     }},
                lines),
        leadership(options.only_follows   ? Leadership::By::kNever
                   : options.leader_elect ? Leadership::By::kLease
                                          : Leadership::By::kNature,
                   options.election, lines,
                   {.on_leading = [this] { on_leading(); }, .on_lost = [this] { dispatch.drop_unsent(WriteQueue::kNotLeading); }}),
        guard(clock, options.trust, options.audit, monitor, lines,
              {.stop_evicting = [this] { stop_evicting(); },
               .make_anew_after = [this](kube::Duration wait) { make_anew_after(wait); }}),
        dispatch(options.writes, monitor, lines, replies()),
        reloads(config, monitor, lines,
                {.post = [this](auto work) { static_cast<void>(post(std::move(work))); },
                 .make_anew = [this] { make_anew(); },
                 .tell = [this](const std::string& problem) { loop->post([this, problem] { tell_of_config(problem); }); }}),
        api(options.dialect, questions()),
        whatif(options.keeper ? std::make_unique<WhatIfService>(options.keeper, clock, options.make_of_workloads) : nullptr) {}

  DaemonOptions options;
  WatchedConfig config;
  MakeCluster make_cluster;
  Log& log;
  Monitor monitor;
  kube::SystemClock clock;
  Leadership leadership;
  StateGuard guard;
  Dispatch dispatch;
  ConfigReloads reloads;
  Api api;
  std::unique_ptr<WhatIfService> whatif;  // none: nobody may ask
  std::unique_ptr<kube::CurlLoop> loop;
  Outlets outlets;
  std::function<bool(kube::Duration)> before_farewell = [](kube::Duration) { return true; };

  mutable std::mutex mutex;
  std::shared_ptr<Following> following;  // guarded by the mutex
  bool stopping = false;                 // guarded by the mutex
  bool made_anew = false;                // guarded by the mutex
  std::vector<ClaimStep> left_over;      // guarded by the mutex: by which devices are to go back; for the next loop

  std::shared_ptr<Following> current() const {
    const std::lock_guard lock(mutex);
    return following;
  }
  // Every watch has synced.
  bool ready() const {
    const auto now = current();
    return now && now->cycles->synced();
  }
  std::size_t synced_kinds() const {
    const auto now = current();
    return now ? now->cycles->synced_kinds() : 0;
  }
  bool is_stopping() const {
    const std::lock_guard lock(mutex);
    return stopping;
  }
  // To the thread that decides. False: there is none at the moment.
  bool post(std::function<void(CycleLoop&)> work) const {
    const auto now = current();
    if (now) now->cycles->post(std::move(work));
    return now != nullptr;
  }

  Api::Questions questions();
  LiveSources sources();
  Result<void> connect();
  Dispatch::Links replies();
  void on_leading();
  Result<void> follow();
  void unfollow();
  void note_left_over(const WriteReport& report);
  void hand_over_from(CycleLoop& last);
  CycleLoop::Links links_to(Following& made);
  void stop_evicting();
  void make_anew_after(kube::Duration wait);
  void make_anew();
  void tell_of_config(const std::string& problem);
  Result<void> follow_on();
  void wait_for_writes();
  void say_goodbye();
};

Api::Questions Daemon::Parts::questions() {
  return {.clock = clock,
          .post = [this](std::function<void(CycleLoop&)> work) { return post(std::move(work)); },
          .after =
              [this](kube::Duration wait, std::function<void()> work) {
                loop->post([this, wait, work = std::move(work)]() mutable { loop->after(wait, std::move(work)); });
              },
          .leading = [this] { return leadership.may_write(); },
          .leader = [this] { return leadership.leader(); },
          .evictions_stopped = [this] { return guard.evictions_stopped(); },
          .config = [this] { return config.in_force(); },
          .flags = options.flags,
          .has_whatif = options.keeper != nullptr,
          .fits_if = options.keeper == nullptr
                         ? Api::AskFitsIf()
                         : [this](const std::string& job, auto tell) { whatif->fits_if(job, std::move(tell)); }};
}

LiveSources Daemon::Parts::sources() {
  return {.on_loop =
              [this](std::function<void(kube::Loop&)> work) {
                loop->post([&api_server = *loop, todo = std::move(work)] { todo(api_server); });
              },
          .post = questions().post,
          .config = [this] { return config.in_force().text; },
          .log = log};
}

Result<void> Daemon::Parts::connect() {
  auto credentials = open_credentials(options.access, clock, log);
  if (!credentials) return fail(std::move(credentials.error()));
  kube::CurlSettings settings;
  settings.user_agent = "muster-scheduler";
  settings.most_exchanges = options.writes.most_in_flight + 4;  // reads besides
  loop = std::make_unique<kube::CurlLoop>(std::move(*credentials), clock, settings);
  return {};
}

Dispatch::Links Daemon::Parts::replies() {
  return {.may_write = [this] { return leadership.may_write(); },
          .time_left = [this] { return leadership.time_left(); },
          .may_evict = [this] { return !guard.evictions_stopped(); },
          .on_written =
              [this](WriteReport report) {
                api.on_written(report);
                if (const auto now = current())
                  now->cycles->on_written(std::move(report));
                else
                  note_left_over(report);
              },
          .on_blocked =
              [this](const Evict& evict, const std::string& answer) {
                if (const auto now = current()) now->cycles->on_blocked(evict, answer);
              },
          .on_read =
              [this](PodReading reading) {
                if (const auto now = current()) now->cycles->on_read(std::move(reading));
              },
          .on_order_read =
              [this](OrderReading reading) {
                if (const auto now = current()) now->cycles->on_order_read(std::move(reading));
              }};
}

void Daemon::Parts::on_leading() {
  const auto now = current();
  if (!now) return;
  now->catch_up();
  now->changes.nudge();
}

Result<void> Daemon::Parts::follow() {
  auto cluster = make_cluster(config.in_force().text, config.file());
  if (!cluster) return fail(std::move(cluster.error()));
  std::vector<const kube::ResourceKind*> kinds;
  for (const auto& kind : kube::resource_kinds())
    if ((*cluster)->wants(kind)) kinds.push_back(&kind);
  api.begin_anew();
  auto made = std::make_shared<Following>(kMostChanges);
  auto cycles = options.cycles;
  cycles.evictions = guard.begin_anew();
  made->cycles = std::make_unique<CycleLoop>(std::move(*cluster), kinds.size(), cycles, links_to(*made));
  {
    const std::lock_guard lock(mutex);
    made->cycles->inherit(std::exchange(left_over, {}));
  }
  made->changes.on_room([this, weak = std::weak_ptr<Following>(made)] {
    loop->post([weak] {
      if (const auto now = weak.lock())
        for (auto& reflector : now->reflectors) reflector->on_room();
    });
  });
  {
    const std::lock_guard lock(mutex);
    following = made;
    if (stopping) made->cycles->stop();
  }
  loop->run([&] {
    for (const auto* kind : kinds) {
      made->reflectors.push_back(
          std::make_unique<kube::Reflector>(*loop, *kind, made->changes, kube::ReflectorSettings(), kube::system_random(),
                                            [this](const kube::ResourceKind& problem_kind, const Error& error) {
                                              log.warn(error.text(), {{"kind", std::string(problem_kind.kind)}});
                                              monitor.on_watch_problem(problem_kind.kind);
                                            }));
      made->reflectors.back()->on_installed([this](const kube::ResourceKind& which, bool installed) {
        log.info(
            installed ? "a kind of objects that was waited for is there" : "the server has no such kind of objects: waiting for it",
            {{"kind", std::string(which.kind)}, {"group", std::string(which.group)}});
      });
      made->reflectors.back()->start();
    }
    made->audit = guard.start_audit(*loop, made->reflectors);
  });
  return {};
}

CycleLoop::Links Daemon::Parts::links_to(Following& made) {
  CycleLoop::Links links{
      .changes = made.changes,
      .clock = clock,
      .log = log,
      .may_decide = [this] { return leadership.may_write(); },
      .term = [this] { return dispatch.term(); },
      .carry_out =
          [this](Effects effects) {
            if (!options.only_follows) dispatch.submit(std::move(effects));
          },
      .read_pod = [this](const kube::Identity& pod) { dispatch.read(pod); },
      .read_order = [this](UnsureOrder order) { dispatch.read(std::move(order)); },
      .drop_binds = [this](const std::string& gang) { dispatch.drop_binds(gang); },
      .on_cycle =
          [this, &made](const CycleOutcome& outcome) {
            monitor.on_cycle(outcome);
            api.on_cycle(*made.cycles, outcome);
          },
      .on_not_bound = [this](const Bind& bind, NotBound how, const std::string& why) { api.on_not_bound(bind, how, why); },
      .on_change = [this](const kube::Change& change) { api.on_change(change); }};
  guard.link(links);
  return links;
}

void Daemon::Parts::stop_evicting() {
  loop->post([this] { dispatch.drop_evictions(); });
  static_cast<void>(post([](CycleLoop& cycles) { cycles.stop_evicting(); }));
}

void Daemon::Parts::make_anew_after(kube::Duration wait) {
  loop->post([this, wait] { loop->after(wait, [this] { make_anew(); }); });
}

void Daemon::Parts::make_anew() {
  const std::lock_guard lock(mutex);
  if (!following) return;  // it is being done
  made_anew = true;
  following->cycles->stop();
}

// On the loop's thread. Every replica finds the same, and who leads says it.
void Daemon::Parts::tell_of_config(const std::string& problem) {
  const auto lease = leadership.lease();
  if (!lease || !leadership.may_write()) return;
  Effects effects;
  effects.events.push_back(event_of_bad_config(*lease, problem));
  effects.term = dispatch.term();
  dispatch.submit(std::move(effects));
}

void Daemon::Parts::unfollow() {
  const auto made = current();
  loop->run([&] {
    made->audit.reset();
    made->reflectors.clear();
  });
  const std::lock_guard lock(mutex);
  following.reset();
}

// Nobody is there to hear it. What has become of most writes shows in lists, but not that devices are to go back.
void Daemon::Parts::note_left_over(const WriteReport& report) {
  const auto* step = std::get_if<ClaimStep>(&report.write);
  if (step == nullptr || step->kind != ClaimStep::Kind::kUnreserve || report.result.outcome == kube::WriteOutcome::kDone) return;
  const std::lock_guard lock(mutex);
  left_over.push_back(*step);
}

// When nothing more comes to it.
void Daemon::Parts::hand_over_from(CycleLoop& last) {
  auto steps = last.leave();
  const std::lock_guard lock(mutex);
  left_over.insert(left_over.end(), std::make_move_iterator(steps.begin()), std::make_move_iterator(steps.end()));
}

// Until stop().
Result<void> Daemon::Parts::follow_on() {
  for (;;) {
    if (auto followed = follow(); !followed) return followed;
    auto last = current();
    last->cycles->run();
    unfollow();
    {
      const std::lock_guard lock(mutex);
      if (stopping || !std::exchange(made_anew, false)) return {};
    }
    wait_for_writes();
    hand_over_from(*last->cycles);
  }
}

// Nobody remembers what was decided: what is not sent yet is not to be, and what is under way must show in lists, however long its
// answer takes.
void Daemon::Parts::wait_for_writes() {
  loop->run([this] { dispatch.drop_unsent(WriteQueue::kListedAnew); });
  for (bool idle = false; !idle && !is_stopping();) {
    loop->run([&] { idle = dispatch.is_idle(); });
    if (!idle) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Whatever ends the run: nothing is written after it, and others need not wait for the lease. But as long as the server may still
// carry out what it was asked for, nobody else is to decide. All of it has one deadline, for whoever ended us kills us some time
// after.
void Daemon::Parts::say_goodbye() {
  const auto end = clock.now() + options.longest_farewell;
  const auto left = [&] { return std::max(kube::Duration(0), kube::Duration(end - clock.now())); };
  const bool others_ended = before_farewell(left());
  if (dispatch.stop(left()) && others_ended)
    leadership.give_back(*loop, left());
  else
    log.warn("writes are still unanswered; leaving, and others will wait for the end of the lease");
  loop->run([this] {
    dispatch.end();
    leadership.end();
  });
  loop.reset();  // with timers and answers that are still to come
}

Daemon::Daemon(DaemonOptions options, MakeCluster make_cluster, Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(make_cluster), log)) {}

Daemon::~Daemon() = default;

metrics::Registry& Daemon::registry() { return parts_->monitor.registry(); }

kube::Duration Daemon::time_left() const { return parts_->leadership.time_left(); }

void Daemon::before_farewell(std::function<bool(kube::Duration)> end) { parts_->before_farewell = std::move(end); }

Result<void> Daemon::run() {
  auto& parts = *parts_;
  if (auto read = parts.config.begin(); !read) return read;
  // What is wrong with the configuration is said before anything else happens.
  if (auto tried = parts.make_cluster(parts.config.in_force().text, parts.config.file()); !tried)
    return fail(std::move(tried.error()));
  if (auto wrong = parts.leadership.problem()) return fail(std::move(*wrong));
  if (auto connected = parts.connect(); !connected) return connected;
  if (auto started = parts.monitor.start(); !started) return started;
  parts.loop->run([&] {
    parts.dispatch.begin(*parts.loop);
    parts.leadership.begin(*parts.loop);
    parts.reloads.start(*parts.loop);
  });
  parts.outlets.open(parts.options.outlets, parts.sources(), parts.clock);
  auto ended = parts.follow_on();
  parts.outlets.close();
  parts.say_goodbye();
  parts.monitor.stop();
  if (ended) parts.log.info("stopped");
  return ended;
}

void Daemon::dump(DumpTo where) { parts_->outlets.dump(where); }

void Daemon::stop() {
  const std::lock_guard lock(parts_->mutex);
  parts_->stopping = true;
  if (parts_->following) parts_->following->cycles->stop();
}

}  // namespace muster::daemon
