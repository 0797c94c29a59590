#include "grouper/service.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "base/assert.h"
#include "kube/curl_loop.h"
#include "kube/event_queue.h"
#include "kube/reflector.h"

namespace muster::grouper {
namespace {

constexpr std::size_t kMostChanges = 10'000;
constexpr std::size_t kMostAtOnce = 200;  // between which owners are read anew
constexpr std::size_t kLargestAnswer = std::size_t{64} << 20;
constexpr kube::Duration kFirstWait = std::chrono::seconds(1);
constexpr kube::Duration kLongestWait = std::chrono::minutes(1);
constexpr kube::Duration kIdle = std::chrono::milliseconds(500);

const kube::ResourceKind& followed_pods() {
  const auto kinds = kube::resource_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [](const auto& kind) { return kind.group.empty() && kind.kind == "Pod"; });
  MUSTER_ASSERT(found != kinds.end());
  return *found;
}

std::vector<std::string> names_of(const GrouperSettings& settings) {
  if (settings.like == GroupedLike::kVolcano) return settings.volcano.scheduler_names;
  return {settings.kai.scheduler_name};
}

struct Waiting {
  std::string uid;
  std::optional<kube::Instant> due = kube::Instant{};  // nothing: not before it changes
  kube::Duration wait = kFirstWait;
  std::string told = {};  // what was last said about it
};
using PodName = std::pair<std::string, std::string>;  // namespace, name

}  // namespace

struct Service::Parts {
  explicit Parts(ServiceSettings given)
      : settings(std::move(given)),
        writes_left(std::make_shared<const std::function<kube::Duration()>>(
            [this] { return stopping ? kube::Duration(0) : settings.time_left(); })),
        grouper(settings.grouper, [this](kube::HttpRequest request) { return exchange(std::move(request)); }),
        names(names_of(settings.grouper)) {}

  ServiceSettings settings;
  kube::SystemClock clock;
  const kube::TimeLeft writes_left;
  std::unique_ptr<kube::CurlLoop> loop;
  kube::EventQueue changes{kMostChanges};
  std::unique_ptr<kube::Reflector> reflector;
  PodGrouper grouper;
  const std::vector<std::string> names;
  std::map<PodName, Waiting> waiting;  // without a group; on the thread only
  std::atomic<bool> stopping = false;
  kube::Instant leaves_at{};   // set before `stopping` is
  bool is_unanswered = false;  // a write, when we left; the thread's
  std::thread thread;

  bool may_write() const { return (*writes_left)() > kube::Duration(0); }
  kube::HttpAnswer exchange(kube::HttpRequest request);
  void warn(const std::string& text) const {
    if (settings.warn) settings.warn(text);
  }
  void take_in(kube::Change change);
  void group_due();
  void run();
};

// Who leaves waits for writes alone: as long as one is unanswered, the server may still carry it out.
kube::HttpAnswer Service::Parts::exchange(kube::HttpRequest request) {
  const bool writes = request.method != kube::Method::kGet;
  if (writes) request.time_left = writes_left;
  auto answered = std::make_shared<std::promise<kube::HttpAnswer>>();
  auto answer = answered->get_future();
  loop->post([this, answered, asked = std::move(request)]() mutable {
    kube::ask(*loop, std::move(asked), kLargestAnswer, [answered](kube::HttpAnswer got) { answered->set_value(std::move(got)); });
  });
  while (answer.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
    if (!stopping || (writes && clock.now() < leaves_at)) continue;
    is_unanswered = writes;
    return {.failure = "we are leaving"};
  }
  return answer.get();
}

void Service::Parts::take_in(kube::Change change) {
  const PodName name{change.id.ns, change.id.name};
  if (change.type == kube::ChangeType::kDeleted) {
    waiting.erase(name);
    return;
  }
  const auto* pod = change.object ? std::get_if<Pod>(&*change.object) : nullptr;
  if (pod == nullptr || change.type == kube::ChangeType::kUnchanged) return;
  const bool is_ours = std::find(names.begin(), names.end(), pod->spec.scheduler_name) != names.end();
  const bool has_group = !pod->meta.annotations.get(grouper.group_annotation()).empty();
  const bool has_ended = pod->status.phase == "Succeeded" || pod->status.phase == "Failed";
  if (!is_ours || has_group || pod->meta.deleted || has_ended) {
    waiting.erase(name);
    return;
  }
  auto& own = waiting[name];
  if (own.uid != pod->meta.uid || !own.due) own = {.uid = pod->meta.uid};
}

void Service::Parts::group_due() {
  if (!may_write()) return;
  grouper.forget();
  std::vector<PodName> due;
  for (const auto& [name, own] : waiting)
    if (own.due && *own.due <= clock.now() && due.size() < kMostAtOnce) due.push_back(name);
  for (const auto& name : due) {
    auto& own = waiting[name];
    const auto done = grouper.group(name.first, name.second);
    if (!may_write()) return;
    // The watch will tell that it has its group, or that it has changed; until then, it is not looked at again.
    own.due = clock.now() + own.wait;
    own.wait = std::min(own.wait * 2, kLongestWait);
    if (done && *done == Grouped::kNothingToDo) own.due.reset();
    if (done || own.told == done.error().message) continue;
    own.told = done.error().message;
    warn(fmt::format("pod {}/{} cannot be grouped: {}", name.first, name.second, own.told));
    grouper.warn(name.first, name.second, own.uid, own.told);
  }
}

void Service::Parts::run() {
  while (!stopping) {
    for (auto& change : changes.take(kMostChanges, kIdle)) take_in(std::move(change));
    group_due();
  }
}

Service::Service(ServiceSettings settings) : parts_(std::make_unique<Parts>(std::move(settings))) {}

Service::~Service() { stop(kube::Duration(0)); }

Result<void> Service::start() {
  auto& parts = *parts_;
  MUSTER_ASSERT(!parts.loop);
  auto access = kube::find_access(parts.settings.access, kube::process_environment());
  if (!access) return fail(std::move(access.error()));
  auto credentials =
      kube::Credentials::open(std::move(*access), parts.clock, [&parts](const std::string& problem) { parts.warn(problem); });
  if (!credentials) return fail(std::move(credentials.error()));
  parts.loop =
      std::make_unique<kube::CurlLoop>(std::move(*credentials), parts.clock, kube::CurlSettings{.user_agent = "muster-grouper"});
  kube::ReflectorSettings following;
  if (parts.names.size() == 1) following.selector = "fieldSelector=spec.schedulerName%3D" + parts.names.front();
  parts.changes.on_room([&parts] {
    parts.loop->post([&parts] {
      if (parts.reflector) parts.reflector->on_room();
    });
  });
  parts.loop->run([&] {
    parts.reflector = std::make_unique<kube::Reflector>(
        *parts.loop, followed_pods(), parts.changes, following, kube::system_random(),
        [&parts](const kube::ResourceKind&, const Error& error) { parts.warn("pods to be grouped: " + error.text()); });
    parts.reflector->start();
  });
  parts.thread = std::thread([&parts] { parts.run(); });
  return {};
}

bool Service::stop(kube::Duration longest) {
  auto& parts = *parts_;
  if (parts.loop) {
    parts.leaves_at = parts.clock.now() + longest;
    parts.stopping = true;
    parts.changes.nudge();
    if (parts.thread.joinable()) parts.thread.join();
    parts.loop->run([&] { parts.reflector.reset(); });
    parts.loop.reset();
  }
  return !parts.is_unanswered;
}

}  // namespace muster::grouper
