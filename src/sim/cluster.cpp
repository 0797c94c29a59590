#include "sim/cluster.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <random>

#include "base/assert.h"
#include "server/address.h"
#include "sim/api_answers.h"
#include "sim/fields.h"

namespace muster::sim {
namespace {

constexpr auto kTick = std::chrono::seconds(1);
constexpr std::int64_t kEventCheckSeconds = 60;
constexpr std::string_view kFirstNamespaces[] = {"default", "kube-node-lease", "kube-public", "kube-system"};

// The latest time that an event speaks of.
std::int64_t last_seen(const Tree& event) {
  std::int64_t out = 0;
  for (const std::string_view field :
       {"metadata.creationTimestamp", "lastTimestamp", "eventTime", "series.lastObservedTime", "series.lastTimestamp"})
    out = std::max(out, time_at(event, field).value_or(0));
  return out;
}

server::Limits api_limits() {
  server::Limits out;
  out.connections = 4096;
  out.body_bytes = std::size_t{3} << 20;  // as a real server
  return out;
}

}  // namespace

Outside real_outside() {
  Outside out;
  out.now = [] {
    const auto nanos =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    return Timestamp{nanos / kNanosPerSecond, static_cast<std::int32_t>(nanos % kNanosPerSecond)};
  };
  out.random = [engine = std::make_shared<std::mt19937_64>(std::random_device()())] { return (*engine)(); };
  return out;
}

Cluster::Cluster(ClusterSettings settings)
    : settings_([&] {
        if (!settings.outside.now) settings.outside = real_outside();
        return std::move(settings);
      }()),
      store_(settings_.changes_kept),
      registry_(store_, settings_.outside) {
  registry_.set_usual_scheduler(settings_.usual_scheduler);
}

Cluster::~Cluster() { stop(); }

Result<void> Cluster::open() {
  const std::lock_guard lock(mutex_);
  MUSTER_ASSERT(!api_);
  if (!settings_.file.empty()) {
    auto journal = Journal::open(settings_.file, store_, settings_.log);
    if (!journal) return fail(journal.error());
    journal_ = std::move(*journal);
    store_.on_persist([this](const Kind& kind, const Change& change) { return journal_->append(kind, change); });
  }
  watches_ = std::make_unique<Watches>(store_, settings_.outside);
  owners_ = std::make_unique<Owners>(store_);
  garbage_ = std::make_unique<Garbage>(registry_, store_, *owners_);
  budgets_ = std::make_unique<DisruptionBudgets>(registry_, store_);
  if (settings_.kubelets) kubelets_ = std::make_unique<Kubelets>(registry_, store_, settings_.simulating);
  if (settings_.controllers) controllers_ = std::make_unique<Controllers>(registry_, store_, *owners_, settings_.controlling);
  // Without controllers nothing is done with anything, and who asked for that knows.
  api_ = std::make_unique<Api>(registry_, *watches_, controllers_ ? UnheededWarnings::kYes : UnheededWarnings::kNo);
  make_namespaces();
  settle();
  return {};
}

void Cluster::make_namespaces() {
  const auto& kind = kind_named("", "namespaces");
  for (const auto name : kFirstNamespaces) {
    if (store_.find(kind, {"", std::string(name)})) continue;
    Tree object = Tree::map();
    object["apiVersion"] = Tree("v1");
    object["kind"] = Tree("Namespace");
    object["metadata"]["name"] = Tree(name);
    const auto made = registry_.create(kind, "", std::move(object));
    MUSTER_EXPECT(made.has_value());
  }
}

Result<void> Cluster::start() {
  MUSTER_ASSERT(!server_);
  if (auto done = open(); !done) return done;
  server::Router router;
  for (const auto method :
       {server::Method::kGet, server::Method::kPost, server::Method::kPut, server::Method::kPatch, server::Method::kDelete})
    router.on_prefix(method, settings_.token.empty() ? "/" : "/" + settings_.token + "/", [this](const server::Request& request) {
      auto inner = request;
      inner.path = "/" + request.rest;
      return guarded_answer(inner);
    });
  server::Settings settings;
  settings.listen = settings_.listen;
  settings.limits = api_limits();
  settings.log = settings_.log;
  server_ = std::make_unique<server::Server>(std::move(settings), std::move(router));
  if (auto done = server_->start(); !done) return done;
  ticker_ = std::thread([this] { run_ticker(); });
  return {};
}

void Cluster::stop() {
  {
    const std::lock_guard lock(ticker_mutex_);
    stopping_ = true;
  }
  ticker_wakes_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  if (watches_) {
    const std::lock_guard lock(mutex_);
    watches_->end_all();
  }
  if (server_) server_->stop();
}

std::uint16_t Cluster::port() const { return server_ ? server_->port() : 0; }

std::string Cluster::address() const {
  const auto listen = server::parse_listen_address(settings_.listen);
  std::string host = listen ? listen->host : "";
  if (host.empty() || host == "0.0.0.0" || host == "::") host = "127.0.0.1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}{}{}", host, port(), settings_.token.empty() ? "" : "/", settings_.token);
}

std::string Cluster::kubeconfig() const {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: muster\n"
      "  cluster:\n"
      "    server: {}\n"
      "users:\n"
      "- name: muster\n"
      "  user: {{}}\n"
      "contexts:\n"
      "- name: muster\n"
      "  context: {{cluster: muster, user: muster, namespace: default}}\n"
      "current-context: muster\n",
      address());
}

// A bug is told without the token, which the server, that would catch it otherwise, knows as a part of the path.
server::Answer Cluster::guarded_answer(const server::Request& request) {
  std::string what = "unknown";
  try {
    return answer(request);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "the handler failed";
  }
  if (settings_.log) settings_.log(fmt::format("{} {}: {}", server::text_of(request.method), request.path, what));
  return error_answer(internal("see the log of the cluster"));
}

server::Answer Cluster::answer(const server::Request& request) {
  const std::lock_guard lock(mutex_);
  auto out = api_->answer(request);
  settle();
  return out;
}

void Cluster::with(const std::function<void(Registry&)>& work) {
  const std::lock_guard lock(mutex_);
  work(registry_);
  settle();
}

void Cluster::settle() {
  // What one does is work for another, until nothing changes any more: it always ends, because whatever takes time waits for a
  // tick. The bound is for what nobody thought of.
  constexpr int kMostRounds = 1000;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto before = store_.revision();
    garbage_->run();
    if (controllers_) controllers_->run();
    if (kubelets_) kubelets_->run();
    budgets_->run();
    if (store_.revision() == before) return;
  }
}

void Cluster::tick() {
  const std::lock_guard lock(mutex_);
  watches_->tick();
  drop_old_events();
  if (kubelets_) kubelets_->tick();
  if (controllers_) controllers_->tick();
  budgets_->tick();
  settle();
}

void Cluster::drop_old_events() {
  const auto now = settings_.outside.now().seconds;
  if (now < events_checked_ + kEventCheckSeconds) return;
  events_checked_ = now;
  const auto& kind = kind_named("", "events");
  std::vector<Key> old;
  for (const auto& [key, event] : store_.objects(kind))
    if (now - last_seen(event->tree()) > settings_.event_seconds) old.push_back(key);
  for (const auto& key : old) static_cast<void>(registry_.remove(kind, key));
}

void Cluster::run_ticker() {
  std::unique_lock lock(ticker_mutex_);
  while (!ticker_wakes_.wait_for(lock, kTick, [this] { return stopping_; })) {
    lock.unlock();
    tick();
    lock.lock();
  }
}

}  // namespace muster::sim
