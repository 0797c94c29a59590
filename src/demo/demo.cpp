#include "demo/demo.h"

#include "demo/job_objects.h"
#include "demo/world.h"
#include "sim/controllers/pods.h"

namespace muster::demo {
namespace {

// How long those that have ended are shown.
constexpr double kKeptMillis = 20'000;

const sim::Kind& demo_pods() { return sim::kind_named("", "pods"); }

Result<sim::ObjectPtr> make(sim::Registry& registry, PlannedObject object) {
  auto made = registry.create(*object.kind, object.ns, std::move(object.tree), {.manager = "muster-demo"});
  if (!made) return fail(made.error().message);
  return *made;
}

}  // namespace

Demo::Demo(sim::Cluster& cluster, const Scenario& scenario, const DemoSettings& settings)
    : cluster_(cluster), scenario_(scenario), settings_(settings), stream_(scenario, settings.load) {}

Result<void> Demo::build() {
  Result<void> out;
  cluster_.with([&](sim::Registry& registry) {
    for (auto& object : world_of(scenario_, settings_.dialect))
      if (auto made = make(registry, std::move(object)); !made && out) out = fail(std::move(made.error()));
  });
  return out;
}

JobCounts Demo::advance(std::int64_t millis) {
  cluster_.with([&](sim::Registry& registry) {
    const auto until = static_cast<std::int64_t>(static_cast<double>(millis) * settings_.speed);
    counts_.refused = 0;
    counts_.refusal.clear();
    while (settings_.has_jobs) {
      const auto next = stream_.next_until(until);
      if (!next) break;
      submit(registry, *next);
    }
    counts_.running = counts_.waiting = 0;
    counts_.gpus_used = 0;
    for (auto job = jobs_.begin(); job != jobs_.end();)
      job = look_after(registry, job->second, millis) ? std::next(job) : jobs_.erase(job);
  });
  return counts_;
}

void Demo::submit(sim::Registry& registry, const PlannedJob& plan) {
  auto group = make(registry, group_of(plan, settings_.dialect));
  if (!group) return;  // somebody else took the name: one job less
  // Its pods are missing, and made with those of all others.
  jobs_.emplace(JobKey(plan.plan->queue, plan.name), Job{.plan = plan, .group_uid = (*group)->uid});
}

std::size_t Demo::make_missing(sim::Registry& registry, const Job& job) {
  std::size_t out = 0;
  for (std::int64_t i = 0; i < job.plan.pods; ++i) {
    if (registry.store().find(demo_pods(), {job.plan.plan->queue, pod_name(job.plan, i)})) continue;
    const auto made = make(registry, pod_of(job.plan, i, job.group_uid, settings_.dialect, settings_.speed));
    if (made) {
      ++out;
      continue;
    }
    ++counts_.refused;
    counts_.refusal = made.error().message;
  }
  return out;
}

Demo::PodCounts Demo::count_pods(const sim::Registry& registry, const Job& job) const {
  PodCounts out;
  for (std::int64_t i = 0; i < job.plan.pods; ++i) {
    const auto pod = registry.store().find(demo_pods(), {job.plan.plan->queue, pod_name(job.plan, i)});
    if (!pod)
      ++out.missing;
    else if (sim::has_ended(*pod))
      ++out.ended;
    else if (!pod->fields.get("spec.nodeName").empty())
      ++out.placed;
  }
  return out;
}

bool Demo::look_after(sim::Registry& registry, Job& job, std::int64_t millis) {
  const auto& kind = group_kind(settings_.dialect);
  const sim::Key key{job.plan.plan->queue, job.plan.name};
  const auto group = registry.store().find(kind, key);
  if (!group || group->uid != job.group_uid) return false;  // somebody has deleted it, and its pods go with it
  if (group->is_deleting) return true;
  if (job.ended_at) {
    if (static_cast<double>(millis - *job.ended_at) * settings_.speed < kKeptMillis) return true;
    static_cast<void>(registry.remove(kind, key, {.uid = job.group_uid}));
    return false;
  }
  const auto pods = count_pods(registry, job);
  // For fewer than must start together nothing is begun again: they would wait for those that have ended.
  const bool is_over = job.plan.pods - pods.ended < job.plan.least && pods.placed == 0 && pods.ended > 0;
  if (is_over || pods.ended == job.plan.pods) {
    job.ended_at = millis;
    ++counts_.done;
    return true;
  }
  counts_.gpus_used += pods.placed * job.plan.plan->gpus;
  ++(pods.placed + pods.ended >= job.plan.least ? counts_.running : counts_.waiting);
  if (pods.missing == 0) return true;
  const auto made = make_missing(registry, job);
  if (job.has_begun) counts_.begun_again += made;
  job.has_begun = job.has_begun || made > 0;
  return true;
}

}  // namespace muster::demo
