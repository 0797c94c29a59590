#include "daemon/shadow.h"

#include <atomic>
#include <boost/unordered/unordered_flat_set.hpp>

#include "daemon/server_access.h"
#include "kube/curl_loop.h"
#include "kube/reading_loop.h"
#include "kube/reflector.h"
#include "kube/text_file.h"

namespace muster::daemon::shadow {
namespace {

constexpr std::size_t kMostWaiting = 20'000;  // changes
constexpr std::size_t kMostInOneGo = 4096;
constexpr kube::Duration kLongestSleep = std::chrono::seconds(1);

Result<std::string> config_text(const std::string& path) {
  if (path.empty()) return std::string();
  return kube::read_text_file(path);
}

}  // namespace

struct Shadow::Parts {
  Parts(ShadowOptions given, MakeCluster make, Log& lines) : options(std::move(given)), make_cluster(std::move(make)), log(lines) {}

  ShadowOptions options;
  MakeCluster make_cluster;
  Log& log;
  kube::SystemClock clock;
  kube::EventQueue changes{kMostWaiting};
  std::atomic<bool> stopping = false;
  std::unique_ptr<kube::CurlLoop> sockets;
  std::unique_ptr<kube::ReadingLoop> loop;                   // the only way to them
  std::vector<std::unique_ptr<kube::Reflector>> reflectors;  // on the loop's thread only

  Result<void> connect();
  void follow(const std::vector<const kube::ResourceKind*>& kinds);
  void unfollow();
  void look_on(Watch& watch, std::size_t kinds);
};

Result<void> Shadow::Parts::connect() {
  auto credentials = open_credentials(options.access, clock, log);
  if (!credentials) return fail(std::move(credentials.error()));
  kube::CurlSettings settings;
  settings.user_agent = "muster-shadow";
  sockets = std::make_unique<kube::CurlLoop>(std::move(*credentials), clock, settings);
  loop = std::make_unique<kube::ReadingLoop>(*sockets);
  return {};
}

void Shadow::Parts::follow(const std::vector<const kube::ResourceKind*>& kinds) {
  changes.on_room([this] {
    loop->post([this] {
      for (auto& reflector : reflectors) reflector->on_room();
    });
  });
  sockets->run([&] {
    for (const auto* kind : kinds) {
      reflectors.push_back(std::make_unique<kube::Reflector>(*loop, *kind, changes, kube::ReflectorSettings(),
                                                             kube::system_random(),
                                                             [this](const kube::ResourceKind& about, const Error& error) {
                                                               log.warn(error.text(), {{"kind", std::string(about.kind)}});
                                                             }));
      reflectors.back()->start();
    }
  });
}

void Shadow::Parts::unfollow() {
  sockets->run([this] { reflectors.clear(); });
  sockets.reset();
}

void Shadow::Parts::look_on(Watch& watch, std::size_t kinds) {
  boost::unordered_flat_set<const kube::ResourceKind*> synced;
  auto end = kube::Instant::max();
  while (!stopping && clock.now() < end) {
    const auto due = std::min(watch.next(), end);
    const auto wait = std::clamp(kube::Duration(due - clock.now()), kube::Duration(0), kLongestSleep);
    for (const auto& change : changes.take(kMostInOneGo, wait)) {
      watch.take(change, clock.now(), clock.wall());
      if (change.type == kube::ChangeType::kSynced) synced.insert(change.kind);
    }
    if (!watch.has_begun() && synced.size() == kinds) {
      watch.begin(clock.now(), clock.wall());
      if (options.length) end = clock.now() + *options.length;
      log.info("all objects are known");
    }
    watch.turn(clock.now(), clock.wall());
  }
}

Shadow::Shadow(ShadowOptions options, MakeCluster make_cluster, Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(make_cluster), log)) {}

Shadow::~Shadow() = default;

Result<Summary> Shadow::run(const std::function<void(const Finding&)>& tell) {
  auto& parts = *parts_;
  auto text = config_text(parts.options.config);
  if (!text) return fail(std::move(text.error()));
  const Planner planner(parts.make_cluster, std::move(*text), parts.options.config);
  const auto tried = planner.cluster();  // what is wrong with the configuration is said before anything else happens
  if (!tried) return fail(tried.error());
  std::vector<const kube::ResourceKind*> kinds;
  for (const auto& kind : kube::resource_kinds())
    if ((*tried)->wants(kind)) kinds.push_back(&kind);
  if (auto connected = parts.connect(); !connected) return fail(std::move(connected.error()));
  Watch watch(parts.options.subject, parts.options.watch,
              {.decide = [&](const State& state, const Timestamp& now) { return planner.decide(state, now); },
               .tell = tell,
               .problem = [&](const std::string& problem) { parts.log.warn(problem); }});
  parts.follow(kinds);
  parts.look_on(watch, kinds.size());
  parts.unfollow();
  return watch.finish(parts.clock.now());
}

void Shadow::stop() {
  parts_->stopping = true;
  parts_->changes.nudge();
}

}  // namespace muster::daemon::shadow
