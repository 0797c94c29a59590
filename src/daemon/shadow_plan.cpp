#include "daemon/shadow_plan.h"

#include <chrono>

#include "daemon/object_key.h"
#include "daemon/recorded_cluster.h"

namespace muster::daemon::shadow {
namespace {

bool tells_why_it_waits(const Event& event) {
  return event.reason == "Unschedulable" || event.reason == "FailedScheduling" || event.reason == "NotReady" ||
         event.reason == "FailedBinding";
}

// What is said of a PodGroup counts before what is said of its pods.
void take_event(const Event& event, Plan& plan) {
  const auto about = daemon::key_of(event.about);
  if (tells_why_it_waits(event)) {
    if (event.kind == "PodGroup")
      plan.reasons[about] = event.note;
    else
      plan.reasons.try_emplace(about, event.note);
  } else if (event.reason == "Evict" && event.kind == "Pod") {
    plan.rules[about] = event.note;
  }
}

// The same one for every cluster. It begins to ask when the first of them is complete.
class OneForAll final : public KaiUsageTeller {
 public:
  struct Asked {
    std::unique_ptr<KaiUsageTeller> teller;
    bool is_started = false;
  };
  explicit OneForAll(std::shared_ptr<Asked> asked) : asked_(std::move(asked)) {}
  void start() override {
    if (!std::exchange(asked_->is_started, true)) asked_->teller->start();
  }
  bool is_awaited() const override { return asked_->teller->is_awaited(); }
  kai::QueueUsage usage(std::vector<std::string>& notes) const override { return asked_->teller->usage(notes); }

 private:
  const std::shared_ptr<Asked> asked_;
};

}  // namespace

Result<Plan> Planner::decide(const State& state, const Timestamp& now) const {
  const auto began = std::chrono::steady_clock::now();
  auto cluster = make_(config_, file_);
  if (!cluster) return fail(std::move(cluster.error()));
  for (const auto& [key, object] : state.objects()) (*cluster)->apply(*object);
  (*cluster)->settle();
  const auto outcome = (*cluster)->run_cycle(now);
  Plan plan;
  for (const auto& bind : outcome.effects.binds) plan.binds[daemon::key_of(bind.pod)] = bind.node;
  for (const auto& evict : outcome.effects.evictions) {
    const auto name = daemon::key_of(evict.pod);
    const auto* pod = state.pod(name);
    plan.evictions[name] = pod == nullptr ? std::string() : pod->spec.node_name;
    for (const auto& event : evict.told) take_event(event, plan);
  }
  for (const auto& event : outcome.effects.events) take_event(event, plan);
  plan.took = std::chrono::steady_clock::now() - began;
  return plan;
}

MakeCluster clusters_for_plans(const tape::Life& life, Log& log) {
  static const kube::SystemClock kClock;  // outlives the clusters, of which each has a clock of its own
  static Log silent({.level = LogLevel::kError}, kClock, [](std::string_view) {});
  Outside outside;
  outside.usage = [asked = std::make_shared<OneForAll::Asked>()](
                      const std::optional<kai::UsageParams>& params, const kai::Behaviour& behaviour, const kube::Clock&,
                      std::vector<std::string>& notes) -> std::unique_ptr<KaiUsageTeller> {
    if (!asked->teller) asked->teller = kai_usage_follower(params, behaviour, kClock, notes);
    return asked->teller ? std::make_unique<OneForAll>(asked) : nullptr;
  };
  return [first = clusters_of(life, outside, {}, log), others = clusters_of(life, outside, {}, silent),
          is_first = std::make_shared<bool>(true)](const std::string& text, const std::string& file) {
    return std::exchange(*is_first, false) ? first(text, file) : others(text, file);
  };
}

}  // namespace muster::daemon::shadow
