#include "daemon/daemon.h"

#include <thread>
#include <vector>

#include "daemon/api.h"
#include "daemon/dashboard.h"
#include "daemon/following.h"
#include "daemon/latch.h"
#include "daemon/pod_reader.h"
#include "daemon/server_access.h"
#include "daemon/state_guard.h"
#include "daemon/whatif_service.h"
#include "kube/curl_loop.h"
#include "kube/reflector.h"

namespace muster::daemon {
namespace {

constexpr std::size_t kMostChanges = 20'000;
constexpr kube::Duration kLookAtConfig = std::chrono::seconds(1);
constexpr kube::Duration kLookAtWrites = std::chrono::milliseconds(250);

}  // namespace

struct Daemon::Parts {
  Parts(DaemonOptions given, MakeCluster make, Log& lines)
      : options(std::move(given)),
        config(options.config),
        make_cluster(std::move(make)),
        log(lines),
        monitor(options.monitor,
                {.ready = [this] { return ready(); },
                 .leading = [this] { return may_write(); },
                 .synced_kinds = [this] { return synced_kinds(); },
                 .evictions_stopped = [this] { return guard.evictions_stopped(); },
                 .add_routes =
                     [this](server::Router& router) {
                       add_dashboard_routes(router);
                       api.add_routes(router);
                       if (whatif) whatif->add_routes(router);
                     }},
                lines),
        guard(clock, options.trust, options.audit, monitor, lines,
              {.stop_evicting = [this] { stop_evicting(); },
               .make_anew_after = [this](kube::Duration wait) { make_anew_after(wait); }}),
        api(options.dialect, questions()),
        whatif(options.keeper ? std::make_unique<WhatIfService>(options.keeper, clock, options.make_of_workloads) : nullptr) {}

  DaemonOptions options;
  WatchedConfig config;
  MakeCluster make_cluster;
  Log& log;
  Monitor monitor;
  kube::SystemClock clock;
  StateGuard guard;
  Api api;
  std::unique_ptr<WhatIfService> whatif;  // none: nobody may ask
  std::unique_ptr<kube::CurlLoop> loop;
  Outlets outlets;

  // On the loop's thread only, but for may_write().
  std::unique_ptr<kube::LeaderElection> election;
  std::unique_ptr<WriteQueue> writes;
  std::unique_ptr<PodReader> reader;

  mutable std::mutex election_mutex;  // guards the pointer to the election, not what it points to
  mutable std::mutex mutex;
  std::shared_ptr<Following> following;  // guarded by the mutex
  bool stopping = false;                 // guarded by the mutex
  bool made_anew = false;                // guarded by the mutex
  std::string leader;                    // guarded by the mutex

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
  bool may_write() const {
    if (options.only_follows) return false;
    const std::lock_guard lock(election_mutex);
    return !options.leader_elect || (election && election->may_write());
  }

  // For how long a write may be under way.
  kube::Duration time_left() const {
    if (!options.leader_elect) return kube::Duration::max();
    const std::lock_guard lock(election_mutex);
    return election ? election->time_left() : kube::Duration(0);
  }

  Api::Questions questions();
  LiveSources sources();
  Result<void> connect();
  void start_writers();
  void elect();
  Result<void> follow();
  void unfollow();
  CycleLoop::Links links_to(Following& made);
  void stop_evicting();
  void make_anew_after(kube::Duration wait);
  void make_anew();
  void look_at_config();
  void look_at_writes();
  void reconfigure(const std::string& text);
  Result<void> follow_on();
  void wait_for_writes();
  void say_goodbye();
};

Api::Questions Daemon::Parts::questions() {
  return {.clock = clock,
          .post =
              [this](std::function<void(CycleLoop&)> work) {
                const auto now = current();
                if (now) now->cycles->post(std::move(work));
                return now != nullptr;
              },
          .after =
              [this](kube::Duration wait, std::function<void()> work) {
                loop->post([this, wait, work = std::move(work)]() mutable { loop->after(wait, std::move(work)); });
              },
          .leading = [this] { return may_write(); },
          .leader =
              [this] {
                const std::lock_guard lock(mutex);
                return leader;
              },
          .evictions_stopped = [this] { return guard.evictions_stopped(); },
          .config = [this] { return config.in_force(); },
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

void Daemon::Parts::start_writers() {
  WriteQueue::Callbacks callbacks;
  callbacks.may_write = [this] { return may_write(); };
  callbacks.time_left = [this] { return time_left(); };
  callbacks.on_report = [this](WriteReport report) {
    api.on_written(report);
    if (const auto now = current()) now->cycles->on_written(std::move(report));
  };
  callbacks.on_problem = [this](const std::string& problem) { log.warn(problem); };
  callbacks.on_outcome = [this](std::string_view kind, std::string_view object, kube::WriteOutcome outcome) {
    monitor.on_outcome(kind, outcome);
    if (log.shows(LogLevel::kDebug))
      log.debug("a write was answered",
                {{"kind", std::string(kind)}, {"object", std::string(object)}, {"outcome", std::string(kube::text_of(outcome))}});
  };
  callbacks.on_first_bind = [this](kube::Duration waited) { monitor.on_first_bind(waited); };
  writes = std::make_unique<WriteQueue>(*loop, options.writes, kube::system_random(), std::move(callbacks));
  PodReader::Callbacks readings;
  readings.on_pod = [this](PodReading reading) {
    if (const auto now = current()) now->cycles->on_read(std::move(reading));
  };
  readings.on_order = [this](OrderReading reading) {
    if (const auto now = current()) now->cycles->on_order_read(std::move(reading));
  };
  readings.on_problem = [this](const std::string& problem) { log.warn(problem); };
  reader = std::make_unique<PodReader>(*loop, kube::system_random(), std::move(readings));
}

void Daemon::Parts::elect() {
  kube::LeaderElection::Events events;
  events.on_leading = [this] {
    log.info("leading", {{"identity", options.election.identity}});
    if (const auto now = current()) {
      now->list_binds_again();
      now->changes.nudge();
    }
  };
  events.on_lost = [this] {
    log.warn("no longer leading");
    writes->drop_unsent();
  };
  events.on_leader = [this](const std::string& holder) {
    log.info("the leader is", {{"identity", holder}});
    const std::lock_guard lock(mutex);
    leader = holder;
  };
  events.on_problem = [this](const std::string& problem) { log.warn("leader election: " + problem); };
  {
    const std::lock_guard lock(election_mutex);
    election = std::make_unique<kube::LeaderElection>(*loop, options.election, kube::system_random(), std::move(events));
  }
  election->start();
}

Result<void> Daemon::Parts::follow() {
  auto cluster = make_cluster(config.in_force().text, config.file());
  if (!cluster) return fail(std::move(cluster.error()));
  std::vector<const kube::ResourceKind*> kinds;
  for (const auto& kind : kube::resource_kinds())
    if ((*cluster)->wants(kind)) kinds.push_back(&kind);
  auto made = std::make_shared<Following>(kMostChanges);
  auto cycles = options.cycles;
  cycles.evictions = guard.begin_anew();
  made->cycles = std::make_unique<CycleLoop>(std::move(*cluster), kinds.size(), cycles, links_to(*made));
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
  CycleLoop::Links links{.changes = made.changes,
                         .clock = clock,
                         .log = log,
                         .may_decide = [this] { return may_write(); },
                         .term = [this] { return writes->term(); },
                         .carry_out =
                             [this](Effects effects) {
                               if (!options.only_follows) writes->submit(std::move(effects));
                             },
                         .read_pod = [this](const kube::Identity& pod) { reader->read(pod); },
                         .read_order = [this](UnsureOrder order) { reader->read(std::move(order)); },
                         .on_cycle =
                             [this, &made](const CycleOutcome& outcome) {
                               monitor.on_cycle(outcome);
                               api.on_cycle(*made.cycles, outcome);
                             }};
  guard.link(links);
  return links;
}

void Daemon::Parts::stop_evicting() {
  loop->post([this] {
    if (writes) writes->drop_evictions();
  });
  if (const auto now = current()) now->cycles->post([](CycleLoop& cycles) { cycles.stop_evicting(); });
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

void Daemon::Parts::unfollow() {
  const auto made = current();
  loop->run([&] {
    made->audit.reset();
    made->reflectors.clear();
  });
  const std::lock_guard lock(mutex);
  following.reset();
}

void Daemon::Parts::look_at_config() {
  loop->after(kLookAtConfig, [this] {
    if (const auto text = config.changed()) reconfigure(*text);
    look_at_config();
  });
}

// Whoever asks for metrics is on another thread.
void Daemon::Parts::look_at_writes() {
  monitor.on_writes(writes->counts());
  loop->after(kLookAtWrites, [this] {
    if (writes) look_at_writes();
  });
}

void Daemon::Parts::reconfigure(const std::string& text) {
  const auto now = current();
  if (!now) return;
  now->cycles->post([this, text](CycleLoop& cycles) {
    const auto done = cycles.cluster().reconfigure(text, config.file());
    monitor.on_reload(done.has_value());
    done ? config.take(text) : config.refuse(text);
    if (!done) {
      log.error("the new configuration is no good, the old one stays", {{"problem", done.error().text()}});
      return;
    }
    if (done->needs_new_cluster) {
      log.info("a new configuration looks at objects that were not remembered: everything is listed anew for it",
               {{"file", config.file()}});
      make_anew();
      return;
    }
    log.info("a new configuration is in force", {{"file", config.file()}});
    for (const auto& note : done->notes) log.warn(note);
  });
}

// Until stop().
Result<void> Daemon::Parts::follow_on() {
  for (;;) {
    if (auto followed = follow(); !followed) return followed;
    current()->cycles->run();
    unfollow();
    {
      const std::lock_guard lock(mutex);
      if (stopping || !std::exchange(made_anew, false)) return {};
    }
    wait_for_writes();
  }
}

// Nobody remembers what is still under way, so lists must show it.
void Daemon::Parts::wait_for_writes() {
  const auto end = clock.now() + options.longest_farewell;
  for (bool idle = false; !idle && clock.now() < end;) {
    loop->run([&] { idle = writes->counts().waiting + writes->counts().in_flight == 0; });
    if (!idle) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Whatever ends the run: nothing is written after it, and others need not wait for the lease. But as long as the server may still
// carry out what it was asked for, nobody else is to decide.
void Daemon::Parts::say_goodbye() {
  auto written = std::make_shared<Latch>();
  loop->post([this, written] { writes->stop([written] { written->open(); }); });
  const bool answered = written->wait(options.longest_farewell);
  if (!answered) log.warn("writes are still unanswered; leaving, and others will wait for the end of the lease");
  if (election && answered) {
    auto released = std::make_shared<Latch>();
    auto is_free = std::make_shared<std::atomic<bool>>(false);
    loop->post([this, released, is_free] {
      election->stop([released, is_free](bool free) {
        *is_free = free;
        released->open();
      });
    });
    if (!released->wait(options.longest_farewell) || !*is_free)
      log.warn("the lease was not given back; others will wait for its end");
  }
  loop->run([this] {
    writes.reset();
    const std::lock_guard lock(election_mutex);
    election.reset();
  });
  loop.reset();  // with timers and answers that are still to come
}

Daemon::Daemon(DaemonOptions options, MakeCluster make_cluster, Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(make_cluster), log)) {}

Daemon::~Daemon() = default;

metrics::Registry& Daemon::registry() { return parts_->monitor.registry(); }

Result<void> Daemon::run() {
  auto& parts = *parts_;
  if (auto read = parts.config.begin(); !read) return read;
  // What is wrong with the configuration is said before anything else happens.
  if (auto tried = parts.make_cluster(parts.config.in_force().text, parts.config.file()); !tried)
    return fail(std::move(tried.error()));
  if (parts.options.leader_elect)
    if (auto wrong = kube::check(parts.options.election)) return fail(std::move(*wrong));
  if (auto connected = parts.connect(); !connected) return connected;
  if (auto started = parts.monitor.start(); !started) return started;
  parts.loop->run([&] {
    parts.start_writers();
    parts.look_at_writes();
    if (parts.options.leader_elect && !parts.options.only_follows) parts.elect();
    if (!parts.config.file().empty()) parts.look_at_config();
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
